// Golden runs of bounded staleness: four workers with fixed speeds on a
// quadratic of two parameters, row by row.
#include "staleness_world.h"

#include <array>
#include <string>

using namespace rubato::policy;

namespace {

using Point = std::array<double, 2>;

constexpr int64_t M = 4;
constexpr Point curvature = {1, 0.25};
constexpr Point centre[M] = {{1, 4}, {2, 3}, {3, 2}, {6, -1}};
constexpr double stepTime[M] = {1.0, 1.3, 2.2, 5.1};

double fullLoss(const Point &x) {
  double sum = 0;
  for (const Point &b : centre)
    for (int j = 0; j < 2; ++j)
      sum += 0.5 * curvature[j] * (x[j] - b[j]) * (x[j] - b[j]);
  return sum / M;
}

struct GoldenRound {
  double time;
  int64_t count;
  const char *participants; // worker:staleness in order of arrival
  double loss, smoothed;
  int64_t nextCount, bound;
  int64_t restarted; // -1: nobody
  Point w;
};

StalenessOptions goldenOptions(const Point &x0) {
  StalenessOptions options;
  options.k0 = 1;
  options.alpha = 1;
  options.initialLoss = fullLoss(x0);
  return options;
}

/// The quadratic problem on top of the world.
struct Quadratic : StalenessWorld {
  Quadratic(Point x0, double eta)
      : StalenessWorld(M, goldenOptions(x0)), w(x0) {
    latency = 0.25;
    compute = [](int64_t m) { return 2 * stepTime[m]; };
    download = [this](int64_t m) { base[m] = w; };
    loss = [this, eta](const std::vector<Upload> &who) {
      Point sum = {};
      for (const Upload &upload : who) {
        Point x = base[upload.worker];
        for (int u = 0; u < 2; ++u)
          for (int j = 0; j < 2; ++j)
            x[j] -= eta * curvature[j] * (x[j] - centre[upload.worker][j]);
        for (int j = 0; j < 2; ++j)
          sum[j] += x[j] - base[upload.worker][j];
      }
      for (int j = 0; j < 2; ++j)
        w[j] += sum[j] / static_cast<double>(who.size());
      return fullLoss(w);
    };
  }
  Point w, base[M];
};

void expectRow(Quadratic &run, const GoldenRound &row) {
  SCOPED_TRACE("version " + std::to_string(run.ledger.version() + 1));
  auto round = run.step();
  EXPECT_NEAR(round.time, row.time, 1e-9);
  EXPECT_EQ(round.count, row.count);
  std::string who;
  for (const auto &upload : round.arrivals)
    who += (who.empty() ? "" : " ") + std::to_string(upload.worker) + ":" +
           std::to_string(upload.staleness);
  EXPECT_EQ(who, row.participants);
  EXPECT_NEAR(round.loss, row.loss, 1e-6);
  EXPECT_NEAR(run.rule.state().smoothed, row.smoothed, 1e-6);
  EXPECT_EQ(round.nextCount, row.nextCount);
  EXPECT_EQ(round.bound, row.bound);
  std::vector<int64_t> restarted;
  if (row.restarted >= 0)
    restarted.push_back(row.restarted);
  EXPECT_EQ(round.restarted, restarted);
  EXPECT_NEAR(run.w[0], row.w[0], 1e-6);
  EXPECT_NEAR(run.w[1], row.w[1], 1e-6);
  EXPECT_TRUE(round.go);
}

// clang-format off
const GoldenRound fallingLoss[] = {
    {2.50, 1, "0:0", 42.922350, 42.922350, 1, 3, -1, {-4.760000, 11.220000}},
    {3.10, 1, "1:1", 19.539963, 40.584111, 1, 3, -1, {-1.160000, 10.342500}},
    {4.90, 1, "2:2", 8.992507, 37.424951, 1, 3, -1, {2.800000, 9.367500}},
    {5.00, 1, "0:2", 9.493051, 34.631761, 1, 3, 3, {4.873600, 8.663550}},
    {6.20, 1, "1:2", 11.142990, 32.282884, 2, 1, 2, {6.011200, 7.947656}},
    {9.30, 2, "0:1 1:0", 7.207211, 29.775316, 2, 1, 3, {4.591936, 7.479110}},
    {11.80, 2, "2:1 0:0", 5.418346, 27.339619, 2, 1, -1, {3.403372, 7.019555}},
    {14.30, 2, "1:1 0:0", 5.017860, 25.107443, 2, 1, 3, {2.504216, 6.653995}},
    {16.80, 2, "2:1 0:0", 4.829289, 23.079628, 2, 1, -1, {2.160850, 6.279910}},
    {19.30, 2, "1:1 0:0", 4.826646, 21.254330, 2, 1, 3, {1.861138, 5.990632}},
    {21.80, 2, "2:1 0:0", 4.537869, 19.582684, 2, 1, -1, {1.857180, 5.684943}},
    {24.30, 2, "1:1 0:0", 4.490504, 18.073466, 2, 1, 3, {1.727883, 5.457009}},
    {26.80, 2, "2:1 0:0", 4.189493, 16.685068, 2, 1, -1, {1.802572, 5.206338}},
    {29.30, 2, "1:1 0:0", 4.169217, 15.433483, 2, 1, 3, {1.707090, 5.027750}},
    {31.80, 2, "2:1 0:0", 3.908084, 14.280943, 2, 1, -1, {1.795351, 4.821338}},
    {34.30, 2, "1:1 0:0", 3.925566, 13.245406, 2, 1, 3, {1.704911, 4.682445}},
    {36.80, 2, "2:1 0:0", 3.702215, 12.291087, 2, 1, -1, {1.794864, 4.511636}},
    {39.30, 2, "1:1 0:0", 3.748943, 11.436872, 3, 1, 3, {1.704905, 4.404674}},
    {42.40, 3, "2:1 0:0 1:0", 3.547937, 10.647979, 3, 1, -1, {1.800344, 4.264242}},
    {47.30, 3, "0:0 1:0 2:0", 3.396418, 9.922823, 3, 1, 3, {1.872220, 4.140979}},
};

const GoldenRound risingLoss[] = {
    {2.50, 1, "0:0", 3.339966, 3.339966, 2, 1, -1, {1.500000, 2.468750}},
    {4.90, 2, "1:1 2:1", 3.988228, 3.404792, 2, 1, 3, {1.125000, 2.585938}},
    {8.00, 2, "0:1 1:0", 3.774333, 3.441746, 2, 1, -1, {1.265625, 2.813904}},
    {10.50, 2, "2:1 0:0", 2.924655, 3.390037, 2, 1, 3, {1.869141, 2.884235}},
    {13.00, 2, "1:1 0:0", 3.019717, 3.353005, 2, 1, -1, {1.818604, 3.036797}},
    {15.50, 2, "2:1 0:0", 2.890646, 3.306769, 2, 1, 3, {1.935699, 3.046051}},
};
// clang-format on

} // namespace

TEST(StalenessGolden, FallingLossRaisesTheCount) {
  Quadratic run({-8, 12}, 0.2);
  run.start();
  for (const GoldenRound &row : fallingLoss)
    expectRow(run, row);
  EXPECT_EQ(run.ledger.version(), 20);
  EXPECT_EQ(run.violations, 0);
}

TEST(StalenessGolden, RisingLossCallsTheGuardOnce) {
  Quadratic run({3, 2}, 0.5);
  run.start();
  for (const GoldenRound &row : risingLoss)
    expectRow(run, row);
  EXPECT_NEAR(run.rule.state().smallest, 3.306769, 1e-6);
}

TEST(StalenessGolden, GoesOnFromSavedState) {
  // Other objects take over while jobs are under way.
  for (int cut = 0; cut < 20; ++cut) {
    Quadratic run({-8, 12}, 0.2);
    run.start();
    for (int i = 0; i < 20; ++i) {
      if (i == cut) {
        StateWriter out;
        run.rule.save(out);
        run.ledger.save(out);
        run.rule = StalenessRule(goldenOptions({-8, 12}));
        run.ledger = StalenessLedger(M);
        StateReader in(out.bytes());
        ASSERT_TRUE(run.rule.load(in));
        ASSERT_TRUE(run.ledger.load(in));
        EXPECT_TRUE(in.atEnd());
      }
      expectRow(run, fallingLoss[i]);
    }
  }
}
