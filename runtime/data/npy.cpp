// The head of an npy file: magic, version, length, and a Python dictionary
// such as {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }.
#include "data/array.h"

#include <string_view>

using namespace rubato;

namespace {

/// Reads just the literals that NumPy writes: strings, True, False, tuples of
/// whole numbers.
class DictReader {
public:
  explicit DictReader(std::string_view text) : rest(text) {}

  bool take(char c) {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
    if (rest.empty() || rest[0] != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }

  bool string(std::string_view &value) {
    char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    size_t end = quote ? rest.find(quote) : rest.npos;
    if (end == rest.npos)
      return false;
    value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool &value) {
    take(' ');
    for (auto [word, meaning] :
         {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (rest.substr(0, word.size()) == word) {
        rest.remove_prefix(word.size());
        value = meaning;
        return true;
      }
    return false;
  }

  bool tuple(std::vector<int64_t> &values) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t value;
      if (!number(value) || values.size() == 64)
        return false;
      values.push_back(value);
      if (!take(',')) // the last element may go without a comma
        return take(')');
    }
    return true;
  }

private:
  bool number(int64_t &value) {
    take(' ');
    value = 0;
    size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
         ++digits)
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{rest[digits] - '0'}, &value))
        return false;
    rest.remove_prefix(digits);
    take('L'); // Python 2 wrote long integers so
    return digits > 0;
  }

  std::string_view rest;
};

Status elementType(std::string_view descr, ElementType &type) {
  struct Known {
    std::string_view name;
    ElementType type;
  };
  static constexpr Known known[] = {
      {"f4", ElementType::F32}, {"f8", ElementType::F64},
      {"i1", ElementType::I8},  {"u1", ElementType::U8},
      {"i2", ElementType::I16}, {"i4", ElementType::I32},
      {"i8", ElementType::I64}};
  if (descr.size() == 3)
    for (const Known &k : known) {
      bool oneByte = k.name[1] == '1';
      if (descr.substr(1) == k.name &&
          (descr[0] == '<' || (oneByte && descr[0] == '|'))) {
        type = k.type;
        return Status::ok();
      }
    }
  return Status::user("has elements of type '" + std::string(descr) +
                      "'; supported are little-endian f4 f8 i1 u1 i2 i4 i8: "
                      "convert with array.astype('<f4') and save again");
}

} // namespace

Status rubato::parseNpyHeader(const unsigned char *bytes, size_t size,
                              ArrayHeader &header) {
  Status cut = Status::user("is cut short inside the npy header");
  Status damaged = Status::user("has an npy header that cannot be read; save "
                                "the array again with numpy.save");
  if (size < 10)
    return cut;
  unsigned version = bytes[6];
  if (version < 1 || version > 3)
    return Status::user("has npy format version " + std::to_string(version) +
                        "; supported are 1 to 3");
  size_t start = version == 1 ? 10 : 12;
  if (size < start)
    return cut;
  size_t length = bytes[8] | size_t{bytes[9]} << 8;
  if (version > 1)
    length |= size_t{bytes[10]} << 16 | size_t{bytes[11]} << 24;
  if (length > maxHeaderBytes - start)
    return Status::user("has an npy header of " + std::to_string(length) +
                        " bytes; the file is damaged");
  if (size < start + length)
    return cut;

  DictReader dict({reinterpret_cast<const char *>(bytes) + start, length});
  std::string_view descr;
  bool fortran = false;
  unsigned seen = 0; // one bit per key
  header.shape.clear();
  if (!dict.take('{'))
    return damaged;
  while (!dict.take('}')) {
    std::string_view key;
    if (!dict.string(key) || !dict.take(':'))
      return damaged;
    unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : 4;
    bool read = bit == 1   ? dict.string(descr)
                : bit == 2 ? dict.boolean(fortran)
                           : key == "shape" && dict.tuple(header.shape);
    if (!read && bit == 1)
      return Status::user("holds a structured array; save one plain array "
                          "per file");
    if (!read || (seen & bit))
      return damaged;
    seen |= bit;
    if (!dict.take(',')) {
      if (!dict.take('}'))
        return damaged;
      break;
    }
  }
  if (seen != 7)
    return damaged;
  RB_TRY(elementType(descr, header.type));
  if (fortran)
    return Status::user("is stored in Fortran order; save it again with "
                        "numpy.save(file, numpy.ascontiguousarray(array))");
  header.dataOffset = static_cast<int64_t>(start + length);
  header.bigEndian = false;
  return finishHeader(header);
}
