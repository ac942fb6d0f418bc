#include "simulate/scatter.h"

#include "policy/random.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace rubato {

static double normal(uint64_t seed, int rank, int64_t index) {
  policy::CounterRandom random(seed, "scatter", {rank, index});
  // In (0, 1]: a logarithm of zero there is none.
  double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

template <typename T>
static void displace(char *data, int64_t bytes, double deviation, uint64_t seed,
                     int rank) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i < bytes / size; ++i) {
    T value;
    std::memcpy(&value, data + i * size, sizeof value);
    value = static_cast<T>(static_cast<double>(value) +
                           deviation * normal(seed, rank, i));
    std::memcpy(data + i * size, &value, sizeof value);
  }
}

void scatter(const Unit &unit, Member &member, double deviation,
             uint64_t seed) {
  auto dataOf = [&](const Cell &cell) {
    return static_cast<char *>(member.hostAddress(cell.place));
  };
  for (const Cell &cell : unit.cells) {
    if (cell.role != "parameter")
      continue;
    auto bytes = static_cast<size_t>(cell.bytes);
    std::vector<char *> copies;
    for (const Cell &other : unit.cells)
      if (&other != &cell && other.bytes == cell.bytes &&
          other.dtype == cell.dtype && other.role == "state" &&
          std::memcmp(dataOf(other), dataOf(cell), bytes) == 0)
        copies.push_back(dataOf(other));
    (cell.dtype == RB_F64 ? displace<double>
                          : displace<float>)(dataOf(cell), cell.bytes,
                                             deviation, seed, member.rank());
    for (char *copy : copies)
      std::memcpy(copy, dataOf(cell), bytes);
  }
}

} // namespace rubato
