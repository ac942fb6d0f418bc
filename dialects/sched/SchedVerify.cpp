// Rules that verifiers of the dialect share.
#include "dialects/sched/SchedVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato::sched;

/// Elements that the runtime knows.
static bool isElement(Type type) {
  return type.isF32() || type.isF64() || type.isSignlessInteger(64);
}

int64_t rubato::sched::sizeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return bytesOf(getElementTypeOrSelf(type)) *
         (tensor ? tensor.getNumElements() : 1);
}

LogicalResult rubato::sched::checkElement(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (isElement(getElementTypeOrSelf(type)) &&
      (!shaped || (isa<RankedTensorType>(type) && shaped.hasStaticShape())))
    return success();
  return op->emitOpError("has the type ")
         << type << "; it must be f32, f64 or i64, or a tensor of them with a "
         << "static shape";
}

LogicalResult rubato::sched::checkFilled(Operation *op,
                                         SymbolTableCollection &symbols,
                                         FlatSymbolRefAttr name, int64_t size,
                                         Type element,
                                         ArrayRef<ArenaRegion> regions) {
  BufferOp buffer = findBuffer(op, symbols, name);
  if (!buffer)
    return failure();
  if (!llvm::is_contained(regions, buffer.getRegion())) {
    InFlightDiagnostic diag = op->emitOpError("cannot lie in the ")
                              << stringifyArenaRegion(buffer.getRegion())
                              << " region, only in ";
    llvm::interleave(
        regions, diag,
        [&](ArenaRegion region) { diag << stringifyArenaRegion(region); },
        " or ");
    diag.attachNote(buffer.getLoc()) << "the buffer is here";
    return diag;
  }
  if (int64_t(buffer.getBytes()) != size) {
    InFlightDiagnostic diag = op->emitOpError("needs ")
                              << size << " bytes but " << name << " has "
                              << buffer.getBytes();
    diag.attachNote(buffer.getLoc()) << "the buffer is here";
    return diag;
  }
  return checkAligned(op, buffer, 0, element);
}

LogicalResult rubato::sched::checkProgram(Operation *op,
                                          SymbolTableCollection &symbols,
                                          StringRef what,
                                          FlatSymbolRefAttr name, bool hasGo) {
  if (!name)
    return success();
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(op, name);
  if (!program)
    return op->emitOpError(what) << " names no sched.program: " << name;
  if (program.getResult().has_value() == hasGo)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError(what)
      << " needs a program "
      << (hasGo ? "that returns an i1" : "that returns nothing");
  diag.attachNote(program.getLoc()) << "the program is here";
  return diag;
}
