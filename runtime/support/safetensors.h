// Named tensors in one blob: reading and writing the safetensors format.
//
// The blob is 8 bytes of header length (little endian), a JSON header, then
// the data. It may come from anywhere, so nothing in it is trusted.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rubato {

/// Element types of the format that have a fixed number of bytes.
enum class TensorType {
  Bool,
  U8,
  I8,
  U16,
  I16,
  F16,
  BF16,
  U32,
  I32,
  F32,
  U64,
  I64,
  F64
};

/// The format's name of a type ("F32") and the bytes of one element.
const char *tensorTypeName(TensorType type);
int64_t tensorTypeBytes(TensorType type);

/// A tensor inside a blob; not owned, and not aligned in any way: read its
/// elements by memcpy.
struct TensorView {
  TensorType dtype = TensorType::F32;
  std::vector<int64_t> shape;
  const void *data = nullptr;
  int64_t size = 0; // bytes

  /// Product of the shape.
  int64_t count() const { return size / tensorTypeBytes(dtype); }
};

/// The tensors of a blob, by name. The blob outlives the views.
using TensorMap = std::map<std::string, TensorView>;

/// What a blob says about itself: texts by name.
using TensorMetadata = std::map<std::string, std::string>;

/// Parses and checks the whole header: offsets lie in the blob, fit the shape
/// and do not overlap.
Status readSafetensors(const void *blob, uint64_t size, TensorMap &tensors,
                       TensorMetadata *metadata = nullptr);

/// One tensor of a blob. To look up several, use readSafetensors once.
Status findTensor(const void *blob, uint64_t size, const std::string &name,
                  TensorView &tensor);

/// Writes tensors to `path`, atomically (see writeFileAtomically).
Status writeSafetensors(const std::string &path, const TensorMap &tensors,
                        const TensorMetadata &metadata = {});

} // namespace rubato
