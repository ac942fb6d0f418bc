// Graphs that exist for some numbers of members only, or are drawn or given.
#include "policy/gossip_graph.h"

#include "policy/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>

namespace rubato::policy {

/// Draws of a random graph until one is connected.
static constexpr int64_t maxDraws = 1000;

static Status refuse(Topology topology, int64_t members,
                     const std::string &reason) {
  return Status::user("gossip.matcher: no " +
                      std::string(topologyName(topology)) + " of " +
                      std::to_string(members) + " members: " + reason);
}

static void join(Neighbours &graph, int64_t a, int64_t b, double weight = 1) {
  graph[static_cast<size_t>(a)].push_back({b, weight});
  graph[static_cast<size_t>(b)].push_back({a, weight});
}

static bool areJoined(const Neighbours &graph, int64_t a, int64_t b) {
  const auto &list = graph[static_cast<size_t>(a)];
  return std::any_of(list.begin(), list.end(),
                     [&](const Neighbour &each) { return each.member == b; });
}

static Status makeTorus(const GraphOptions &options, int64_t n,
                        Neighbours &graph) {
  int64_t rows = options.rows;
  if (rows == 0) {
    for (rows = std::llround(std::floor(std::sqrt(n))); n % rows != 0;)
      --rows;
    if (rows == 1 && n > 1)
      return refuse(options.topology, n,
                    std::to_string(n) +
                        " is prime, so it would be a ring; choose ring as the "
                        "topology (or one row), or " +
                        (n > 3 ? std::to_string(n - 1) + " or " +
                                     std::to_string(n + 1) + " workers"
                               : "4 workers or more"));
  }
  if (rows < 1 || n % rows != 0) {
    std::string fitting;
    for (int64_t each = 1; each <= n; ++each)
      if (n % each == 0)
        fitting += (fitting.empty() ? "" : ", ") + std::to_string(each);
    return refuse(options.topology, n,
                  "they cannot be laid out in " + std::to_string(rows) +
                      " equal rows; choose " + fitting +
                      " rows, or 0 for the most square layout");
  }
  int64_t columns = n / rows;
  for (int64_t i = 0; i < n; ++i) {
    int64_t row = i / columns, column = i % columns;
    // Around a row or a column of two, both ways lead to the same member.
    for (int64_t j : {row * columns + (column + 1) % columns,
                      (row + 1) % rows * columns + column})
      if (j != i && !areJoined(graph, i, j))
        join(graph, i, j);
  }
  return Status::ok();
}

static Status makeHypercube(const GraphOptions &options, int64_t n,
                            Neighbours &graph) {
  auto size = static_cast<uint64_t>(n);
  if (!std::has_single_bit(size)) {
    auto below = static_cast<int64_t>(std::bit_floor(size));
    return refuse(options.topology, n,
                  "it needs a power of two (2, 4, 8, 16, …); start " +
                      std::to_string(below) + " or " +
                      std::to_string(2 * below) +
                      " workers, or choose another topology");
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t bit = 1; bit < n; bit *= 2)
      if (i < (i ^ bit))
        join(graph, i, i ^ bit);
  return Status::ok();
}

/// Pairs ends of edges at random until all have a partner; false where those
/// left over have none. Pairing only what is left over, instead of starting
/// again at the first double edge, makes degrees up to half of all possible.
static bool drawRegular(int64_t n, int64_t degree, CounterRandom &random,
                        Neighbours &graph) {
  std::vector<int64_t> ends;
  for (int64_t i = 0; i < n * degree; ++i)
    ends.push_back(i / degree);
  auto fit = [&](int64_t a, int64_t b) {
    return a != b && !areJoined(graph, a, b);
  };
  while (!ends.empty()) {
    for (size_t i = ends.size(); i > 1; --i)
      std::swap(
          ends[i - 1],
          ends[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
    std::vector<int64_t> left;
    for (size_t i = 0; i < ends.size(); i += 2) {
      if (fit(ends[i], ends[i + 1]))
        join(graph, ends[i], ends[i + 1]);
      else
        left.insert(left.end(), {ends[i], ends[i + 1]});
    }
    bool possible = left.empty();
    for (size_t i = 0; i < left.size() && !possible; ++i)
      for (size_t j = 0; j < i && !possible; ++j)
        possible = fit(left[i], left[j]);
    if (!possible)
      return false;
    ends = std::move(left);
  }
  return true;
}

/// Who is not joined in a graph.
static Neighbours complement(const Neighbours &graph) {
  auto n = static_cast<int64_t>(graph.size());
  Neighbours others(graph.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (!areJoined(graph, i, j))
        join(others, i, j);
  return others;
}

static Status makeRandomRegular(const GraphOptions &options, int64_t n,
                                Neighbours &graph) {
  constexpr int64_t usual = 4;
  double wanted = options.degree;
  if (wanted == 0)
    wanted = static_cast<double>(std::min(usual, n - 1));
  // One neighbour each makes pairs, which are connected only if there is one.
  double least = n > 2 ? 2 : 1;
  if (!(wanted >= least && wanted < static_cast<double>(n)) ||
      std::floor(wanted) != wanted)
    return refuse(options.topology, n,
                  "each needs a whole number of neighbours from " +
                      std::to_string(static_cast<int64_t>(least)) + " to " +
                      std::to_string(n - 1) + "; choose such a degree");
  auto degree = static_cast<int64_t>(wanted);
  if (n * degree % 2 != 0)
    return refuse(options.topology, n,
                  "an odd number of members cannot have " +
                      std::to_string(degree) +
                      " neighbours each; choose an even degree, or one worker "
                      "more or less");
  // The last ends to be paired are seldom free for each other where most
  // members are joined already; who is not joined is then drawn instead.
  bool dense = 2 * degree > n - 1;
  bool drawn = false;
  for (int64_t draw = 0; draw < maxDraws; ++draw) {
    CounterRandom random(static_cast<uint64_t>(options.seed), "gossip.graph",
                         {degree, draw});
    graph.assign(static_cast<size_t>(n), {});
    if (!drawRegular(n, dense ? n - 1 - degree : degree, random, graph))
      continue;
    drawn = true;
    if (dense)
      graph = complement(graph);
    if (isConnected(graph))
      return Status::ok();
  }
  std::string draws = "none of " + std::to_string(maxDraws) +
                      " draws with degree " + std::to_string(degree);
  return refuse(options.topology, n,
                drawn ? draws + " was connected; choose a larger degree"
                      : draws + " gave every member as many neighbours; choose "
                                "another seed or degree");
}

/// With three digits behind the point at most; not below the number.
static std::string roundedUp(double number) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.4g",
                std::ceil(number * 1000 - 1e-6) / 1000);
  return digits;
}

static Status makeErdosRenyi(const GraphOptions &options, int64_t n,
                             Neighbours &graph) {
  double others = static_cast<double>(n - 1);
  // Below the logarithm of their number some member is alone almost surely.
  double logarithm = std::log(static_cast<double>(n));
  double degree = options.degree;
  if (degree == 0)
    degree = std::min(2 * logarithm, others);
  auto mostlyConnected = std::to_string(
      std::min(n - 1, static_cast<int64_t>(std::ceil(logarithm)) + 1));
  // A connected graph has an edge less than members, or more.
  double least = 2 * others / static_cast<double>(n);
  if (!(degree >= least))
    return refuse(options.topology, n,
                  "none with fewer than " + roundedUp(least) +
                      " neighbours on average is connected; choose a degree of "
                      "at least " +
                      roundedUp(least) + " (draws are mostly connected from " +
                      mostlyConnected + " on)");
  if (!(degree <= others))
    return refuse(options.topology, n,
                  "the mean number of neighbours can be at most " +
                      std::to_string(n - 1) + "; choose such a degree");
  for (int64_t draw = 0; draw < maxDraws; ++draw) {
    CounterRandom random(static_cast<uint64_t>(options.seed), "gossip.graph",
                         {0, draw});
    graph.assign(static_cast<size_t>(n), {});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < i; ++j)
        if (random.uniform() * others < degree)
          join(graph, i, j);
    bool alone = std::any_of(graph.begin(), graph.end(),
                             [](const auto &list) { return list.empty(); });
    if (!alone && isConnected(graph))
      return Status::ok();
  }
  return refuse(options.topology, n,
                "none of " + std::to_string(maxDraws) +
                    " draws with that mean degree was connected; choose one of "
                    "at least " +
                    mostlyConnected);
}

static Status makeOfEdges(const GraphOptions &options, int64_t n,
                          Neighbours &graph) {
  int64_t members = 0;
  for (const Edge &edge : options.edges)
    members = std::max({members, edge.a + 1, edge.b + 1});
  if (members != n)
    return Status::user("gossip.matcher: the edges of the graph are of " +
                        std::to_string(members) + " members, this group has " +
                        std::to_string(n) + "; start " +
                        std::to_string(members) +
                        " workers, or compile with another topology-file");
  for (const Edge &edge : options.edges)
    join(graph, edge.a, edge.b, edge.weight);
  return Status::ok();
}

Status makeGraph(const GraphOptions &options, int64_t members,
                 Neighbours &graph) {
  graph.assign(static_cast<size_t>(members), {});
  if (!isFixed(options.topology)) {
    graph = liveGraph(options.topology, Repair::Close,
                      std::vector<bool>(static_cast<size_t>(members), true));
    return Status::ok();
  }
  if (options.topology == Topology::Edges)
    RB_TRY(makeOfEdges(options, members, graph));
  else if (members > 1)
    RB_TRY(options.topology == Topology::Torus
               ? makeTorus(options, members, graph)
           : options.topology == Topology::Hypercube
               ? makeHypercube(options, members, graph)
           : options.topology == Topology::RandomRegular
               ? makeRandomRegular(options, members, graph)
               : makeErdosRenyi(options, members, graph));
  for (auto &list : graph)
    std::sort(list.begin(), list.end(),
              [](const Neighbour &a, const Neighbour &b) {
                return a.member < b.member;
              });
  return Status::ok();
}

} // namespace rubato::policy
