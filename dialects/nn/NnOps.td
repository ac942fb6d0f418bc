// Operations of the nn dialect.
#ifndef RUBATO_NN_OPS_TD
#define RUBATO_NN_OPS_TD

include "dialects/nn/NnDialect.td"
include "dialects/nn/NnInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, traits>;

class Nn_PureOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat(traits, [Pure])>;

def Nn_Differentiable
    : DeclareOpInterfaceMethods<DifferentiableOpInterface>;

def Nn_Float : AnyTypeOf<[F32, F64]>;
def Nn_Tensor : StaticShapeTensorOf<[AnyType]>;
def Nn_FloatTensor : StaticShapeTensorOf<[Nn_Float]>;
def Nn_Matrix : Type<And<[Nn_FloatTensor.predicate, HasAnyRankOfPred<[2]>]>,
                     "matrix of floating-point numbers",
                     "::mlir::RankedTensorType">;
def Nn_Vector : Type<And<[Nn_FloatTensor.predicate, HasAnyRankOfPred<[1]>]>,
                     "vector of floating-point numbers",
                     "::mlir::RankedTensorType">;
def Nn_Classes : Type<And<[StaticShapeTensorOf<[I64]>.predicate,
                           HasAnyRankOfPred<[1]>]>,
                      "vector of i64 class indices",
                      "::mlir::RankedTensorType">;

//===----------------------------------------------------------------------===//
// Stored tensors
//===----------------------------------------------------------------------===//

def Nn_ParameterOp : Nn_Op<"parameter", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a stored tensor, its initial value in the weights file";
  let description = [{
    The symbol is the tensor's name in the model and its key in the weights
    file that the module names. The role says whether training changes it.

    ```mlir
    nn.parameter @"fc1.weight" parameter : tensor<512x784xf32>
    nn.parameter @mask frozen : tensor<16x16xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Nn_Role:$role,
                       TypeAttrOf<Nn_Tensor>:$type);
  let assemblyFormat = "$sym_name $role `:` $type attr-dict";
}

def Nn_GetOp : Nn_PureOp<"get", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a stored tensor";
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Nn_Tensor:$value);
  let assemblyFormat = "$parameter `:` type($value) attr-dict";
}

def Nn_LayoutOp : Nn_Op<"layout", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "how named tensors lie in one flat vector";
  let description = [{
    Slots are contiguous, in readiness order (the order in which the backward
    pass completes their gradients), each in canonical row-major order.

    ```mlir
    nn.layout @params [#nn.slot<"fc2.weight" : tensor<10x512xf32> at 0 parameter>,
                       #nn.slot<"fc2.bias" : tensor<10xf32> at 5120 parameter>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<Nn_SlotAttr, "slots">:$slots);
  let assemblyFormat = "$sym_name $slots attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of the flat vector.
    int64_t getSize();
    /// The slot called `name`, or a null attribute.
    SlotAttr lookup(::llvm::StringRef name);
    auto slots() { return getSlots().getAsRange<SlotAttr>(); }
  }];
}

def Nn_UnpackOp : Nn_PureOp<"unpack", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one slot of a flat vector; a view, never a copy";
  let description = [{
    ```mlir
    %w1 = nn.unpack %w @params["fc1.weight"] : tensor<669706xf32> -> tensor<512x784xf32>
    ```
  }];
  let arguments = (ins Nn_Vector:$flat, FlatSymbolRefAttr:$layout, StrAttr:$slot);
  let results = (outs Nn_FloatTensor:$value);
  let assemblyFormat = [{
    $flat $layout `[` $slot `]` `:` type($flat) `->` type($value) attr-dict
  }];
  let hasFolder = 1;
}

def Nn_PackOp : Nn_PureOp<"pack", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a flat vector from all slots of its layout, in slot order";
  let arguments = (ins FlatSymbolRefAttr:$layout, Variadic<Nn_FloatTensor>:$values);
  let results = (outs Nn_Vector:$flat);
  let assemblyFormat = [{
    $layout `(` $values `)` `:` functional-type($values, $flat) attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Products, shapes
//===----------------------------------------------------------------------===//

def Nn_MatmulOp : Nn_PureOp<"matmul", [Nn_Differentiable]> {
  let summary = "matrix product, either operand optionally transposed";
  let description = [{
    ```mlir
    %y = nn.matmul %x, %w {transpose_rhs} : tensor<64x784xf32>, tensor<512x784xf32> -> tensor<64x512xf32>
    ```
  }];
  let arguments = (ins Nn_Matrix:$lhs, Nn_Matrix:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Nn_Matrix:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Nn_BroadcastOp : Nn_PureOp<"broadcast", [Nn_Differentiable]> {
  let summary = "repeats a tensor along new dimensions";
  let description = [{
    Dimension i of the operand becomes dimension `dims[i]` of the result.

    ```mlir
    %b2 = nn.broadcast %b dims [1] : tensor<512xf32> -> tensor<64x512xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ReduceOp : Nn_PureOp<"reduce", [Nn_Differentiable]> {
  let summary = "combines elements along dimensions, which disappear";
  let description = [{
    ```mlir
    %db = nn.reduce sum %g dims [0] : tensor<64x512xf32> -> tensor<512xf32>
    ```
  }];
  let arguments = (ins Nn_ReduceKind:$kind, Nn_Tensor:$input,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$kind $input `dims` $dims attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_TransposeOp : Nn_PureOp<"transpose", [Nn_Differentiable]> {
  let summary = "permutes dimensions: result dimension i is input dimension perm[i]";
  let arguments = (ins Nn_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `perm` $perm attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nn_ReshapeOp : Nn_PureOp<"reshape", [Nn_Differentiable]> {
  let summary = "the same elements in row-major order under another shape; a view";
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Activations: operations whose gradient is best taken from their *output*
//===----------------------------------------------------------------------===//

class Nn_Activation<string mnemonic>
    : Nn_PureOp<mnemonic, [Nn_Differentiable, SameOperandsAndResultType, Elementwise]> {
  let arguments = (ins Nn_FloatTensor:$input);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Nn_ReluOp : Nn_Activation<"relu"> {
  let summary = "max(0, x); NaN passes through";
  let hasFolder = 1;
}

def Nn_SigmoidOp : Nn_Activation<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
}

//===----------------------------------------------------------------------===//
// Normalised scores and losses
//===----------------------------------------------------------------------===//

class Nn_RowOp<string mnemonic> : Nn_PureOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins Nn_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Nn_FloatTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Nn_SoftmaxOp : Nn_RowOp<"softmax"> {
  let summary = "softmax along an axis; the loss absorbs it at the end of a model";
}

def Nn_LogSoftmaxOp : Nn_RowOp<"log_softmax"> {
  let summary = "logarithm of softmax; the loss absorbs it at the end of a model";
}

def Nn_SoftmaxCrossEntropyOp
    : Nn_PureOp<"softmax_cross_entropy", [Nn_Differentiable]> {
  let summary = "per-sample cross-entropy of softmax(logits) against a class";
  let description = [{
    `loss[i] = log(sum_j exp(logits[i, j])) - logits[i, labels[i]]`, computed
    with the row maximum taken out. The runtime checks labels before the first
    step, so they lie inside the row.
  }];
  let arguments = (ins Nn_Matrix:$logits, Nn_Classes:$labels);
  let results = (outs Nn_Vector:$losses);
  let assemblyFormat = [{
    $logits `,` $labels attr-dict `:` type($logits) `,` type($labels) `->` type($losses)
  }];
  let hasVerifier = 1;
}

def Nn_SoftmaxCrossEntropyGradOp : Nn_PureOp<"softmax_cross_entropy_grad", [
    AllTypesMatch<["logits", "result"]>]> {
  let summary = "(softmax(logits) - onehot(labels)) times a gradient per sample";
  let arguments = (ins Nn_Matrix:$logits, Nn_Classes:$labels, Nn_Vector:$gradient);
  let results = (outs Nn_Matrix:$result);
  let assemblyFormat = [{
    $logits `,` $labels `,` $gradient attr-dict `:` type($logits) `,` type($labels) `,` type($gradient)
  }];
  let hasVerifier = 1;
}

def Nn_CountCorrectOp : Nn_PureOp<"count_correct"> {
  let summary = "how many rows of weight > 0 have their largest score at the label";
  let description = [{The first of equal scores counts, as in argmax.}];
  let arguments = (ins Nn_Matrix:$scores, Nn_Classes:$labels, Nn_Vector:$weights);
  let results = (outs 0DTensorOf<[I64]>:$count);
  let assemblyFormat = [{
    $scores `,` $labels `,` $weights attr-dict
    `:` type($scores) `,` type($labels) `,` type($weights) `->` type($count)
  }];
  let hasVerifier = 1;
}

#endif // RUBATO_NN_OPS_TD
