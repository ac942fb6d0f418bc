// Passes of the kernels stage.
#ifndef RUBATO_KERNELS_PASSES_TD
#define RUBATO_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NnToLinalgPass : Pass<"nn-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Rewrite nn, arith and math on tensors as linalg on tensors";
  let description = [{
    Every operation becomes one or a few `linalg` operations; then elementwise
    work is fused, so that a chain is one `linalg.generic` and a broadcast is
    an indexing map. A contraction keeps its own operation: what follows it, its
    epilogue, is a second one. Results of one shape computed index by index end
    up as several results of one `linalg.generic`.

    ```mlir
    %b2 = nn.broadcast %b dims [1] : tensor<512xf32> -> tensor<64x512xf32>
    %s = arith.addf %x, %b2 : tensor<64x512xf32>
    %y = nn.relu %s : tensor<64x512xf32>
    // becomes
    %y = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                         affine_map<(d0, d1) -> (d1)>,
                         affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x, %b : tensor<64x512xf32>, tensor<512xf32>)
        outs(%empty : tensor<64x512xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = arith.addf %in, %in_0 : f32
      %1 = arith.cmpf ogt, %zero, %0 : f32
      %2 = arith.select %1, %zero, %0 : f32
      linalg.yield %2 : f32
    } -> tensor<64x512xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups tensor operations and outlines each group as a kernel";
  let description = [{
    Works on the training functions and on every block of the program. A matrix product takes the elementwise operations behind it as
    its epilogue, a reduction the ones in front of and behind it; what is left
    is grouped by shape. Several results per group are normal: an optimizer
    step is one kernel that reads and writes every vector once. Equal kernels
    are made once. Calls to the training functions and to the program's own
    helpers are inlined, so it reads as a list of kernel calls; `gsync.work`
    keeps their names. Numbers of the host enter kernels as tensors of rank 0.
    Every kernel says what it is and what its launches may do with it
    (`#nn.kernel`, docs/kernels.md).

    Before:
    ```mlir
    %0 = nn.matmul %x, %w {transpose_rhs} : …
    %1 = nn.broadcast %b dims [1] : …
    %2 = arith.addf %0, %1 : …
    %3 = nn.relu %2 : …
    ```
    After:
    ```mlir
    %3 = call @fc1.forward(%x, %w, %b) : …
    func.func private @fc1.forward(…)
        attributes {rubato.kernel = #nn.kernel<contraction>} { … }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "the target that kernels are made for">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::rubato::nn::NnDialect"];
}

def ReportKernels : Pass<"report-kernels", "::mlir::ModuleOp"> {
  let summary = "Says which kernels become plain loops, and why";
  let description = [{
    A remark at every kernel in linalg form that no fast emitter of the target
    takes, with what stopped the emitter of kernels of its kind. The module is
    not changed.

    ```
    remark: kernel 'swap' becomes plain loops: it reads along another …
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "the target that kernels are made for">
  ];
}

def VerifyKernels : Pass<"verify-kernels", "::mlir::ModuleOp"> {
  let summary = "States the contract of the kernels stage";
  let description = [{
    The program, @gradient and @evaluate hold no tensor arithmetic of their
    own: only kernel calls, views (nn.unpack, nn.pack, nn.reshape) and gsync
    operations; every kernel is pure, has tensors of static shape and no calls,
    and what it says of itself (`#nn.kernel`) is what its body shows, in nn or
    in linalg: its kind, that it is computed index by index, the units into
    which a launch may be cut, and no workspace. A kernel may say less than
    that it is computed index by index, or be one unit.
  }];
}

#endif // RUBATO_KERNELS_PASSES_TD
