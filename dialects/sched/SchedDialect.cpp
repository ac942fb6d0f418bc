// Registration of the sched dialect, and its attributes' own rules.
#include "dialects/sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato::sched;

#include "dialects/sched/SchedDialect.cpp.inc"
#include "dialects/sched/SchedEnums.cpp.inc"
#include "dialects/sched/SchedInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/sched/SchedAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/sched/SchedTypes.cpp.inc"

void SchedDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/sched/SchedAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/sched/SchedTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/sched/SchedOps.cpp.inc"
      >();
}

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                FlatSymbolRefAttr buffer, int64_t offset) {
  if (offset < 0)
    return emitError() << "offset in " << buffer
                       << " must not be negative, it is " << offset;
  return success();
}

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                FlatSymbolRefAttr buffer, int64_t offset,
                                int64_t size) {
  if (failed(PlaceAttr::verify(emitError, buffer, offset)))
    return failure();
  if (size <= 0)
    return emitError() << "range in " << buffer
                       << " must hold at least one byte, its size is " << size;
  return success();
}

LogicalResult
TypedRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       FlatSymbolRefAttr buffer, int64_t offset, int64_t size,
                       Type type) {
  if (failed(RangeAttr::verify(emitError, buffer, offset, size)))
    return failure();
  if (!type.isF32() && !type.isF64() && !type.isSignlessInteger(64))
    return emitError() << "elements in " << buffer
                       << " must be f32, f64 or i64, not " << type;
  if (size % bytesOf(type))
    return emitError() << "range in " << buffer << " holds " << size
                       << " bytes, which is no whole number of " << type;
  return success();
}

RangeAttr TypedRangeAttr::getRange() const {
  return RangeAttr::get(getContext(), getBuffer(), getOffset(), getSize());
}

int64_t TypedRangeAttr::getCount() const {
  return getSize() / bytesOf(getType());
}
