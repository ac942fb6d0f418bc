// Opens and checks the weights file of a module.
#include "rubato/Support/Weights.h"

#include "rubato/Support/Stage.h"

#include "runtime/abi/weights_format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace rubato;

/// The format that the header's __metadata__ names.
static std::string readFormat(StringRef file) {
  if (file.size() < 8)
    return "";
  uint64_t size = llvm::support::endian::read64le(file.data());
  if (size > file.size() - 8)
    return "";
  auto header = llvm::json::parse(file.substr(8, size));
  if (!header) {
    llvm::consumeError(header.takeError());
    return "";
  }
  if (auto *object = header->getAsObject())
    if (auto *metadata = object->getObject("__metadata__"))
      if (auto format = metadata->getString("format"))
        return format->str();
  return "";
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
rubato::openWeights(ModuleOp module, StringRef directory) {
  auto name = module->getAttrOfType<StringAttr>(kWeightsAttr);
  if (!name)
    return module.emitError("names no weights file, so it cannot be linked; "
                            "write stage files with -o or --dump-stages");
  llvm::SmallString<256> path(name.getValue());
  if (llvm::sys::path::is_relative(path)) {
    path = directory;
    llvm::sys::path::append(path, name.getValue());
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return module.emitError("cannot read its weights '")
           << path << "': " << buffer.getError().message()
           << "; keep the file beside the module";
  StringRef bytes = (*buffer)->getBuffer();
  auto digest = module->getAttrOfType<StringAttr>(kDigestAttr);
  if (digest) {
    std::string found = llvm::toHex(
        llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), true);
    if (found != digest.getValue())
      return module.emitError("weights '")
             << path << "' are not the ones this module was made with "
             << "(digest differs); compile again from the ONNX model";
  }
  if (readFormat(bytes) != weightsFormat)
    return module.emitError("weights '")
           << path << "' are of another version of Rubato; compile again from "
           << "the ONNX model";
  return std::move(*buffer);
}
