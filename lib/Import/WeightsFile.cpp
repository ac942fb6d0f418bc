// Initial values as a safetensors file: eight bytes with the header's length,
// a JSON header, the data without gaps.
#include "WeightsFile.h"

#include "runtime/abi/weights_format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace rubato;

namespace {
/// Sends bytes to a file and to its digest.
class HashedOutput {
public:
  explicit HashedOutput(raw_ostream &out) : out(out) {}
  void write(StringRef bytes) {
    out << bytes;
    hash.update(bytes);
  }
  std::string digest() { return toHex(hash.final(), /*LowerCase=*/true); }

private:
  raw_ostream &out;
  SHA256 hash;
};
} // namespace

static size_t elementBytes(FloatKind floats) {
  return floats == FloatKind::F64 ? 8 : 4;
}

static std::string headerText(ArrayRef<const onnx::StoredTensor *> tensors,
                              const onnx::Template &inference,
                              FloatKind floats) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream header(stream);
  int64_t offset = 0;
  auto entry = [&](StringRef name, StringRef type,
                   const std::vector<int64_t> &dims, int64_t bytes) {
    header.attributeObject(name, [&] {
      header.attribute("dtype", type);
      header.attributeArray("shape", [&] {
        for (int64_t dim : dims)
          header.value(dim);
      });
      header.attributeArray("data_offsets", [&] {
        header.value(offset);
        header.value(offset += bytes);
      });
    });
  };
  header.object([&] {
    header.attributeObject("__metadata__", [&] {
      header.attribute("format", weightsFormat);
      // Values of metadata are texts: where the tensor goes, and as what.
      for (const onnx::Hole &hole : inference.holes)
        header.attribute(
            holePrefix + hole.tensor,
            std::string(hole.type == onnx::DataType::Double ? "F64 " : "F32 ") +
                std::to_string(hole.offset) + " " +
                std::to_string(hole.offset + hole.bytes));
    });
    for (const onnx::StoredTensor *each : tensors)
      entry(each->name, floats == FloatKind::F64 ? "F64" : "F32",
            each->tensor.dims,
            each->tensor.elements() *
                static_cast<int64_t>(elementBytes(floats)));
    auto bytes = static_cast<int64_t>(inference.bytes.size());
    entry(templateTensor, "U8", {bytes}, bytes);
  });
  // Data begins at a cache line, so a mapped file can be used in place.
  constexpr size_t alignment = 64;
  while ((text.size() + 8) % alignment != 0)
    text.push_back(' ');
  return text;
}

/// Writes elements as `T`, whatever the file has.
template <typename T>
static void writeElements(const onnx::Tensor &tensor, HashedOutput &out) {
  constexpr int64_t chunk = 1 << 14;
  std::vector<T> buffer;
  for (int64_t begin = 0, end = tensor.elements(); begin < end;) {
    int64_t count = std::min(chunk, end - begin);
    buffer.clear();
    for (int64_t i = 0; i < count; ++i)
      buffer.push_back(static_cast<T>(tensor.floatAt(begin + i)));
    out.write(StringRef(reinterpret_cast<const char *>(buffer.data()),
                        buffer.size() * sizeof(T)));
    begin += count;
  }
}

std::optional<std::string>
rubato::writeWeights(const std::string &path,
                     ArrayRef<const onnx::StoredTensor *> tensors,
                     const onnx::Template &inference, FloatKind floats,
                     onnx::Diagnostics &diagnostics) {
  std::string header = headerText(tensors, inference, floats);
  std::string digest;
  auto write = [&](raw_ostream &stream) -> Error {
    HashedOutput out(stream);
    uint64_t length = header.size();
    char prefix[8];
    for (int i = 0; i < 8; ++i)
      prefix[i] = static_cast<char>(length >> (8 * i));
    out.write(StringRef(prefix, sizeof(prefix)));
    out.write(header);
    for (const onnx::StoredTensor *each : tensors) {
      if (floats == FloatKind::F64)
        writeElements<double>(each->tensor, out);
      else
        writeElements<float>(each->tensor, out);
    }
    out.write(inference.bytes);
    digest = out.digest();
    return Error::success();
  };
  // Goes to a temporary file that takes the name at the end.
  if (Error failure = writeToOutput(path, write)) {
    // The reason names the file.
    diagnostics.error("", "cannot write the weights: " +
                              toString(std::move(failure)));
    return std::nullopt;
  }
  return digest;
}
