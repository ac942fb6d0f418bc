// How the facts of a kernel are written, and which of them go together.
#include "dialects/nn/Nn.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace rubato::nn;

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  llvm::SMLoc place = parser.getCurrentLocation();
  FailureOr<KernelKind> kind = KernelKind::Elementwise;
  std::optional<int64_t> split, workspace;
  bool indexByIndex = false;
  if (parser.parseLess() ||
      failed(kind = FieldParser<KernelKind>::parse(parser)))
    return {};
  auto number = [&](std::optional<int64_t> &fact) -> ParseResult {
    if (fact)
      return parser.emitError(parser.getCurrentLocation(), "is said twice");
    return failure(parser.parseEqual() || parser.parseInteger(fact.emplace()));
  };
  while (succeeded(parser.parseOptionalComma())) {
    StringRef fact;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&fact))
      return {};
    if (fact == "index_by_index" && !indexByIndex) {
      indexByIndex = true;
    } else if (fact == "split" || fact == "workspace") {
      if (number(fact == "split" ? split : workspace))
        return {};
    } else {
      parser.emitError(at, "expected split, index_by_index or workspace, each "
                           "at most once");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<KernelAttr>(place, parser.getContext(), *kind,
                                       split.value_or(1), indexByIndex,
                                       workspace.value_or(0));
}

void KernelAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyKernelKind(getKind());
  if (getSplit() != 1)
    printer << ", split = " << getSplit();
  if (getIndexByIndex())
    printer << ", index_by_index";
  if (getWorkspace() != 0)
    printer << ", workspace = " << getWorkspace();
  printer << ">";
}

LogicalResult KernelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 KernelKind kind, int64_t split,
                                 bool indexByIndex, int64_t workspace) {
  if (split < 1)
    return emitError() << "a launch has at least one unit, not " << split;
  if (workspace < 0)
    return emitError() << "workspace is a number of bytes, not " << workspace;
  if (indexByIndex && kind != KernelKind::Elementwise)
    return emitError() << "only an elementwise kernel is computed index by "
                          "index, not one of kind "
                       << stringifyKernelKind(kind);
  return success();
}
