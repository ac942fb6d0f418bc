#include "Normal.h"

#include <bit>
#include <cmath>
#include <numbers>

/// Where the tail begins, for 256 layers of equal area.
static constexpr double kTail = 3.6541528853610088;
static constexpr double kUnit = 0x1p52;

ReferenceNormal::ReferenceNormal()
    // What the library makes of the seed 1234.
    : state(Word{0x160ad84006fe21ea} << 64 | 0xf69b873d9fe45409),
      increment(Word{0x50c8fb163c7cea4e} << 64 | 0xd0f51ce6006e4325) {
  auto f = [](double x) { return std::exp(-0.5 * x * x); };
  double area = kTail * f(kTail) + std::sqrt(std::numbers::pi / 2) *
                                       std::erfc(kTail / std::numbers::sqrt2);
  // From the outermost layer inwards; layer 0 is the base with the tail.
  std::array<double, kLayers> x{};
  x[kLayers - 1] = kTail;
  for (size_t i = kLayers - 1; i > 1; --i)
    x[i - 1] = std::sqrt(-2 * std::log(f(x[i]) + area / x[i]));
  double base = area / f(kTail);
  for (size_t i = 1; i != kLayers; ++i) {
    width[i] = x[i] / kUnit;
    density[i] = f(x[i]);
    sure[i] = static_cast<uint64_t>(x[i - 1] / x[i] * kUnit);
  }
  width[0] = base / kUnit;
  density[0] = 1;
  sure[0] = static_cast<uint64_t>(kTail / base * kUnit);
}

uint64_t ReferenceNormal::bits() {
  constexpr Word factor = Word{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
  state = state * factor + increment;
  auto high = static_cast<uint64_t>(state >> 64);
  auto low = static_cast<uint64_t>(state);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

double ReferenceNormal::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double ReferenceNormal::tail(bool negative) {
  while (true) {
    double x = -std::log1p(-uniform()) / kTail, y = -std::log1p(-uniform());
    if (y + y > x * x)
      return negative ? -(kTail + x) : kTail + x;
  }
}

double ReferenceNormal::operator()() {
  while (true) {
    uint64_t word = bits();
    size_t layer = word & 0xff;
    uint64_t place = word >> 9 & 0xfffffffffffff;
    double x = static_cast<double>(place) * width[layer];
    if (word >> 8 & 1)
      x = -x;
    if (place < sure[layer])
      return x;
    if (layer == 0)
      return tail(place >> 8 & 1);
    double height = (density[layer - 1] - density[layer]) * uniform();
    if (height + density[layer] < std::exp(-0.5 * x * x))
      return x;
  }
}
