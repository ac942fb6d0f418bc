// Passes of the CPU target.
#ifndef RUBATO_TARGET_CPU_PASSES_TD
#define RUBATO_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPULowerReferenceKernelsPass
    : Pass<"cpu-lower-reference-kernels", "::mlir::ModuleOp"> {
  let summary = "Lower kernels from linalg on tensors to plain loops";
  let description = [{
    Takes every function with `rubato.kernel` that still works on tensors to
    its memref form (docs/kernels.md): operands, destinations, `%lo`, `%hi`.
    An operation whose result is read once, index by index, is computed where
    it is read (a contraction inside the loops of its epilogue); every other
    result is stored, in a destination or in scratch on the stack. A
    destination may therefore be one of the operands of an epilogue, and
    nothing is ever allocated on the heap.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"scratchLimit", "scratch-limit", "int64_t", /*default=*/"65536",
           "Bytes of stack that the scratch of one kernel may take">
  ];
}

def CPUApproximateMathPass : Pass<"cpu-approximate-math", "::mlir::func::FuncOp"> {
  let summary = "Write f32 transcendentals as polynomials; never call libm";
  let description = [{
    Inside kernels every operation of `math` on f32, scalar or vector, becomes
    arithmetic that LLVM vectorises and that gives the same bits on every
    machine. An operation for which there is no such form is an error. f64
    exists for checks only and keeps its calls to libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def CPUKernelAbiPass : Pass<"cpu-kernel-abi", "::mlir::ModuleOp"> {
  let summary = "Give kernels their C form, kernel(args, lo, hi)";
  let description = [{
    Every `llvm.func` with `rubato.kernel` becomes the internal body of a
    function of the same name and of type `void(ptr, i64, i64)`, which loads
    the addresses of operands and destinations from its first argument. Ends
    with the check that nothing but the LLVM dialect is left in the module.

    ```mlir
    llvm.func @relu(%x: !llvm.ptr, %y: !llvm.ptr, %lo: i64, %hi: i64)
        attributes {rubato.kernel} { … }
    // becomes
    llvm.func internal @relu.body(%x: !llvm.ptr, …) attributes {always_inline} { … }
    llvm.func @relu(%args: !llvm.ptr, %lo: i64, %hi: i64)
        attributes {rubato.kernel} {
      %x = llvm.load %args …
      llvm.call @relu.body(%x, %y, %lo, %hi)
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def CPUEmitContractionsPass
    : Pass<"cpu-emit-contractions", "::mlir::func::FuncOp"> {
  let summary = "Write matrix products as vector loops in registers";
  let description = [{
    Takes a kernel in tensor form that is one f32 matrix product over zeros
    (either operand transposed or not) and at most one elementwise operation
    on its result, to memref form: balanced row tiles of at most 6 rows by 16
    columns, sums in `vector<8xf32>` loop arguments, explicit `math.fma`,
    operands packed on the stack where that pays, the epilogue on the registers
    of a tile. Every sum runs in the order of k, so the bits of a result do not
    depend on the blocking. Other kernels are left as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def CPUEmitElementwisePass
    : Pass<"cpu-emit-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Write elementwise kernels as vector loops";
  let description = [{
    Takes a kernel in tensor form that is one elementwise `linalg.generic`,
    several results and broadcast operands included, to memref form: a loop
    over `[%lo, %hi)` of dimension 0, vectors along the last one, tails in
    narrower vectors. Operands of a vector are read before its results are
    stored.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def CPUEmitReductionsPass
    : Pass<"cpu-emit-reductions", "::mlir::func::FuncOp"> {
  let summary = "Write sums over rows as vector loops";
  let description = [{
    Takes a kernel in tensor form that is one f32 sum over dimension 0 of a
    matrix (the gradient of a bias) and at most one elementwise operation on
    its result, to memref form: vectors along the columns, rows in order.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def CPUEmitRowsPass : Pass<"cpu-emit-rows", "::mlir::func::FuncOp"> {
  let summary = "Write kernels that work row by row as vector loops";
  let description = [{
    Takes a kernel in tensor form that is a chain of `linalg.generic` over the
    rows of tensors to memref form: steps on whole rows, on the columns of a
    row, reductions along a row (`softmax`, losses), and totals over all rows
    in row order. One loop over the rows runs the whole chain.

    A reduction along a row has four running vectors of 16 lanes, which are
    then combined pairwise, and their halves down to one value. The bits of a
    result do not depend on the vector length of the machine. The choice of the
    column whose number is an operand reads that column alone. Other kernels
    are left as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // RUBATO_TARGET_CPU_PASSES_TD
