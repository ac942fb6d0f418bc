// Twelve chains cover the latency of two multiply-adds per cycle.
#include "FmaRate.h"

#include <immintrin.h>

float rubato::bench::runMultiplyAdds(int64_t steps) {
  __m256 sums[12];
  for (int i = 0; i < 12; ++i)
    sums[i] = _mm256_set1_ps(float(i));
  __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
  for (int64_t step = 0; step < steps; ++step)
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, x, y);
  for (int i = 1; i < 12; ++i)
    sums[0] = _mm256_add_ps(sums[0], sums[i]);
  return _mm256_cvtss_f32(sums[0]);
}
