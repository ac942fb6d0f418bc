// χ1, χ2, η and α̃ of a graph.
#include "policy/gossip_constants.h"

#include "policy/gossip_spectrum.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

/// Whether every two members with neighbours are neighbours, equally often.
static bool isComplete(const Neighbours &graph, size_t n) {
  for (const std::vector<Neighbour> &list : graph)
    if (!list.empty() && list.size() != n - 1)
      return false;
  return !isWeighted(graph);
}

/// The part of every connected component, by the number of a member of it.
static std::vector<size_t> components(const SquareMatrix &rates) {
  size_t n = rates.n;
  std::vector<size_t> part(n, n), todo;
  for (size_t root = 0; root < n; ++root) {
    if (part[root] != n)
      continue;
    part[root] = root;
    todo.push_back(root);
    while (!todo.empty()) {
      size_t i = todo.back();
      todo.pop_back();
      for (size_t j = 0; j < n; ++j)
        if (part[j] == n && rates(i, j) > 0) {
          part[j] = root;
          todo.push_back(j);
        }
    }
  }
  return part;
}

/// The rates of the edges among members with neighbours, for rate 1.
static SquareMatrix rateMatrix(const Neighbours &graph, size_t n) {
  std::vector<size_t> position(graph.size());
  size_t next = 0;
  for (size_t i = 0; i < graph.size(); ++i)
    if (!graph[i].empty())
      position[i] = next++;
  SquareMatrix rates(n);
  Neighbours all = edgeRates(graph);
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Neighbour &each : all[i])
      rates(position[i], position[static_cast<size_t>(each.member)]) =
          each.weight;
  return rates;
}

GossipConstants gossipConstants(const Neighbours &graph, double rate) {
  size_t n = 0;
  for (const std::vector<Neighbour> &list : graph)
    n += !list.empty();
  GossipConstants result;
  if (n == 0)
    return result;
  double size = static_cast<double>(n);
  if (isComplete(graph, n)) {
    // In closed form, so that α̃ is a half exactly and both variables of a
    // member stay equal bit for bit.
    result.chi1 = result.chi2 = (size - 1) / (size * rate);
    result.eta = size * rate / (2 * (size - 1));
    return result;
  }

  SquareMatrix rates = rateMatrix(graph, n);
  std::vector<size_t> part = components(rates);
  SquareMatrix shifted(n);
  double largest = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      shifted(i, i) += rates(i, j);
      shifted(i, j) -= rates(i, j);
    }
    largest = std::max(largest, shifted(i, i));
  }
  // The Laplacian is singular on the constants of each component. Lifting
  // those to twice the largest degree, a bound of all eigenvalues, leaves the
  // smallest positive one the smallest, and differences within a component
  // untouched.
  std::vector<double> partSize(n);
  for (size_t i = 0; i < n; ++i)
    ++partSize[part[i]];
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (part[i] == part[j])
        shifted(i, j) += 2 * largest / partSize[part[i]];

  double worst = 0;
  SquareMatrix green = inverse(shifted);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j)
      if (rates(i, j) > 0)
        worst = std::max(worst, green(i, i) + green(j, j) - green(i, j) * 2);
  result.chi1 = 1 / (smallestEigenvalue(std::move(shifted)) * rate);
  result.chi2 = worst / (2 * rate);
  result.eta = 1 / (2 * std::sqrt(result.chi1 * result.chi2));
  result.alpha = 0.5 * std::sqrt(result.chi1 / result.chi2);
  return result;
}

} // namespace rubato::policy
