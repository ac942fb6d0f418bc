// The gsync dialect: what C++ code includes to use it.
#ifndef RUBATO_DIALECTS_GSYNC_GSYNC_H
#define RUBATO_DIALECTS_GSYNC_GSYNC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/gsync/GsyncDialect.h.inc"
#include "dialects/gsync/GsyncEnums.h.inc"
#include "dialects/gsync/GsyncInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gsync/GsyncTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/gsync/GsyncOps.h.inc"

#endif // RUBATO_DIALECTS_GSYNC_GSYNC_H
