// How an operation takes part in reverse-mode differentiation.
#ifndef RUBATO_NN_INTERFACES_TD
#define RUBATO_NN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::rubato::nn";
  let description = [{
    The gradient rule of one operation. Upstream operations receive it by
    external models (`registerDifferentiableModels`). Every operation that
    implements this interface has a finite-difference test in f64.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the gradients of the operands from the gradients of the results.
        A null entry in `resultGradients` means zero; leave an entry of
        `operandGradients` null where no gradient flows.
      }],
      "::llvm::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultGradients,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandGradients)>,
    InterfaceMethod<[{
        Whether a gradient can flow through operand `index`. By default it does
        for every tensor of floating-point numbers.
      }],
      "bool", "flowsGradient", (ins "unsigned":$index), [{}], [{
        auto type = ::llvm::dyn_cast<::mlir::ShapedType>(
            $_op->getOperand(index).getType());
        return type && ::llvm::isa<::mlir::FloatType>(type.getElementType());
      }]>
  ];
}

#endif // RUBATO_NN_INTERFACES_TD
