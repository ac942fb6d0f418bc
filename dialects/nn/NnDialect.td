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

    The train stage's functions say by `nn.role` what each argument and each
    result is for (`TrainingSignature.h`); nobody goes by their order.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
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

//===----------------------------------------------------------------------===//
// Roles in the signatures of training functions
//===----------------------------------------------------------------------===//

def Nn_ArgumentRole : I32EnumAttr<"ArgumentRole",
    "what an argument of a training function is for", [
    I32EnumAttrCase<"Parameters", 0, "parameters">,
    I32EnumAttrCase<"Frozen", 1, "frozen">,
    I32EnumAttrCase<"Input", 2, "input">,
    I32EnumAttrCase<"Label", 3, "label">,
    I32EnumAttrCase<"Weights", 4, "weights">,
    I32EnumAttrCase<"Ids", 5, "ids">,
    I32EnumAttrCase<"Step", 6, "step">,
    I32EnumAttrCase<"Accumulator", 7, "accumulator">,
    I32EnumAttrCase<"State", 8, "state">,
    I32EnumAttrCase<"Gradient", 9, "gradient">,
    I32EnumAttrCase<"Divisor", 10, "divisor">,
    I32EnumAttrCase<"Rate", 11, "rate">,
    I32EnumAttrCase<"Seen", 12, "seen">,
    I32EnumAttrCase<"Samples", 13, "samples">,
    I32EnumAttrCase<"BaseRate", 14, "base_rate">,
    I32EnumAttrCase<"Budget", 15, "budget">]> {
  let cppNamespace = "::rubato::nn";
}

def Nn_ResultRole : I32EnumAttr<"ResultRole",
    "what a result of a training function is", [
    I32EnumAttrCase<"Gradient", 0, "gradient">,
    I32EnumAttrCase<"Samples", 1, "samples">,
    I32EnumAttrCase<"Loss", 2, "loss">,
    I32EnumAttrCase<"Correct", 3, "correct">,
    I32EnumAttrCase<"Valid", 4, "valid">,
    I32EnumAttrCase<"Displacement", 5, "displacement">,
    I32EnumAttrCase<"State", 6, "state">,
    I32EnumAttrCase<"Rate", 7, "rate">,
    I32EnumAttrCase<"Divisor", 8, "divisor">]> {
  let cppNamespace = "::rubato::nn";
}

def Nn_ArgumentAttr : AttrDef<Nn_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "the role of an argument of a training function";
  let description = [{
    As the argument's attribute `nn.role`. A label of class indices says how
    many classes its loss knows.

    ```mlir
    func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>},
                        %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 2>}, …)
    ```
  }];
  let parameters = (ins
    EnumParameter<Nn_ArgumentRole>:$role,
    DefaultValuedParameter<"int64_t", "0">:$classes);
  let assemblyFormat = "`<` $role (`classes` $classes^)? `>`";
  let builders = [AttrBuilder<(ins "ArgumentRole":$role), [{
    return $_get($_ctxt, role, /*classes=*/0);
  }]>];
  let genVerifyDecl = 1;
}

def Nn_ResultAttr : AttrDef<Nn_Dialect, "Result"> {
  let mnemonic = "result";
  let summary = "the role of a result of a training function";
  let parameters = (ins EnumParameter<Nn_ResultRole>:$role);
  let assemblyFormat = "`<` $role `>`";
}

#endif // RUBATO_NN_DIALECT_TD
