// Saved state of policies: fixed-width little-endian numbers.
#include "policy/policy.h"

#include <bit>
#include <cstring>

namespace rubato::policy {

static_assert(std::endian::native == std::endian::little);

void StateWriter::i64(int64_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void StateWriter::f64(double value) { i64(std::bit_cast<int64_t>(value)); }

void StateWriter::i64s(std::span<const int64_t> values) {
  i64(static_cast<int64_t>(values.size()));
  for (int64_t value : values)
    i64(value);
}

void StateWriter::f64s(std::span<const double> values) {
  i64(static_cast<int64_t>(values.size()));
  for (double value : values)
    f64(value);
}

bool StateReader::i64(int64_t &value) {
  if (in.size() < sizeof(value))
    return false;
  std::memcpy(&value, in.data(), sizeof(value));
  in.remove_prefix(sizeof(value));
  return true;
}

bool StateReader::f64(double &value) {
  int64_t bits = 0;
  if (!i64(bits))
    return false;
  value = std::bit_cast<double>(bits);
  return true;
}

bool StateReader::i64s(std::vector<int64_t> &values) {
  int64_t count = 0;
  if (!i64(count) || count < 0 ||
      static_cast<uint64_t>(count) > in.size() / sizeof(int64_t))
    return false;
  values.resize(static_cast<size_t>(count));
  for (int64_t &value : values)
    i64(value);
  return true;
}

bool StateReader::f64s(std::vector<double> &values) {
  std::vector<int64_t> bits;
  if (!i64s(bits))
    return false;
  values.clear();
  for (int64_t each : bits)
    values.push_back(std::bit_cast<double>(each));
  return true;
}

} // namespace rubato::policy
