// What `rubato check` found, apart from how it is printed; internal.
#ifndef RUBATO_LIB_IMPORT_CHECKREPORT_H
#define RUBATO_LIB_IMPORT_CHECKREPORT_H

#include "Importer.h"

namespace rubato {

struct CheckReport {
  std::string path;
  std::optional<onnx::Model> model;   // nothing if the file is broken
  std::optional<onnx::RolePlan> plan; // nothing if an option is wrong
  std::map<std::string, size_t> operators;
  MissingOps missing;
  onnx::Diagnostics diagnostics;
};

/// "yes", "at the end", "not needed" or "missing".
llvm::StringRef gradientText(llvm::StringRef op);

void printText(const CheckReport &report, llvm::raw_ostream &out);
void printJson(const CheckReport &report, llvm::raw_ostream &out);

} // namespace rubato

#endif // RUBATO_LIB_IMPORT_CHECKREPORT_H
