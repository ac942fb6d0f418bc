// Element types, and the heads of IDX files.
#include "data/array.h"

using namespace rubato;

int64_t rubato::elementBytes(ElementType type) {
  switch (type) {
  case ElementType::U8:
  case ElementType::I8:
    return 1;
  case ElementType::I16:
    return 2;
  case ElementType::I32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  return 0;
}

const char *rubato::elementName(ElementType type) {
  switch (type) {
  case ElementType::U8:
    return "uint8";
  case ElementType::I8:
    return "int8";
  case ElementType::I16:
    return "int16";
  case ElementType::I32:
    return "int32";
  case ElementType::I64:
    return "int64";
  case ElementType::F32:
    return "float32";
  case ElementType::F64:
    return "float64";
  }
  return "";
}

std::string rubato::shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

int64_t Array::elementsPerSample() const {
  int64_t count = 1; // the product was checked by finishHeader
  for (size_t i = 1; i < shape.size(); ++i)
    count *= shape[i];
  return count;
}

Status rubato::finishHeader(ArrayHeader &header) {
  constexpr size_t maxRank = 8;
  if (header.shape.empty())
    return Status::user("holds a scalar; the first dimension must count the "
                        "samples");
  if (header.shape.size() > maxRank)
    return Status::user("has " + std::to_string(header.shape.size()) +
                        " dimensions; at most 8 are supported");
  int64_t bytes = elementBytes(header.type);
  for (int64_t extent : header.shape) {
    if (extent <= 0)
      return Status::user("has no elements (shape " + shapeText(header.shape) +
                          ")");
    // Half the range: offsets can then be added without overflow.
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > INT64_MAX / 2)
      return Status::user("claims an impossible shape, " +
                          shapeText(header.shape) + "; the file is damaged");
  }
  header.dataBytes = bytes;
  return Status::ok();
}

Status rubato::parseIdxHeader(const unsigned char *bytes, size_t size,
                              ArrayHeader &header) {
  if (size < 4)
    return Status::user("is cut short inside the IDX header");
  switch (bytes[2]) {
  case 0x08:
    header.type = ElementType::U8;
    break;
  case 0x09:
    header.type = ElementType::I8;
    break;
  case 0x0B:
    header.type = ElementType::I16;
    break;
  case 0x0C:
    header.type = ElementType::I32;
    break;
  case 0x0D:
    header.type = ElementType::F32;
    break;
  case 0x0E:
    header.type = ElementType::F64;
    break;
  default:
    return Status::user("has the unknown IDX element type " +
                        std::to_string(bytes[2]) + "; the file is damaged");
  }
  size_t rank = bytes[3];
  if (size < 4 + 4 * rank)
    return Status::user("is cut short inside the IDX header");
  header.shape.clear();
  for (size_t i = 0; i < rank; ++i) {
    const unsigned char *p = bytes + 4 + 4 * i;
    header.shape.push_back(int64_t{p[0]} << 24 | int64_t{p[1]} << 16 |
                           int64_t{p[2]} << 8 | int64_t{p[3]});
  }
  header.dataOffset = static_cast<int64_t>(4 + 4 * rank);
  header.bigEndian = true;
  return finishHeader(header);
}
