// Registration of the gsync dialect's types and operations.
#include "dialects/gsync/Gsync.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/gsync/GsyncDialect.cpp.inc"
#include "dialects/gsync/GsyncEnums.cpp.inc"
#include "dialects/gsync/GsyncInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/gsync/GsyncTypes.cpp.inc"

void rubato::gsync::GsyncDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/gsync/GsyncTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/gsync/GsyncOps.cpp.inc"
      >();
}
