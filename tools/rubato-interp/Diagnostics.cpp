// Prints diagnostics in one line each, without the operations themselves.
#include "tools/rubato-interp/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace rubato::interp {

static std::string placeOf(Location location, StringRef input) {
  std::string text = input.str();
  LocationAttr(location).walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
           ":" + std::to_string(file.getColumn());
    return WalkResult::interrupt();
  });
  return text;
}

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  default:
    return "note";
  }
}

void printDiagnostic(Diagnostic &diagnostic, StringRef input) {
  llvm::errs() << placeOf(diagnostic.getLocation(), input) << ": "
               << nameOf(diagnostic.getSeverity()) << ": " << diagnostic
               << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    llvm::errs() << placeOf(note.getLocation(), input) << ": note: " << note
                 << "\n";
}

} // namespace rubato::interp
