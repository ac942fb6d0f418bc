// Normal numbers as a widely used array library draws them, so that a task can
// be the very one of a reference: PCG64 (O'Neill 2014, XSL-RR 128/64) and the
// ziggurat of Marsaglia and Tsang (2000) with 256 layers.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_NORMAL_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_NORMAL_H

#include <array>
#include <cstddef>
#include <cstdint>

class ReferenceNormal {
public:
  /// Starts where the library's generator with seed 1234 does.
  ReferenceNormal();

  double operator()();

private:
  static constexpr std::size_t kLayers = 256;
  __extension__ using Word = unsigned __int128;

  uint64_t bits();
  double uniform();
  double tail(bool negative);

  Word state, increment;
  /// Of each layer: its width over 2^52, below which share of the width nothing
  /// need be tested, and the density at its right end.
  std::array<double, kLayers> width, density;
  std::array<uint64_t, kLayers> sure;
};

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_NORMAL_H
