// A data set as it lies in memory, and how it gets there from a file.
#pragma once

#include "data/mapping.h"
#include "support/status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rubato {

enum class ElementType { U8, I8, I16, I32, I64, F32, F64 };

int64_t elementBytes(ElementType type);
const char *elementName(ElementType type); // "uint8"
inline bool isInteger(ElementType type) { return type < ElementType::F32; }

/// "60000x28x28"
std::string shapeText(const std::vector<int64_t> &shape);

/// Dense, C order, the machine's byte order; not necessarily aligned. The
/// outermost dimension counts samples.
struct Array {
  std::string file; // for messages
  ElementType type = ElementType::U8;
  std::vector<int64_t> shape;
  const char *data = nullptr;
  std::shared_ptr<Mapping> owner;

  int64_t samples() const { return shape.empty() ? 0 : shape[0]; }
  int64_t elementsPerSample() const;
};

/// What the head of an IDX or npy file says.
struct ArrayHeader {
  ElementType type = ElementType::U8;
  std::vector<int64_t> shape;
  int64_t dataOffset = 0; // bytes before the first element
  int64_t dataBytes = 0;
  bool bigEndian = false;
};

/// Parse the head of a file from its first `size` bytes. Messages do not name
/// the file.
Status parseIdxHeader(const unsigned char *bytes, size_t size,
                      ArrayHeader &header);
Status parseNpyHeader(const unsigned char *bytes, size_t size,
                      ArrayHeader &header);

/// Checks the shape and computes dataBytes without overflow.
Status finishHeader(ArrayHeader &header);

/// Headers longer than this are refused; real ones have about 100 bytes.
inline constexpr size_t maxHeaderBytes = 1 << 16;

/// Reads an IDX or npy file, plain or gzipped, told apart by its first bytes.
/// Plain files are mapped, not read; gzipped ones are unpacked into shared
/// pages. The file is not trusted.
Status loadArray(const std::string &path, Array &array);

} // namespace rubato
