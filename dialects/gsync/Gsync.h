// The gsync dialect: what C++ code includes to use it.
#ifndef RUBATO_DIALECTS_GSYNC_GSYNC_H
#define RUBATO_DIALECTS_GSYNC_GSYNC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/gsync/GsyncDialect.h.inc"
#include "dialects/gsync/GsyncEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/gsync/GsyncAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gsync/GsyncTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/gsync/GsyncOps.h.inc"

namespace rubato::gsync {

/// The policy that a question goes to; null where the name is wrong.
PolicyOp policyOf(AskOp ask);

/// Whether an operation may wait for another member or strand.
bool mayBlock(mlir::Operation *op);

/// Whether an operation may fail when a member is lost; the round then runs
/// again from its boundary.
bool mayFail(mlir::Operation *op);

/// The channel an operation talks over, or null.
mlir::FlatSymbolRefAttr channelOf(mlir::Operation *op);

/// Whether an operation starts a collective.
bool isCollective(mlir::Operation *op);

} // namespace rubato::gsync

#endif // RUBATO_DIALECTS_GSYNC_GSYNC_H
