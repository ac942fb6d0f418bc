// What a round does besides talking: repeat, batches, questions, the clock.
#ifndef RUBATO_GSYNC_ROUND_OPS_TD
#define RUBATO_GSYNC_ROUND_OPS_TD

include "dialects/gsync/GsyncOpBase.td"

def Gsync_RepeatOp : Gsync_Op<"repeat", [
    RecursiveMemoryEffects, Gsync_Effects, AttrSizedOperandSegments,
    Gsync_NamesInside,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "repeats its body until a future is done";
  let description = [{
    After a body has completed on the device, stops if it ran `at_least` so
    often and either `at_most` so often or the future is done. With
    `at_least(0)` it tests first. The body gets its index and the carried
    values. Results: the carried values and how often the body ran, which is a
    local fact unless the bounds are equal and the same on every member.

    `until` observes the future and does not consume it. `ahead(d)` lets d
    further bodies start before the test, never once the future is done; they
    count.

    ```mlir
    %sum, %k = gsync.repeat until(%prev : !F) at_least(%one) iter(%zero : tensor<8xf32>) {
    ^bb0(%i: i64, %acc: tensor<8xf32>):
      …
      gsync.yield %next : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Optional<Gsync_Future>:$until, I64:$at_least,
                       Optional<I64>:$at_most,
                       DefaultValuedAttr<I64Attr, "0">:$ahead,
                       Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results, I64:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`until` `(` $until^ `:` custom<FutureType>(type($until)) `)`)? `at_least` `(` $at_least `)`
    (`at_most` `(` $at_most^ `)`)? (`ahead` `(` $ahead^ `)`)?
    `` custom<Carried>($inits, type($inits), type($results), type($count))
    $body attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$until,
      "::mlir::Value":$atLeast, "::mlir::Value":$atMost,
      "::mlir::ValueRange":$inits), [{
    build($_builder, $_state, inits.getTypes(), $_builder.getI64Type(), until,
          atLeast, atMost, /*ahead=*/0, inits);
  }]>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Gsync_NextBatchOp : Gsync_Op<"next_batch", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "a micro-batch";
  let description = [{
    Inputs…, labels…, one weight per sample (0 marks padding), sample ids.

    * `cursor`: this member's next part of the round's contiguous share of one
      global permutation; reserved now, consumed at the boundary or by `commit`.
    * `queue`: the next micro-batch of a stream that all members share, taken at
      once. With `acked_by` it is issued again if the taker dies before its next
      reduction on that channel has completed; with `lease`, if the ticket
      becomes void.
    * `keyed(k…)`: drawn by key, independent of everything else.
    * `range(a, b)`: the rows from a up to b of a claim, at most a quantum.
    * `peek`: not consumed.
    * `whole(i)`: micro-batch i of the whole data set in its own order, not
      consumed; the last may be short, and there is nothing behind it.

    ```mlir
    %b:4 = gsync.next_batch from(queue acked_by(@grads)) : tensor<64x20xf32>, …
    ```
  }];
  let arguments = (ins Gsync_BatchSource:$source,
                       OptionalAttr<FlatSymbolRefAttr>:$acked_by,
                       Variadic<I64>:$keys);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = [{
    `from` `` custom<Source>($source, $acked_by, $keys) `:` type($values) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types,
      CArg<"::rubato::gsync::BatchSource",
           "::rubato::gsync::BatchSource::Cursor">:$source,
      CArg<"::mlir::ValueRange", "{}">:$keys), [{
    build($_builder, $_state, types, source, ::mlir::FlatSymbolRefAttr(), keys);
  }]>];
  let extraClassDeclaration = [{
    /// The sample ids, or null in a batch of nothing.
    ::mlir::Value getIds() {
      return getNumResults() ? getValues().back() : ::mlir::Value();
    }
    /// One weight per sample, or null in a batch of ids alone.
    ::mlir::Value getWeights() {
      return getNumResults() > 1 ? getValues().drop_back().back()
                                 : ::mlir::Value();
    }
  }];
  let hasVerifier = 1;
}

def Gsync_QuantaOp : Gsync_Op<"quanta", [Gsync_Effects, Gsync_Names]> {
  let summary = "micro-batches of this member in the round; the same on every member";
  let results = (outs I64:$count);
  let assemblyFormat = "`:` type($count) attr-dict";
}

def Gsync_RoundSamplesOp : Gsync_Op<"round_samples", [Gsync_Effects, Gsync_Names]> {
  let summary = "samples that all members together reserve in this round by cursor";
  let results = (outs I64:$count);
  let assemblyFormat = "`:` type($count) attr-dict";
}

def Gsync_DataSamplesOp : Gsync_Op<"data_samples", [Gsync_Effects, Gsync_Names]> {
  let summary = "samples of the whole data set; the same on every member";
  let results = (outs I64:$count);
  let assemblyFormat = "`:` type($count) attr-dict";
}

def Gsync_AskOp : Gsync_Op<"ask", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "asks a policy; a central one may block and may fail";
  let description = [{
    Exactly once by (member, call number): a question that is repeated after a
    failure gets the same answer.

    ```mlir
    %peer, %tag, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$entry, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$answers);
  let assemblyFormat = [{
    $entry `(` $inputs `)` `:` functional-type($inputs, $answers) attr-dict
  }];
}

def Gsync_MeetOp : Gsync_Op<"meet", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "waits for the other strand; false when it has ended";
  let arguments = (ins FlatSymbolRefAttr:$rendezvous);
  let results = (outs I1:$met);
  let assemblyFormat = "$rendezvous `:` type($met) attr-dict";
}

def Gsync_NowOp : Gsync_Op<"now", [Gsync_Effects, Gsync_Names]> {
  let summary = "the training clock in seconds; a local fact";
  let description = [{
    Virtual in the simulator. It stands still during evaluation and checkpoints.
  }];
  let results = (outs F64:$time);
  let assemblyFormat = "`:` type($time) attr-dict";
}

def Gsync_ViewOp : Gsync_Op<"view", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "members of a group and this member's rank; fixed within a round";
  let arguments = (ins FlatSymbolRefAttr:$group);
  let results = (outs I64:$members, I64:$rank);
  let assemblyFormat = "$group `:` type($members) `,` type($rank) attr-dict";
}

def Gsync_CommitOp : Gsync_Op<"commit", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "a vote on the round, the same answer on every member; may fail";
  let description = [{
    True when every member saw as many samples as it expected. Then the cursor's
    reserved samples are consumed; otherwise the same samples come again.
  }];
  let arguments = (ins FlatSymbolRefAttr:$group, I64:$seen, I64:$expected);
  let results = (outs I1:$ok);
  let assemblyFormat = [{
    `on` $group `expect` `(` $seen `,` $expected `)` `:` type($ok) attr-dict
  }];
}

def Gsync_StopRequestedOp : Gsync_Op<"stop_requested", [Gsync_Effects, Gsync_Names]> {
  let summary = "1 where this member was asked to stop, else 0; a local fact";
  let results = (outs Gsync_Scalar:$value);
  let assemblyFormat = "`:` type($value) attr-dict";
}

def Gsync_WorkOp : Gsync_Op<"work", [Gsync_Effects]> {
  let summary = "a call of a training function began or ended here";
  let description = [{
    The kernels stage copies what a program calls to where it is called. What
    remains of the call is its name, for the clock of a simulation and for
    telemetry. The end of a gradient has its samples and its sum of losses.

    ```mlir
    gsync.work begin "gradient"
    …
    gsync.work end "gradient" (%n, %loss : tensor<i64>, tensor<f64>)
    ```
  }];
  let arguments = (ins UnitAttr:$ends, StrAttr:$name,
                       Variadic<AnyType>:$counts);
  let assemblyFormat = [{
    (`end` $ends^):(`begin`)? $name (`(` $counts^ `:` type($counts) `)`)? attr-dict
  }];
}

def Gsync_ZeroOp : Gsync_Op<"zero", [Pure, Gsync_Names]> {
  let summary = "a tensor of zeros";
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "`:` type($value) attr-dict";
}

#endif // RUBATO_GSYNC_ROUND_OPS_TD
