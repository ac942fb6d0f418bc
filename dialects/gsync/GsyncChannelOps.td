// Communication: collectives, futures, pair exchange and mailbox.
#ifndef RUBATO_GSYNC_CHANNEL_OPS_TD
#define RUBATO_GSYNC_CHANNEL_OPS_TD

include "dialects/gsync/GsyncOpBase.td"

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// A collective starts here and ends with the await of its future. Its operands
/// stay unwritten until then, so that it can be started again among survivors.
class Gsync_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Gsync_Op<mnemonic, !listconcat(traits, [
          Gsync_Effects, Gsync_Symbols, Gsync_Names])> {
  let results = (outs Gsync_Future:$future);
  let hasVerifier = 1;
}

def Gsync_AllReduceOp : Gsync_CollectiveOp<"all_reduce", [
    AttrSizedOperandSegments]> {
  let summary = "starts a sum over all members of every operand";
  let description = [{
    A mean is a sum and a count. Sparse operands come in pairs (indices, rows):
    rows with the same index are added, and the result holds every index once,
    ascending.

    ```mlir
    %f = gsync.all_reduce sum on @grads (%g, %n) : (tensor<8xf32>, tensor<i64>) -> !gsync.future<tensor<8xf32>, tensor<i64>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Variadic<AnyType>:$values,
                       Variadic<AnyRankedTensor>:$sparse);
  let assemblyFormat = [{
    `sum` `on` $channel `(` $values `)` (`sparse` `(` $sparse^ `)`)? `:`
    functional-type(operands, $future) attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$future,
      "::llvm::StringRef":$channel, "::mlir::ValueRange":$values), [{
    build($_builder, $_state, future, channel, values, ::mlir::ValueRange());
  }]>];
}

def Gsync_AllGatherOp : Gsync_CollectiveOp<"all_gather"> {
  let summary = "starts collecting every member's operand, by ascending rank";
  let description = [{
    `tensor<3xf32>` becomes `tensor<?x3xf32>`: one entry per member.
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel,
                       Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = [{
    `on` $channel `(` $values `)` `:` functional-type(operands, $future)
    attr-dict
  }];
}

def Gsync_ReduceScatterOp : Gsync_CollectiveOp<"reduce_scatter"> {
  let summary = "starts a sum of which every member gets its contiguous part";
  let description = [{
    `tensor<8xf32>` becomes `tensor<?xf32>`. Member r of n gets the elements
    from ⌊8r/n⌋ to ⌊8(r+1)/n⌋.
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel,
                       Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = [{
    `sum` `on` $channel `(` $values `)` `:` functional-type(operands, $future)
    attr-dict
  }];
}

def Gsync_BroadcastOp : Gsync_CollectiveOp<"broadcast"> {
  let summary = "starts handing one member's operands to all";
  let description = [{
    `from` is a rank and the same on every member.

    ```mlir
    %f = gsync.broadcast from(%zero) on @start (%w) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    ```
  }];
  let arguments = (ins I64:$root, FlatSymbolRefAttr:$channel,
                       Variadic<AnyType>:$values);
  let assemblyFormat = [{
    `from` `(` $root `)` `on` $channel `(` $values `)` `:`
    functional-type($values, $future) attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Futures
//===----------------------------------------------------------------------===//

def Gsync_AwaitOp : Gsync_Op<"await", [
    Gsync_Effects, Gsync_Names, InferTypeOpAdaptor]> {
  let summary = "waits for a future and consumes it; may fail";
  let arguments = (ins Gsync_Future:$future);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$future `:` custom<FutureType>(type($future)) attr-dict";
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange a,
                                        ::mlir::TypeRange b) { return a == b; }
  }];
}

def Gsync_DoneOp : Gsync_Op<"done", [Gsync_Effects, Gsync_Names]> {
  let summary = "whether a future has completed or failed; does not consume it";
  let description = [{ A poll: the answer is a local fact. }];
  let arguments = (ins Gsync_Future:$future);
  let results = (outs I1:$done);
  let assemblyFormat = "$future `:` custom<FutureType>(type($future)) attr-dict";
}

def Gsync_ReadyOp : Gsync_Op<"ready", [Gsync_Effects, Gsync_Names]> {
  let summary = "a future that has completed, of zeros";
  let results = (outs Gsync_Future:$future);
  let assemblyFormat = "`:` custom<FutureType>(type($future)) attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

def Gsync_ExchangeOp : Gsync_Op<"exchange", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "starts a symmetric exchange with one other member";
  let description = [{
    Both name each other and the same tag. The future gives what the other sent.

    ```mlir
    %f = gsync.exchange (%x) with(%peer) tag(%tag) on @pairs : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, I64:$peer, I64:$tag,
                       FlatSymbolRefAttr:$channel);
  let results = (outs Gsync_Future:$future);
  let assemblyFormat = [{
    `(` $values `)` `with` `(` $peer `)` `tag` `(` $tag `)` `on` $channel `:`
    functional-type($values, $future) attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Mailbox
//===----------------------------------------------------------------------===//

def Gsync_PullOp : Gsync_Op<"pull", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "asks the server for a model newer than a ticket";
  let description = [{
    The future completes when the server grants this worker a newer ticket, or
    when the channel closes. It carries the granted values, then the ticket
    (i64) and whether to go on (i1). Once closed, the values are zeros and the
    last is false.

    ```mlir
    %m = gsync.pull on @ps after(%ticket) : !gsync.future<tensor<8xf32>, i64, i64, i1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, I64:$after);
  let results = (outs Gsync_Future:$future);
  let assemblyFormat = [{
    `on` $channel `after` `(` $after `)` `:`
    custom<FutureType>(type($future)) attr-dict
  }];
  let hasVerifier = 1;
}

def Gsync_PushOp : Gsync_Op<"push", [Gsync_Effects, Gsync_Symbols]> {
  let summary = "hands a result to the server; never waits, never fails";
  let description = [{
    The server's ledger accepts it only with this worker's newest ticket.
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Variadic<AnyType>:$values,
                       I64:$ticket);
  let assemblyFormat = [{
    `on` $channel `(` $values `)` `ticket` `(` $ticket `)` `:` type($values)
    attr-dict
  }];
}

def Gsync_CollectOp : Gsync_Op<"collect", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "waits for pushes and sums them by ascending member";
  let description = [{
    Ends when `first` pushes were accepted, or at least one was and no worker
    computes. Gives the sums and who took part. `by_staleness` multiplies the
    first value of a push by 1 / (1 + staleness).

    ```mlir
    %sum, %n, %who = gsync.collect sum on @ps first(%k) : tensor<8xf32>, tensor<i64>, !gsync.members
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, I64:$first,
                       UnitAttr:$by_staleness);
  let results = (outs Variadic<AnyType>:$values, Gsync_Members:$who);
  let assemblyFormat = [{
    `sum` `on` $channel `first` `(` $first `)` (`by_staleness` $by_staleness^)?
    `:` type(results) attr-dict
  }];
}

def Gsync_GrantOp : Gsync_Op<"grant", [
    Gsync_Effects, Gsync_Symbols, AttrSizedOperandSegments]> {
  let summary = "hands out a model with new tickets; never waits, never fails";
  let description = [{
    To the members of a set and to everybody whose model is staler than
    `stale_after` versions; without a set, to all workers. The newest grant of a
    worker wins.

    ```mlir
    gsync.grant on @ps (%w, %ver) to(%who) stale_after(%bound) : tensor<8xf32>, i64
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Variadic<AnyType>:$values,
                       Optional<Gsync_Members>:$to, I64:$stale_after);
  let assemblyFormat = [{
    `on` $channel `(` $values `)` (`to` `(` $to^ `)`)?
    `stale_after` `(` $stale_after `)` `:` type($values) attr-dict
  }];
}

def Gsync_WorkersOp : Gsync_Op<"workers", [
    Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "how many workers the ledger of a mailbox holds alive";
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let results = (outs I64:$count);
  let assemblyFormat = "`on` $channel `:` type($count) attr-dict";
}

def Gsync_CloseOp : Gsync_Op<"close", [Gsync_Effects, Gsync_Symbols]> {
  let summary = "ends a mailbox: waits until every worker has left or died";
  let description = [{
    Every open and every later pull completes with go = false.
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let assemblyFormat = "`on` $channel attr-dict";
}

def Gsync_SizeOp : Gsync_Op<"size", [Pure, Gsync_Names]> {
  let summary = "how many members a set has";
  let arguments = (ins Gsync_Members:$members);
  let results = (outs I64:$count);
  let assemblyFormat = "$members `:` type($count) attr-dict";
}

#endif // RUBATO_GSYNC_CHANNEL_OPS_TD
