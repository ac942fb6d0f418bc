// What programs do besides running segments: the calls of the C ABI that
// concern other members, siblings, data and decisions.
#ifndef RUBATO_SCHED_PROGRAM_OPS_TD
#define RUBATO_SCHED_PROGRAM_OPS_TD

/// A call of the runtime that takes values from the arena, or brings some.
class Sched_ValuesOp<string mnemonic, list<Trait> traits = []>
    : Sched_HostOp<mnemonic, !listconcat(traits, [Sched_SymbolUser])>;

def Sched_Channel : Sched_NonNegative<I32Attr>;

//===----------------------------------------------------------------------===//
// The host and the arena
//===----------------------------------------------------------------------===//

def Sched_CopyOp : Sched_ValuesOp<"copy"> {
  let summary = "copies bytes of the arena (fallible)";
  let description = [{
    In order with the compute lane. The ranges have one size and are the same
    or apart.

    ```mlir
    sched.copy @w[0, 64] to @snapshot[0, 64]
    ```
  }];
  let arguments = (ins Sched_RangeAttr:$from, Sched_RangeAttr:$to);
  let assemblyFormat = "custom<Range>($from) `to` custom<Range>($to) attr-dict";
}

def Sched_ClearOp : Sched_ValuesOp<"clear"> {
  let summary = "sets bytes of the arena to zero (fallible)";
  let arguments = (ins Sched_RangeAttr:$range);
  let assemblyFormat = "custom<Range>($range) attr-dict";
}

def Sched_RenewOp : Sched_ValuesOp<"renew"> {
  let summary = "makes a value writable (fallible)";
  let description = [{
    Whatever starts something may keep the memory of its operands instead of a
    copy, and what arrives may be shown where it lies. So before a segment
    writes to a value, its memory must be this strand's alone: `renew` gives it
    other memory where it is not. With `keep` the content stays, else it is
    undefined. It stands directly in front of the `sched.run`, which
    `sched-verify-segments` checks.

    ```mlir
    sched.renew @worker.gradient
    sched.run @worker.gradient.0
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$buffer, UnitAttr:$keep);
  let assemblyFormat = "$buffer (`keep` $keep^)? attr-dict";
}

def Sched_DropOp : Sched_ValuesOp<"drop"> {
  let summary = "the content of a value is not needed any more (fallible)";
  let arguments = (ins FlatSymbolRefAttr:$buffer);
  let assemblyFormat = "$buffer attr-dict";
}

def Sched_LookOp : Sched_ValuesOp<"look"> {
  let summary = "gives a value the present content of a cell (fallible)";
  let description = [{
    A copy, or the cell itself until somebody is about to change it: whoever
    takes `lock` for an atomic. It is only read until it is dropped.

    ```mlir
    sched.look @w[0, 64] in @worker.w lock(0)
    ```
  }];
  let arguments = (ins Sched_RangeAttr:$from, FlatSymbolRefAttr:$buffer,
                       Sched_NonNegative<I32Attr>:$lock);
  let assemblyFormat =
      "custom<Range>($from) `in` $buffer `lock` `(` $lock `)` attr-dict";
}

def Sched_WorkOp : Sched_HostOp<"work"> {
  let summary = "work of this name begins or ends: for clocks and telemetry";
  let arguments = (ins UnitAttr:$ends, StrAttr:$name);
  let assemblyFormat = "(`end` $ends^):(`begin`)? $name attr-dict";
}

def Sched_ComputedOp : Sched_HostOp<"computed"> {
  let summary = "a gradient of so many samples was computed: for telemetry";
  let arguments = (ins I64:$samples, F64:$loss);
  let assemblyFormat = "$samples `,` $loss attr-dict";
}

def Sched_LockOp : Sched_HostOp<"lock"> {
  let summary = "waits for the cells of a lock (fallible)";
  let description = [{ `cells` are those of an atomic; a load has none. }];
  let arguments = (ins Sched_NonNegative<I32Attr>:$lock,
                       OptionalAttr<StrAttr>:$cells);
  let assemblyFormat = "$lock ($cells^)? attr-dict";
}

def Sched_UnlockOp : Sched_HostOp<"unlock"> {
  let summary = "gives the cells of a lock back";
  let arguments = (ins Sched_NonNegative<I32Attr>:$lock);
  let assemblyFormat = "$lock attr-dict";
}

//===----------------------------------------------------------------------===//
// Futures: handles of the runtime
//===----------------------------------------------------------------------===//

def Sched_StartKind : Sched_Enum<"StartKind", "a collective of a program", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"Broadcast", 1, "broadcast">]>;

def Sched_StartOp : Sched_ValuesOp<"start"> {
  let summary = "starts a collective (fallible)";
  let description = [{
    Whole values keep their memory, which nobody writes until the await: see
    `sched.renew`. All else is copied, and may change at once.

    ```mlir
    %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 5140] : f32)
    ```
  }];
  let arguments = (ins Sched_StartKind:$kind, Sched_Channel:$channel, I64:$root,
                       Sched_TypedRanges:$ins);
  let results = (outs I64:$future);
  let assemblyFormat = [{
    $kind `channel` `(` $channel `)` `root` `(` $root `)` `` custom<Ins>($ins)
    attr-dict
  }];
}

def Sched_ExchangeOp : Sched_ValuesOp<"exchange"> {
  let summary = "starts an exchange with one other member (fallible)";
  let arguments = (ins Sched_Channel:$channel, I64:$peer, I64:$tag,
                       Sched_TypedRanges:$ins);
  let results = (outs I64:$future);
  let assemblyFormat = [{
    `channel` `(` $channel `)` `with` `(` $peer `)` `tag` `(` $tag `)`
    `` custom<Ins>($ins) attr-dict
  }];
}

def Sched_PullOp : Sched_HostOp<"pull"> {
  let summary = "asks for a model newer than a ticket (fallible)";
  let arguments = (ins Sched_Channel:$channel, I64:$after);
  let results = (outs I64:$future);
  let assemblyFormat = "`channel` `(` $channel `)` `after` `(` $after `)` attr-dict";
}

def Sched_DoneOp : Sched_HostOp<"done"> {
  let summary = "whether a future is done";
  let arguments = (ins I64:$future);
  let results = (outs I1:$done);
  let assemblyFormat = "$future attr-dict";
}

def Sched_PollOp : Sched_HostOp<"poll"> {
  let summary = "whether the future is done that ends a loop (fallible)";
  let description = [{
    Waits until `ahead` bodies at most are unfinished on the compute lane, so that
    a loop computes as long as its future takes and no further.

    ```mlir
    %done = sched.poll %f ahead(0)
    ```
  }];
  let arguments = (ins I64:$future,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$ahead);
  let results = (outs I1:$done);
  let assemblyFormat = "$future `ahead` `(` $ahead `)` attr-dict";
}

def Sched_BodyOp : Sched_HostOp<"body"> {
  let summary = "the body of a loop that polls was given to the lanes (fallible)";
  let assemblyFormat = "attr-dict";
}

def Sched_AwaitOp : Sched_ValuesOp<"await"> {
  let summary = "waits for a future and brings its values (fallible)";
  let description = [{
    With `first` it goes on once so many bytes of its first value are there, a
    part of a whole value; `sched.arrive` waits for the rest. What it brings is
    decided all the same: every member has started the reduction.

    ```mlir
    sched.await %f outs(@sum[0, 40960] : f32, @n[0, 8] : i64) first(20480)
    ```
  }];
  let arguments = (ins I64:$future, Sched_TypedRanges:$outs,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$first);
  let assemblyFormat = [{
    $future `` custom<Outs>($outs) (`first` `(` $first^ `)`)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$future, "::mlir::ArrayAttr":$outs), [{
      build($_builder, $_state, future, outs, ::mlir::IntegerAttr());
    }]>];
}

def Sched_RepeatedOp : Sched_HostOp<"repeated"> {
  let summary = "a loop has ended after so many bodies: for the log";
  let arguments = (ins I64:$count);
  let assemblyFormat = "$count attr-dict";
}

//===----------------------------------------------------------------------===//
// The mailbox
//===----------------------------------------------------------------------===//

def Sched_PushOp : Sched_ValuesOp<"push"> {
  let summary = "hands a result to the server (fallible)";
  let arguments = (ins Sched_Channel:$channel, I64:$ticket,
                       Sched_TypedRanges:$ins);
  let assemblyFormat = [{
    `channel` `(` $channel `)` `ticket` `(` $ticket `)` `` custom<Ins>($ins)
    attr-dict
  }];
}

def Sched_SetSizeOp : Sched_HostOp<"set_size", [Pure]> {
  let summary = "how many workers a set has that a collect brought";
  let arguments = (ins I64:$set);
  let results = (outs I64:$count);
  let assemblyFormat = "$set attr-dict";
}

def Sched_CollectOp : Sched_ValuesOp<"collect"> {
  let summary = "waits for pushes and sums them (fallible); who, as a set";
  let arguments = (ins Sched_Channel:$channel, I64:$first,
                       UnitAttr:$by_staleness, Sched_TypedRanges:$outs);
  let results = (outs I64:$who);
  let assemblyFormat = [{
    `channel` `(` $channel `)` `first` `(` $first `)`
    (`by_staleness` $by_staleness^)? `` custom<Outs>($outs) attr-dict
  }];
}

def Sched_GrantOp : Sched_ValuesOp<"grant"> {
  let summary = "hands out a model with new tickets (fallible)";
  let arguments = (ins Sched_Channel:$channel, Optional<I64>:$to,
                       I64:$stale_after, Sched_TypedRanges:$ins);
  let assemblyFormat = [{
    `channel` `(` $channel `)` (`to` `(` $to^ `)`)?
    `stale_after` `(` $stale_after `)` `` custom<Ins>($ins) attr-dict
  }];
}

def Sched_CloseOp : Sched_HostOp<"close"> {
  let summary = "ends a mailbox (fallible)";
  let arguments = (ins Sched_Channel:$channel);
  let assemblyFormat = "`channel` `(` $channel `)` attr-dict";
}

def Sched_WorkersOp : Sched_HostOp<"workers"> {
  let summary = "workers of a mailbox that are alive";
  let arguments = (ins Sched_Channel:$channel);
  let results = (outs I64:$count);
  let assemblyFormat = "`channel` `(` $channel `)` attr-dict";
}

//===----------------------------------------------------------------------===//
// Decisions, siblings, data
//===----------------------------------------------------------------------===//

def Sched_Answer : AnyTypeOf<[I1, I64, F64]>;

def Sched_AskOp : Sched_HostOp<"ask"> {
  let summary = "asks a policy (fallible)";
  let arguments = (ins Sched_NonNegative<I32Attr>:$policy,
                       Sched_NonNegative<I32Attr>:$entry,
                       Variadic<Sched_Answer>:$inputs);
  let results = (outs Variadic<Sched_Answer>:$answers);
  let assemblyFormat = [{
    `policy` `(` $policy `)` `entry` `(` $entry `)` `(` $inputs `)` `:`
    functional-type($inputs, $answers) attr-dict
  }];
}

def Sched_MeetOp : Sched_HostOp<"meet"> {
  let summary = "waits for the other strand (fallible)";
  let arguments = (ins Sched_NonNegative<I32Attr>:$rendezvous);
  let results = (outs I1:$met);
  let assemblyFormat = "$rendezvous attr-dict";
}

def Sched_CommitOp : Sched_HostOp<"commit"> {
  let summary = "a vote on the round (fallible)";
  let arguments = (ins I64:$seen, I64:$expected);
  let results = (outs I1:$ok);
  let assemblyFormat = "$seen `,` $expected attr-dict";
}

def Sched_NowOp : Sched_HostOp<"now", [Sched_IsFact]> {
  let summary = "the training clock in seconds";
  let results = (outs F64:$time);
  let assemblyFormat = "attr-dict";
}

def Sched_RoundSamplesOp
    : Sched_FactOp<"round_samples", "samples of all members in the round">;

def Sched_DataSamplesOp
    : Sched_FactOp<"data_samples", "samples of the whole data set">;

def Sched_BatchSource : Sched_Enum<"BatchSource", "where a batch comes from", [
    I32EnumAttrCase<"Cursor", 0, "cursor">,
    I32EnumAttrCase<"Queue", 1, "queue">,
    I32EnumAttrCase<"Keyed", 2, "keyed">,
    I32EnumAttrCase<"Range", 3, "range">,
    I32EnumAttrCase<"Peek", 4, "peek">,
    I32EnumAttrCase<"Whole", 5, "whole">]>;

def Sched_BatchOp : Sched_HostOp<"batch"> {
  let summary = "fills the batch buffers from a source (fallible)";
  let description = [{
    `acked_by` is the channel whose next reduction acknowledges a batch of a
    queue. Keys: those of a draw, the lease of a queue, the ends of a range,
    the number of a micro-batch of the whole data set.
  }];
  let arguments = (ins Sched_BatchSource:$source,
                       OptionalAttr<Sched_Channel>:$acked_by,
                       Variadic<I64>:$keys);
  let assemblyFormat = [{
    $source (`acked_by` `(` $acked_by^ `)`)? `(` $keys `)` attr-dict
  }];
}

#endif // RUBATO_SCHED_PROGRAM_OPS_TD
