// The rate that kernels are measured against.
#ifndef RUBATO_BENCH_KERNELS_FMARATE_H
#define RUBATO_BENCH_KERNELS_FMARATE_H

#include <cstdint>

namespace rubato::bench {

/// Runs `steps` times twelve independent AVX2 multiply-adds in registers: as
/// fast as this core computes. The result only keeps the work alive.
float runMultiplyAdds(int64_t steps);

/// Floating-point operations per step.
inline constexpr int64_t multiplyAddFlops = 12 * 8 * 2;

} // namespace rubato::bench

#endif // RUBATO_BENCH_KERNELS_FMARATE_H
