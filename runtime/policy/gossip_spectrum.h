// Two facts about a symmetric positive definite matrix, without a library.
//
// The smallest eigenvalue comes from a Householder tridiagonal form and
// bisection by Sturm counts: its cost, 4/3 n³ and a little, depends neither on
// gaps between eigenvalues (as power iteration does; the slowest modes of a
// large ring lie close together) nor on a number of sweeps (as Jacobi does,
// about ten times dearer).
#pragma once

#include <cstddef>
#include <vector>

namespace rubato::policy {

/// Dense, square, row after row.
struct SquareMatrix {
  explicit SquareMatrix(size_t n) : n(n), values(n * n) {}
  double &operator()(size_t i, size_t j) { return values[i * n + j]; }
  double operator()(size_t i, size_t j) const { return values[i * n + j]; }

  size_t n;
  std::vector<double> values;
};

/// The smallest eigenvalue of a symmetric matrix of at least one row.
double smallestEigenvalue(SquareMatrix matrix);

/// The inverse of a symmetric positive definite matrix.
SquareMatrix inverse(SquareMatrix matrix);

} // namespace rubato::policy
