// Operations on cells.
#ifndef RUBATO_GSYNC_CELL_OPS_TD
#define RUBATO_GSYNC_CELL_OPS_TD

include "dialects/gsync/GsyncOpBase.td"

def Gsync_LoadOp : Gsync_Op<"load", [Gsync_Effects, Gsync_Symbols, Gsync_Names]> {
  let summary = "a snapshot of a cell";
  let arguments = (ins FlatSymbolRefAttr:$cell);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$cell `:` type($value) attr-dict";
}

def Gsync_AtomicOp : Gsync_Op<"atomic", [
    Gsync_Effects, Gsync_Symbols, Gsync_ArgumentNames,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "changes cells together: values in, values out";
  let description = [{
    The region gets the cells' values and yields their new ones, then what the
    operation itself gives. All cells of a role that ever appear together share
    one lock. The region must not wait: no future, no question, no batch inside.
    `gsync.now` is allowed, and read under the lock.

    An atomic in front of an operation that may fail runs again when the round
    does; `repeatable` states that this does no harm.

    ```mlir
    %old = gsync.atomic (@w, @seen) -> (tensor<8xf32>) {
    ^bb0(%w: tensor<8xf32>, %s: tensor<i64>):
      …
      gsync.yield cells(%w1, %s1 : tensor<8xf32>, tensor<i64>) %w : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Gsync_SymbolList:$cells, UnitAttr:$repeatable);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<CellList>($cells) (`repeatable` $repeatable^)?
    (`->` `(` type($results)^ `)`)? $body attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::ArrayAttr":$cells), [{
    build($_builder, $_state, ::mlir::TypeRange(), cells, false);
  }]>];
  let hasRegionVerifier = 1;
}

def Gsync_YieldOp : Gsync_Op<"yield", [
    Pure, Terminator, ReturnLike, AttrSizedOperandSegments,
    ParentOneOf<["AtomicOp", "RepeatOp", "InitOp", "DrainOp", "ModelOp"]>]> {
  let summary = "ends a region with its values";
  let description = [{
    In an atomic, `cells` are the new values of its cells.
  }];
  let arguments = (ins Variadic<AnyType>:$cells, Variadic<AnyType>:$values);
  let builders = [
    OpBuilder<(ins), [{
      build($_builder, $_state, ::mlir::ValueRange(), ::mlir::ValueRange());
    }]>,
    OpBuilder<(ins "::mlir::ValueRange":$values), [{
      build($_builder, $_state, ::mlir::ValueRange(), values);
    }]>];
  let assemblyFormat = [{
    (`cells` `(` $cells^ `:` type($cells) `)`)? ($values^ `:` type($values))?
    attr-dict
  }];
  let hasVerifier = 1;
}

#endif // RUBATO_GSYNC_CELL_OPS_TD
