// Registration of the nn dialect's attributes and operations, and the rules of
// attributes that stand on others' operations.
#include "dialects/nn/TrainingSignature.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
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

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

using namespace rubato;
using namespace rubato::nn;

LogicalResult ArgumentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArgumentRole role, int64_t classes) {
  if (classes == 0)
    return success();
  if (role != ArgumentRole::Label)
    return emitError() << "only a label has classes, not '"
                       << stringifyArgumentRole(role) << "'";
  if (classes < 2)
    return emitError() << "a label has at least 2 classes, not " << classes;
  return success();
}

/// `kind` is what `nn.role` must be there.
template <typename Kind>
static LogicalResult verifyAttribute(Operation *op, NamedAttribute attr,
                                     StringRef where, StringRef kind) {
  if (attr.getName() == kNameAttr) {
    if (isa<StringAttr>(attr.getValue()))
      return success();
    return op->emitError() << kNameAttr << " of " << where
                           << " must be a string";
  }
  if (attr.getName() != kRoleAttr)
    return op->emitError() << where << " has the unknown attribute "
                           << attr.getName() << "; nn has " << kNameAttr
                           << " and " << kRoleAttr;
  if (!isa<Kind>(attr.getValue()))
    return op->emitError() << kRoleAttr << " of " << where << " must be a "
                           << kind << ", not " << attr.getValue();
  return success();
}

LogicalResult NnDialect::verifyRegionArgAttribute(Operation *op,
                                                  unsigned regionIndex,
                                                  unsigned argIndex,
                                                  NamedAttribute attr) {
  std::string where = "argument " + std::to_string(argIndex);
  if (failed(verifyAttribute<ArgumentAttr>(op, attr, where, "#nn.argument")))
    return failure();
  auto role = dyn_cast<ArgumentAttr>(attr.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!role || !role.getClasses() || !function)
    return success();
  Type type = function.getArgumentTypes()[argIndex];
  if (!getElementTypeOrSelf(type).isInteger(64))
    return op->emitError() << where << " is a label of " << role.getClasses()
                           << " classes, so its elements are i64, not " << type;
  return success();
}

LogicalResult NnDialect::verifyRegionResultAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned resultIndex,
                                                     NamedAttribute attr) {
  return verifyAttribute<ResultAttr>(
      op, attr, "result " + std::to_string(resultIndex), "#nn.result");
}
