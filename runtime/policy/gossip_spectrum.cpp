// Smallest eigenvalue and inverse of a symmetric positive definite matrix.
#include "policy/gossip_spectrum.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace rubato::policy {

/// Reflects the rows and columns below `k` so that column `k` keeps only its
/// entry next to the diagonal; returns that entry.
static double reflect(SquareMatrix &a, size_t k, std::vector<double> &v,
                      std::vector<double> &p) {
  size_t n = a.n;
  double square = 0;
  for (size_t i = k + 1; i < n; ++i) {
    v[i] = a(i, k);
    square += v[i] * v[i];
  }
  double first = v[k + 1];
  double norm = std::sqrt(square);
  if (square - first * first == 0)
    return first;
  // The sign that avoids cancellation.
  double target = first > 0 ? -norm : norm;
  v[k + 1] -= target;
  double scale = square - first * target; // = |v|² / 2
  double inner = 0;
  for (size_t i = k + 1; i < n; ++i) {
    double sum = 0;
    for (size_t j = k + 1; j < n; ++j)
      sum += a(i, j) * v[j];
    p[i] = sum / scale;
    inner += p[i] * v[i];
  }
  double half = inner / (2 * scale);
  for (size_t i = k + 1; i < n; ++i)
    p[i] -= half * v[i];
  for (size_t i = k + 1; i < n; ++i)
    for (size_t j = k + 1; j < n; ++j)
      a(i, j) -= v[i] * p[j] + p[i] * v[j];
  return target;
}

/// Whether the tridiagonal matrix has an eigenvalue below `x`: whether a pivot
/// of its elimination, shifted by x, is negative.
static bool anyBelow(const std::vector<double> &diagonal,
                     const std::vector<double> &beside, double x) {
  double pivot = diagonal[0] - x;
  for (size_t i = 1; pivot >= 0 && i < diagonal.size(); ++i) {
    double square = beside[i - 1] * beside[i - 1];
    pivot = diagonal[i] - x - square / std::max(pivot, DBL_MIN);
  }
  return pivot < 0;
}

double smallestEigenvalue(SquareMatrix a) {
  size_t n = a.n;
  std::vector<double> diagonal(n), beside(n), v(n), p(n);
  for (size_t k = 0; k + 1 < n; ++k)
    beside[k] = reflect(a, k, v, p);
  double low = 0, high = 0;
  for (size_t i = 0; i < n; ++i) {
    diagonal[i] = a(i, i);
    double radius = std::abs(beside[i]) + (i ? std::abs(beside[i - 1]) : 0);
    low = std::min(low, diagonal[i] - radius);
    high = std::max(high, diagonal[i] + radius);
  }
  // Until the interval cannot be halved any more.
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high)
      return middle;
    (anyBelow(diagonal, beside, middle) ? high : low) = middle;
  }
}

SquareMatrix inverse(SquareMatrix a) {
  size_t n = a.n;
  // Cholesky: the lower triangle becomes L with A = L Lᵀ.
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      double sum = a(i, j);
      for (size_t k = 0; k < j; ++k)
        sum -= a(i, k) * a(j, k);
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
  // Row i of L⁻¹, from the rows above it.
  SquareMatrix lower(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k)
      for (size_t j = 0; j <= k; ++j)
        lower(i, j) -= a(i, k) * lower(k, j);
    lower(i, i) = 1;
    for (size_t j = 0; j <= i; ++j)
      lower(i, j) /= a(i, i);
  }
  // A⁻¹ = L⁻ᵀ L⁻¹.
  SquareMatrix result(n);
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i <= k; ++i)
      for (size_t j = 0; j <= k; ++j)
        result(i, j) += lower(k, i) * lower(k, j);
  return result;
}

} // namespace rubato::policy
