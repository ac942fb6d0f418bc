#include "state/export_onnx.h"

#include "abi/weights_format.h"
#include "support/atomic_file.h"
#include "support/safetensors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

using namespace rubato;

namespace {

/// Floating-point elements somewhere in memory, not aligned in any way.
struct Elements {
  const char *data = nullptr;
  int64_t count = 0;
  bool isWide = false; // f64, else f32
};

/// Bytes that the template lacks, and what fills them.
struct Hole {
  std::string tensor;
  int64_t offset = 0, bytes = 0; // in the finished file
  bool isWide = false;
  Elements from;
};

/// The template of a unit, checked: the holes are in order and between bytes
/// that it has.
class Template {
public:
  /// `flat` may be null where nothing is written.
  Status open(const Unit &unit, const void *flat);
  Status write(const std::string &path) const;

private:
  Status addHole(const Unit &unit, const void *flat, std::string_view name,
                 std::string_view place);
  Status find(const Unit &unit, const void *flat, const std::string &name,
              Elements &from) const;
  Status check(const Unit &unit) const;

  TensorMap tensors;
  TensorView bytes;
  std::vector<Hole> holes;
};

Status damaged(const std::string &what) {
  return {ErrorCode::Internal, "the ONNX template in this executable is "
                               "damaged (" +
                                   what + "); compile the model again"};
}

/// Copies elements from one float type to another.
template <class From, class To>
void copyElements(const char *from, char *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * int64_t(sizeof(From)), sizeof(From));
    auto converted = static_cast<To>(value);
    std::memcpy(to + i * int64_t(sizeof(To)), &converted, sizeof(To));
  }
}

} // namespace

/// What training made of a tensor, or else its initial values.
Status Template::find(const Unit &unit, const void *flat,
                      const std::string &name, Elements &from) const {
  for (const Slot &slot : unit.layout)
    if (slot.name == name) {
      from.isWide = unit.floatType == RB_F64;
      from.count = slot.count;
      if (flat)
        from.data = static_cast<const char *>(flat) +
                    slot.offset * (from.isWide ? 8 : 4);
      return Status::ok();
    }
  auto found = tensors.find(name);
  if (found == tensors.end())
    return damaged("no tensor '" + name + "'");
  const TensorView &tensor = found->second;
  if (tensor.dtype != TensorType::F32 && tensor.dtype != TensorType::F64)
    return damaged("'" + name + "' is " + tensorTypeName(tensor.dtype));
  from.isWide = tensor.dtype == TensorType::F64;
  from.count = tensor.count();
  from.data = static_cast<const char *>(tensor.data);
  return Status::ok();
}

/// Takes a number off the front of a text.
static bool takeNumber(std::string_view &text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(size_t(end - text.data()));
  return error == std::errc();
}

/// Reads "F32 554 1606186": type, begin and end of one tensor.
Status Template::addHole(const Unit &unit, const void *flat,
                         std::string_view name, std::string_view place) {
  Hole hole;
  hole.tensor = name;
  hole.isWide = place.starts_with("F64 ");
  int64_t end = 0;
  bool good = hole.isWide || place.starts_with("F32 ");
  place.remove_prefix(std::min<size_t>(place.size(), 4));
  good = good && takeNumber(place, hole.offset) && place.starts_with(" ");
  place.remove_prefix(std::min<size_t>(place.size(), 1));
  if (!good || !takeNumber(place, end) || !place.empty() || hole.offset < 0 ||
      end < hole.offset)
    return damaged("no place for '" + hole.tensor + "'");
  RB_TRY(find(unit, flat, hole.tensor, hole.from));
  if (__builtin_mul_overflow(hole.from.count, hole.isWide ? 8 : 4,
                             &hole.bytes) ||
      hole.bytes != end - hole.offset)
    return damaged("'" + hole.tensor + "' has the wrong size");
  holes.push_back(std::move(hole));
  return Status::ok();
}

Status Template::check(const Unit &unit) const {
  // What was trained and not written would be lost without a word.
  for (const Slot &slot : unit.layout)
    if (std::none_of(holes.begin(), holes.end(), [&](const Hole &hole) {
          return hole.tensor == slot.name;
        }))
      return damaged("no place for '" + slot.name + "'");
  int64_t end = 0, left = bytes.size;
  for (const Hole &hole : holes) {
    if (hole.offset < end)
      return damaged("'" + hole.tensor + "' overlaps another tensor");
    if (hole.offset - end > left)
      return damaged("'" + hole.tensor + "' lies outside");
    left -= hole.offset - end;
    end = hole.offset + hole.bytes;
  }
  return Status::ok();
}

Status Template::open(const Unit &unit, const void *flat) {
  TensorMetadata metadata;
  if (Status status = readSafetensors(
          unit.code->weights, unit.code->weights_size, tensors, &metadata);
      !status)
    return damaged(status.message());
  auto found = tensors.find(templateTensor);
  if (found == tensors.end())
    return {ErrorCode::Unsupported,
            "this executable holds no ONNX template, so --save has nothing to "
            "write; use --dump-parameters, or compile the model again"};
  if (metadata["format"] != weightsFormat)
    return damaged("its format is '" + metadata["format"] + "', not '" +
                   weightsFormat + "'");
  bytes = found->second;
  constexpr std::string_view prefix = holePrefix;
  for (const auto &[key, place] : metadata)
    if (key.starts_with(prefix))
      RB_TRY(addHole(unit, flat, std::string_view(key).substr(prefix.size()),
                     place));
  // A hole without bytes comes before one that begins where it ends.
  std::sort(holes.begin(), holes.end(), [](const Hole &a, const Hole &b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  return check(unit);
}

Status Template::write(const std::string &path) const {
  std::vector<FilePart> parts;
  std::deque<std::vector<char>> converted;
  const char *next = static_cast<const char *>(bytes.data);
  int64_t end = 0;
  for (const Hole &hole : holes) {
    parts.push_back({next, size_t(hole.offset - end)});
    next += hole.offset - end;
    end = hole.offset + hole.bytes;
    const Elements &from = hole.from;
    if (from.isWide == hole.isWide) {
      parts.push_back({from.data, size_t(hole.bytes)});
      continue;
    }
    std::vector<char> &to = converted.emplace_back(size_t(hole.bytes));
    (from.isWide
         ? copyElements<double, float>
         : copyElements<float, double>)(from.data, to.data(), from.count);
    parts.push_back({to.data(), to.size()});
  }
  const char *last = static_cast<const char *>(bytes.data) + bytes.size;
  parts.push_back({next, size_t(last - next)});
  return writeFileAtomically(path, parts);
}

Status rubato::checkTemplate(const Unit &unit) {
  return Template().open(unit, nullptr);
}

Status rubato::saveOnnx(const Unit &unit, const void *flat,
                        const std::string &path) {
  Template inference;
  RB_TRY(inference.open(unit, flat));
  return inference.write(path);
}
