// The ONNX operators that the importer knows.
#ifndef RUBATO_IMPORT_OPTABLE_H
#define RUBATO_IMPORT_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace rubato {

class NodeImporter;

/// Whether training can go backwards through an operator.
enum class Gradient {
  Yes,
  AtEnd,  // only as the model's last operation, where the loss absorbs it
  Integer // acts on shapes and other integers, which have no gradient
};

struct OpSupport {
  llvm::StringRef name;
  unsigned minInputs, maxInputs;
  llvm::StringRef attributes; // those that we know, separated by blanks
  Gradient gradient;
  llvm::LogicalResult (*import)(NodeImporter &);
};

/// All known operators, by name.
llvm::ArrayRef<OpSupport> supportedOps();

/// The entry of one operator of the standard domain, or null.
const OpSupport *findOp(llvm::StringRef domain, llvm::StringRef name);

} // namespace rubato

#endif // RUBATO_IMPORT_OPTABLE_H
