// Operations of the gsync dialect.
#ifndef RUBATO_GSYNC_OPS_TD
#define RUBATO_GSYNC_OPS_TD

include "dialects/gsync/GsyncDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Gsync_Op<string mnemonic, list<Trait> traits = []>
    : Op<Gsync_Dialect, mnemonic, traits>;

/// Operations that touch a channel, a cell or the data have effects on it, so
/// that no upstream pass merges, drops or reorders them.
def Gsync_Effects : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;
def Gsync_Symbols : DeclareOpInterfaceMethods<SymbolUserOpInterface>;
def Gsync_Scalar : 0DTensorOf<[I64]>;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

def Gsync_TrainOp : Gsync_Op<"train", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "train the module's model by an algorithm";
  let description = [{
    The only gsync operation before the algorithm is expanded. `learning_rate`
    is the default of the run-time setting.

    ```mlir
    gsync.train algorithm(#allreduce.algorithm) learning_rate(5.000000e-02)
    ```
  }];
  let arguments = (ins AnyAttr:$algorithm, F64Attr:$learning_rate);
  let assemblyFormat = "`algorithm` `(` $algorithm `)` `learning_rate` `(` $learning_rate `)` attr-dict";
  let hasVerifier = 1;
}

def Gsync_GroupOp : Gsync_Op<"group", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a set of members, fixed within a round";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict";
}

def Gsync_ChannelOp : Gsync_Op<"channel", [
    Symbol, HasParent<"::mlir::ModuleOp">, Gsync_Symbols]> {
  let summary = "a way for the members of a group to talk";
  let description = [{
    The operations on a collective channel have one order, the same on every
    member.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$group,
                       Gsync_ChannelKind:$kind);
  let assemblyFormat = "$sym_name `on` $group `kind` `(` $kind `)` attr-dict";
}

def Gsync_CellOp : Gsync_Op<"cell", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "state of a member that outlives a round";
  let description = [{
    Read by `gsync.load`, changed by `gsync.atomic`, touched by nothing else.
    Cells start at zero, parameters and frozen tensors at their stored values
    (`layout` names their slots), settings at what the command line gives or
    at their default.

    ```mlir
    gsync.cell @w : tensor<669706xf32> role(parameter) layout(@params)
    gsync.cell @seen : tensor<i64> role(counter)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       Gsync_CellRole:$role,
                       OptionalAttr<FlatSymbolRefAttr>:$layout,
                       OptionalAttr<F64Attr>:$default_value);
  let assemblyFormat = [{
    $sym_name `:` $type `role` `(` $role `)` (`layout` `(` $layout^ `)`)?
    (`default` `(` $default_value^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Gsync_RoleOp : Gsync_Op<"role", [
    Symbol, HasParent<"::mlir::ModuleOp">, Gsync_Symbols, IsolatedFromAbove, NoTerminator,
    SingleBlock, NoRegionArguments]> {
  let summary = "what a member runs: strands, and what its model is";
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$group);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `on` $group $body attr-dict";
  let hasRegionVerifier = 1;
}

def Gsync_StrandOp : Gsync_Op<"strand", [
    HasParent<"RoleOp">, IsolatedFromAbove, SingleBlock, NoRegionArguments]> {
  let summary = "one round of a thread of control; ends in gsync.next";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
}

def Gsync_ModelOp : Gsync_Op<"model", [
    HasParent<"RoleOp">, IsolatedFromAbove, SingleBlock, NoRegionArguments]> {
  let summary = "what is evaluated and exported; yields the flat parameters";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

def Gsync_LoadOp : Gsync_Op<"load", [Gsync_Effects, Gsync_Symbols]> {
  let summary = "a snapshot of a cell";
  let arguments = (ins FlatSymbolRefAttr:$cell);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$cell `:` type($value) attr-dict";
}

def Gsync_AtomicOp : Gsync_Op<"atomic", [
    Gsync_Effects, Gsync_Symbols, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "changes cells together: values in, values out";
  let description = [{
    The region gets the cells' values and yields their new ones. It must not
    wait: no future, no batch, no communication inside.

    ```mlir
    gsync.atomic (@w, @seen) {
    ^bb0(%w: tensor<8xf32>, %s: tensor<i64>):
      …
      gsync.yield %w1, %s1 : tensor<8xf32>, tensor<i64>
    }
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<FlatSymbolRefAttr, "cells">:$cells);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<CellList>($cells) $body attr-dict";
  let hasRegionVerifier = 1;
}

def Gsync_YieldOp : Gsync_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["AtomicOp", "RepeatOp", "ModelOp"]>]> {
  let summary = "ends a region with its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

def Gsync_AllReduceOp : Gsync_Op<"all_reduce", [Gsync_Effects, Gsync_Symbols]> {
  let summary = "starts a sum over all members of every operand";
  let description = [{
    A mean is a sum and a count. Operands stay unwritten until the await.

    ```mlir
    %f = gsync.all_reduce sum on @grads (%g, %n) : (tensor<8xf32>, tensor<i64>) -> !gsync.future<tensor<8xf32>, tensor<i64>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Variadic<AnyType>:$values);
  let results = (outs Gsync_Future:$future);
  let assemblyFormat = [{
    `sum` `on` $channel `(` $values `)` `:` functional-type($values, $future) attr-dict
  }];
  let hasVerifier = 1;
}

def Gsync_AwaitOp : Gsync_Op<"await", [Gsync_Effects]> {
  let summary = "waits for a future and consumes it; may fail";
  let arguments = (ins Gsync_Future:$future);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "$future `:` functional-type($future, $values) attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

def Gsync_QuantaOp : Gsync_Op<"quanta", [Gsync_Effects]> {
  let summary = "micro-batches of this member in the round; the same on every member";
  let results = (outs I64:$count);
  let assemblyFormat = "`:` type($count) attr-dict";
}

def Gsync_NextBatchOp : Gsync_Op<"next_batch", [Gsync_Effects]> {
  let summary = "this member's next micro-batch";
  let description = [{
    Inputs…, labels…, one weight per sample (0 marks padding), sample ids. The
    members of a round take contiguous shares of one global permutation.
  }];
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "`:` type($values) attr-dict";
}

def Gsync_StopRequestedOp : Gsync_Op<"stop_requested", [Gsync_Effects]> {
  let summary = "1 where this member was asked to stop, else 0; a local fact";
  let results = (outs Gsync_Scalar:$value);
  let assemblyFormat = "`:` type($value) attr-dict";
}

def Gsync_ZeroOp : Gsync_Op<"zero", [Pure]> {
  let summary = "a tensor of zeros";
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "`:` type($value) attr-dict";
}

def Gsync_RepeatOp : Gsync_Op<"repeat", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    AllTypesMatch<["inits", "results"]>]> {
  let summary = "repeats its body, carrying values";
  let description = [{
    Runs the body at least and at most so often; equal bounds make a counted
    loop.

    ```mlir
    %sum = gsync.repeat at_least(%n) at_most(%n) iter(%zero) : tensor<8xf32> {
    ^bb0(%acc: tensor<8xf32>):
      gsync.yield %next : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins I64:$at_least, I64:$at_most, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `at_least` `(` $at_least `)` `at_most` `(` $at_most `)`
    (`iter` `(` $inits^ `)` `:` type($inits))? $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Gsync_NextOp : Gsync_Op<"next", [Terminator, HasParent<"StrandOp">]> {
  let summary = "ends the round; false ends the strand";
  let arguments = (ins I1:$go);
  let assemblyFormat = "$go attr-dict";
}

#endif // RUBATO_GSYNC_OPS_TD
