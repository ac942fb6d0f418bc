// The sched dialect: what C++ code includes to use it.
#ifndef RUBATO_DIALECTS_SCHED_SCHED_H
#define RUBATO_DIALECTS_SCHED_SCHED_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/sched/SchedDialect.h.inc"
#include "dialects/sched/SchedEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/sched/SchedAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/sched/SchedTypes.h.inc"

namespace rubato::sched {

/// One declared access of an operation in a segment.
struct Access {
  RangeAttr range;
  bool isWrite;
};

namespace detail {
mlir::LogicalResult verifyInProgram(mlir::Operation *op);
} // namespace detail

/// The operation lies in a `sched.program`, at any depth of its control flow.
template <typename ConcreteType>
class InProgram : public mlir::OpTrait::TraitBase<ConcreteType, InProgram> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyInProgram(op);
  }
};

/// A number that the runtime knows; the call has the operation's name.
template <typename ConcreteType>
class IsFact : public mlir::OpTrait::TraitBase<ConcreteType, IsFact> {};

/// Bytes of one element of a scalar type the arena can hold (f32, f64, i64).
inline int64_t bytesOf(mlir::Type scalar) {
  return scalar.getIntOrFloatBitWidth() / 8;
}

} // namespace rubato::sched

#include "dialects/sched/SchedInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/sched/SchedOps.h.inc"

#endif // RUBATO_DIALECTS_SCHED_SCHED_H
