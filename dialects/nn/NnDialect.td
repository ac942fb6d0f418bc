// The nn dialect: neural networks with value semantics on static shapes.
#ifndef RUBATO_NN_DIALECT_TD
#define RUBATO_NN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::rubato::nn";
  let summary = "Neural networks, their parameters and their gradients";
  let description = [{
    `nn` holds the operations that carry training or library meaning; plain
    elementwise work uses `arith` and `math` on tensors. All values are ranked
    tensors of static shape. ONNX spelling ends at the importer, device
    spelling begins at kernel formation, so an `nn` dump reads like the model.

    Parameters never sit in the IR. `nn.parameter` names a tensor in the
    weights file beside the module; after the train stage all of them are
    slots of one flat vector described by `nn.layout`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Nn_Role : I32EnumAttr<"Role", "what a stored tensor is for", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"Statistic", 1, "statistic">,
    I32EnumAttrCase<"Frozen", 2, "frozen">]> {
  let cppNamespace = "::rubato::nn";
}

def Nn_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">]> {
  let cppNamespace = "::rubato::nn";
}

def Nn_SlotAttr : AttrDef<Nn_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "a named part of a flat vector";
  let parameters = (ins
    StringRefParameter<"name of the stored tensor">:$name,
    "::mlir::RankedTensorType":$type,
    "int64_t":$offset,
    EnumParameter<Nn_Role>:$role);
  let assemblyFormat = "`<` $name `:` $type `at` $offset $role `>`";
}

def Nn_KernelKind : I32EnumAttr<"KernelKind", "what a kernel computes", [
    I32EnumAttrCase<"Contraction", 0, "contraction">,
    I32EnumAttrCase<"Rows", 1, "rows">,
    I32EnumAttrCase<"Columns", 2, "columns">,
    I32EnumAttrCase<"Elementwise", 3, "elementwise">]> {
  let cppNamespace = "::rubato::nn";
}

def Nn_KernelAttr : AttrDef<Nn_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "what a kernel is, and what its launches may do with it";
  let description = [{
    The value of `rubato.kernel`. Facts that have their usual value (one unit,
    no workspace) are not printed.

    ```mlir
    #nn.kernel<contraction>
    #nn.kernel<elementwise, split = 4096, index_by_index>
    ```
  }];
  let parameters = (ins
    EnumParameter<Nn_KernelKind>:$kind,
    "int64_t":$split,
    "bool":$indexByIndex,
    "int64_t":$workspace);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // RUBATO_NN_DIALECT_TD
