// The file beside a module that holds initial values; internal.
#ifndef RUBATO_LIB_IMPORT_WEIGHTSFILE_H
#define RUBATO_LIB_IMPORT_WEIGHTSFILE_H

#include "rubato/Import/Import.h"
#include "rubato/Import/Template.h"

namespace rubato {

/// Writes `tensors` and `inference` to a safetensors file, all or nothing, and
/// returns the SHA-256 of its bytes in hexadecimal.
std::optional<std::string>
writeWeights(const std::string &path,
             llvm::ArrayRef<const onnx::StoredTensor *> tensors,
             const onnx::Template &inference, FloatKind floats,
             onnx::Diagnostics &diagnostics);

} // namespace rubato

#endif // RUBATO_LIB_IMPORT_WEIGHTSFILE_H
