// Training functions small enough to follow: the loss of a sample x is half the
// squared distance of w to x, two samples (or as many as a test wants) make a
// micro-batch, the optimizer is plain SGD. The same as
// test/Interp/golden/Inputs/quadratic64.mlir with
// `--data id`, operation by operation, so that numbers are the same bits.
#pragma once

#include "environment/environment.h"

#include <array>

namespace rubato::sim::test {

using Vector = std::array<double, 4>;

/// Element of a sample; with `owner` above 0 every sample is that number.
inline double sampleAt(int64_t sample, int64_t element, int owner) {
  return owner ? owner
               : static_cast<double>((5 * sample + 3 * element) % 32) / 8 - 2;
}

struct Gradient {
  Vector sum = {};
  int64_t samples = 0;
  double loss = 0;
};

/// Adds the gradient of the rows at `w` to `total`.
inline void addGradient(const Vector &w, std::span<const int64_t> rows,
                        int owner, Gradient &total) {
  Vector sum = {};
  double squares = 0;
  for (int64_t row : rows)
    for (size_t j = 0; j != w.size(); ++j) {
      double difference = w[j] - sampleAt(row, static_cast<int64_t>(j), owner);
      sum[j] += difference;
      squares += difference * difference;
    }
  for (size_t j = 0; j != w.size(); ++j)
    total.sum[j] += sum[j];
  total.samples += static_cast<int64_t>(rows.size());
  total.loss += squares * 0.5;
}

/// The displacement of a summed gradient.
inline Vector stepOf(const Vector &gradient, int64_t samples, float rate) {
  Vector d;
  for (size_t j = 0; j != d.size(); ++j)
    d[j] = static_cast<double>(rate) *
           (gradient[j] / static_cast<double>(samples));
  return d;
}

inline Vector minus(const Vector &a, const Vector &b) {
  Vector result;
  for (size_t j = 0; j != result.size(); ++j)
    result[j] = a[j] - b[j];
  return result;
}

inline Part part(Vector &value) { return {RB_F64, 4, value.data()}; }
inline Part part(int64_t &value) { return {RB_I64, 1, &value}; }
inline Part part(double &value) { return {RB_F64, 1, &value}; }

} // namespace rubato::sim::test
