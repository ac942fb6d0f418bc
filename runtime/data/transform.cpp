#include "data/transform.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace rubato;

/// Reads a whole decimal number.
static bool parseDecimal(const std::string &text, double &value) {
  // strtod alone would take leading space, hexadecimals and "nan".
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != text.npos)
    return false;
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

Status rubato::parseNumber(const std::string &text, double &value) {
  size_t slash = text.find('/');
  double denominator = 1;
  bool good = parseDecimal(text.substr(0, slash), value);
  if (slash != text.npos)
    good = good && parseDecimal(text.substr(slash + 1), denominator);
  value /= denominator;
  if (!good || !std::isfinite(value))
    return {ErrorCode::Usage, "'" + text +
                                  "' is not a number; write a decimal (0.5) "
                                  "or a fraction (1/255)"};
  return Status::ok();
}

Status rubato::parseNumbers(const std::string &text,
                            std::vector<double> &values) {
  values.clear();
  for (size_t start = 0; start != text.npos;) {
    size_t comma = text.find(',', start);
    double value;
    RB_TRY(parseNumber(text.substr(start, comma - start), value));
    values.push_back(value);
    start = comma == text.npos ? comma : comma + 1;
  }
  return Status::ok();
}

namespace {

template <class From, class To, bool plain>
void convert(const char *from, char *to, int64_t count, const Factors &f) {
  auto scale = static_cast<To>(f.scale);
  auto mean = static_cast<To>(f.mean);
  auto std = static_cast<To>(f.std);
  for (int64_t i = 0; i < count; ++i) {
    From element;
    std::memcpy(&element, from + i * sizeof(From), sizeof(From));
    auto value = static_cast<To>(element);
    if constexpr (!plain) {
      // Two statements, so that no machine fuses them: same bits everywhere.
      To scaled = value * scale;
      To centred = scaled - mean;
      value = centred / std;
    }
    std::memcpy(to + i * sizeof(To), &value, sizeof(To));
  }
}

template <class From> ConvertFn converterFrom(rb_dtype to, bool plain) {
  switch (to) {
  case RB_F32:
    return plain ? convert<From, float, true> : convert<From, float, false>;
  case RB_F64:
    return plain ? convert<From, double, true> : convert<From, double, false>;
  case RB_I64:
    if constexpr (std::is_integral_v<From>)
      return convert<From, int64_t, true>;
    return nullptr;
  }
  return nullptr;
}

} // namespace

ConvertFn rubato::converter(ElementType from, rb_dtype to, bool plain) {
  switch (from) {
  case ElementType::U8:
    return converterFrom<uint8_t>(to, plain);
  case ElementType::I8:
    return converterFrom<int8_t>(to, plain);
  case ElementType::I16:
    return converterFrom<int16_t>(to, plain);
  case ElementType::I32:
    return converterFrom<int32_t>(to, plain);
  case ElementType::I64:
    return converterFrom<int64_t>(to, plain);
  case ElementType::F32:
    return converterFrom<float>(to, plain);
  case ElementType::F64:
    return converterFrom<double>(to, plain);
  }
  return nullptr;
}
