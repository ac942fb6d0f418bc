// Registration of the gsync dialect's types, operations and interfaces.
#include "dialects/gsync/Gsync.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/gsync/GsyncDialect.cpp.inc"
#include "dialects/gsync/GsyncEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/gsync/GsyncAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gsync/GsyncTypes.cpp.inc"

namespace {
/// Functions may be inlined into programs, and helpers of programs into each
/// other: nothing in gsync depends on which function it stands in.
struct GsyncInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void rubato::gsync::GsyncDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/gsync/GsyncAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/gsync/GsyncTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/gsync/GsyncOps.cpp.inc"
      >();
  addInterfaces<GsyncInliner>();
}
