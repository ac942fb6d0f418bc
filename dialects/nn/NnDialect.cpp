// Registration of the nn dialect's attributes and operations.
#include "dialects/nn/Nn.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/nn/NnDialect.cpp.inc"
#include "dialects/nn/NnEnums.cpp.inc"
#include "dialects/nn/NnInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.cpp.inc"

void rubato::nn::NnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
}
