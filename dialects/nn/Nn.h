// The nn dialect: what C++ code includes to use it.
#ifndef RUBATO_DIALECTS_NN_NN_H
#define RUBATO_DIALECTS_NN_NN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.h.inc"
#include "dialects/nn/NnInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"

namespace rubato::nn {

/// On an argument or a result of a training function: its role.
inline constexpr llvm::StringLiteral kRoleAttr = "nn.role";
/// On an input, an output or a label: what the user calls it.
inline constexpr llvm::StringLiteral kNameAttr = "nn.name";

/// Gives upstream operations (arith, math) their gradient rules.
void registerDifferentiableModels(mlir::DialectRegistry &registry);

/// A constant tensor of `type` filled with `value`.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                  double value);

} // namespace rubato::nn

#endif // RUBATO_DIALECTS_NN_NN_H
