// The constants of gossip on the named graphs, whole and after deaths.
#include "policy/gossip_constants.h"
#include "policy/gossip_spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace rubato;
using namespace rubato::policy;

static GossipConstants constants(Topology topology, size_t n, double rate = 1) {
  return gossipConstants(
      liveGraph(topology, Repair::Close, std::vector<bool>(n, true)), rate);
}

namespace {
struct GraphRow {
  Topology topology;
  size_t n;
  double chi1, chi2, eta, alpha;
};
} // namespace

TEST(GossipConstants, MatchTheTable) {
  using enum Topology;
  const GraphRow rows[] = {
      {Ring, 4, 1.00000, 0.75000, 0.577350, 0.57735},
      {Ring, 8, 3.41421, 0.87500, 0.289281, 0.98767},
      {Ring, 16, 13.13707, 0.93750, 0.142474, 1.87169},
      {Ring, 32, 52.04343, 0.96875, 0.070418, 3.66477},
      {Ring, 64, 207.67253, 0.98438, 0.034970, 7.26238},
      {Exponential, 4, 1.00000, 0.83333, 0.547723, 0.54772},
      {Exponential, 8, 1.50000, 0.96371, 0.415864, 0.62380},
      {Exponential, 16, 2.00000, 1.00966, 0.351858, 0.70372},
      {Exponential, 32, 2.50000, 1.02294, 0.312662, 0.78166},
      {Exponential, 64, 3.00000, 1.02408, 0.285262, 0.85578},
      {ExponentialSimple, 16, 1.75000, 0.95713, 0.386336, 0.67609},
      {ExponentialSimple, 64, 2.75000, 1.00074, 0.301400, 0.82885},
      {Complete, 4, 0.75000, 0.75000, 0.666667, 0.5},
      {Complete, 8, 0.87500, 0.87500, 0.571429, 0.5},
      {Complete, 16, 0.93750, 0.93750, 0.533333, 0.5},
      {Complete, 32, 0.96875, 0.96875, 0.516129, 0.5},
      {Complete, 64, 0.98438, 0.98438, 0.507937, 0.5},
  };
  for (const GraphRow &row : rows) {
    SCOPED_TRACE(std::string(topologyName(row.topology)) + " " +
                 std::to_string(row.n));
    GossipConstants got = constants(row.topology, row.n);
    // Half a unit of the last printed digit.
    EXPECT_NEAR(got.chi1, row.chi1, 5.1e-6);
    EXPECT_NEAR(got.chi2, row.chi2, 5.1e-6);
    EXPECT_NEAR(got.eta, row.eta, 5.1e-7);
    EXPECT_NEAR(got.alpha, row.alpha, 5.1e-6);
    // The rate scales χ and η and leaves α̃ alone.
    GossipConstants twice = constants(row.topology, row.n, 2);
    EXPECT_NEAR(twice.chi1, got.chi1 / 2, 1e-9);
    EXPECT_NEAR(twice.chi2, got.chi2 / 2, 1e-9);
    EXPECT_NEAR(twice.eta, got.eta * 2, 1e-9);
    EXPECT_NEAR(twice.alpha, got.alpha, 1e-9);
  }
}

/// The weight of a member's own variable after mixing for `time`.
static double mixed(double eta, double time) {
  return 0.5 * (1 + std::exp(-2 * eta * time));
}

TEST(GossipConstants, MixByTheGoldenCoefficients) {
  double eta = constants(Topology::Ring, 16).eta;
  EXPECT_NEAR(mixed(eta, 0.1), 0.985953690857, 1e-12);
  EXPECT_NEAR(mixed(eta, 1), 0.876026810275, 1e-12);
  EXPECT_NEAR(mixed(eta, 5), 0.620285710073, 1e-12);
  eta = constants(Topology::Ring, 64).eta;
  EXPECT_NEAR(mixed(eta, 1), 0.966224540513, 1e-12);
}

TEST(GossipConstants, LeadToTheGoldenVectors) {
  GossipConstants c = constants(Topology::Ring, 4);
  double x[4] = {1, 0, 0, 0}, y[4] = {1, 0, 0, 0}, last[4] = {};
  auto mix = [&](int i, double now) {
    double d = (1 - mixed(c.eta, now - last[i])) * (y[i] - x[i]);
    x[i] += d;
    y[i] -= d;
    last[i] = now;
  };
  auto average = [&](int i, int j, double now) {
    mix(i, now);
    mix(j, now);
    double m = x[i] - x[j];
    x[i] -= 0.5 * m;
    x[j] += 0.5 * m;
    y[i] -= c.alpha * m;
    y[j] += c.alpha * m;
  };
  average(0, 1, 0.5);
  average(1, 2, 1.25);
  mix(2, 1.5);
  x[2] -= 0.1;
  y[2] -= 0.1;
  average(2, 3, 1.75);
  const double wantX[] = {0.4681673169, 0.2589229842, 0.0862276346,
                          0.0866820643};
  const double wantY[] = {0.4544824139, 0.2556113182, 0.0933680267,
                          0.0965382412};
  for (int i = 0; i < 4; ++i) {
    mix(i, 2);
    EXPECT_NEAR(x[i], wantX[i], 1e-10);
    EXPECT_NEAR(y[i], wantY[i], 1e-10);
  }
}

TEST(GossipConstants, FollowTheClosedFormOnRings) {
  for (size_t n = 4; n <= 100; ++n) {
    double size = static_cast<double>(n);
    double gap = 1 - std::cos(2 * std::numbers::pi / size);
    GossipConstants got = constants(Topology::Ring, n);
    EXPECT_NEAR(got.chi1 * gap, 1, 1e-10) << n;
    EXPECT_NEAR(got.chi2, (size - 1) / size, 1e-10) << n;
  }
}

TEST(GossipConstants, AreExactWhereEverybodyMeetsEverybody) {
  for (size_t n = 2; n <= 64; ++n)
    EXPECT_EQ(constants(Topology::Complete, n).alpha, 0.5);
  // Small rings are complete; a pair met in two ways is still one pair.
  for (Topology topology :
       {Topology::Ring, Topology::Exponential, Topology::Path, Topology::Star})
    EXPECT_EQ(constants(topology, 2).eta, 1.0) << topologyName(topology);
  EXPECT_EQ(constants(Topology::Ring, 3).eta, 0.75);
  EXPECT_EQ(constants(Topology::Ring, 3).alpha, 0.5);
}

TEST(GossipConstants, DoNotMixWithoutEdges) {
  for (size_t n : {0, 1}) {
    GossipConstants got = constants(Topology::Ring, n);
    EXPECT_EQ(got.eta, 0);
    EXPECT_EQ(got.alpha, 0.5);
  }
}

TEST(GossipConstants, GiveAStarWhatItsHubCanServe) {
  // Every edge has the rate 1/(n-1); so have all but one of the modes.
  GossipConstants got = constants(Topology::Star, 9);
  EXPECT_NEAR(got.chi1, 8, 1e-10);
  EXPECT_NEAR(got.chi2, 4, 1e-10);
  EXPECT_NEAR(got.alpha, 0.5 * std::sqrt(2), 1e-10);
}

TEST(GossipConstants, FollowTheLiveGraph) {
  std::vector<bool> live(9, true);
  live[4] = false;
  auto of = [&](Repair repair) {
    return gossipConstants(liveGraph(Topology::Ring, repair, live), 1);
  };
  EXPECT_NEAR(of(Repair::Close).eta, constants(Topology::Ring, 8).eta, 1e-12);
  EXPECT_NEAR(of(Repair::Induced).eta, constants(Topology::Path, 8).eta, 1e-12);
  // Two paths of three and four: the longer is the slower.
  live[0] = false;
  EXPECT_NEAR(of(Repair::Induced).chi1, constants(Topology::Path, 4).chi1,
              1e-10);
  EXPECT_NEAR(of(Repair::Close).eta, constants(Topology::Ring, 7).eta, 1e-12);
}

TEST(GossipTopology, IsSymmetric) {
  for (Topology topology : allTopologies())
    for (size_t n = 1; n <= 20 && !isFixed(topology); ++n) {
      Neighbours graph =
          liveGraph(topology, Repair::Close, std::vector<bool>(n, true));
      for (size_t i = 0; i < n; ++i)
        for (const Neighbour &each : graph[i]) {
          ASSERT_NE(each.member, static_cast<int64_t>(i));
          const auto &back = graph[static_cast<size_t>(each.member)];
          EXPECT_EQ(std::count(back.begin(), back.end(),
                               Neighbour{static_cast<int64_t>(i), each.weight}),
                    1);
        }
    }
}

TEST(GossipTopology, CountsTheAntipodeTwiceOnTheExponentialGraph) {
  std::vector<bool> live(8, true);
  EXPECT_EQ(liveGraph(Topology::Exponential, Repair::Close, live)[0],
            (std::vector<Neighbour>{{1}, {2}, {4, 2}, {6}, {7}}));
  EXPECT_EQ(liveGraph(Topology::ExponentialSimple, Repair::Close, live)[0],
            (std::vector<Neighbour>{{1}, {2}, {4}, {6}, {7}}));
}

TEST(GossipTopology, NamesAreReadAndUnknownOnesRefused) {
  for (Topology topology : allTopologies()) {
    Topology read = Topology::Complete;
    ASSERT_TRUE(parseTopology(topologyName(topology), read));
    EXPECT_EQ(read, topology);
  }
  Topology read = Topology::Ring;
  Status status = parseTopology("moebius", read);
  EXPECT_FALSE(status);
  EXPECT_NE(status.message().find("exponential-simple"), std::string::npos);
}

TEST(GossipSpectrum, SolvesAKnownMatrix) {
  // Eigenvalues 1, 2 and 4.
  SquareMatrix a(3);
  a.values = {3, -1, 0, -1, 2, -1, 0, -1, 3};
  EXPECT_NEAR(smallestEigenvalue(a), 1, 1e-14);
  SquareMatrix b = inverse(a);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k)
        sum += a(i, k) * b(k, j);
      EXPECT_NEAR(sum, i == j, 1e-14);
    }
}
