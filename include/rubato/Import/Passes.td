// The import stage ends here: what a module must be like to be trained.
#ifndef RUBATO_IMPORT_PASSES_TD
#define RUBATO_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyImport : Pass<"verify-import", "::mlir::ModuleOp"> {
  let summary = "States the contract of the import stage";
  let description = [{
    One function `@forward` with one block, tensors of static shape in and out;
    stored tensors are `nn.parameter`s that `nn.get` reads; operations are of
    `nn`, `arith`, `math` and `tensor`, so nothing of ONNX is left; constants
    are small, because weights live in the file beside the module.

    Run it after editing an import-stage file by hand.
  }];
}

#endif // RUBATO_IMPORT_PASSES_TD
