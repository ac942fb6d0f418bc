// Counter-based randomness and saved state.
#include "policy/random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rubato::policy;

TEST(CounterRandom, IsAFunctionOfItsKey) {
  CounterRandom a(7, "gossip.matcher", {3, 5}), b(7, "gossip.matcher", {3, 5});
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(a.bits(), b.bits());
}

TEST(CounterRandom, EveryPartOfTheKeyMatters) {
  uint64_t base = CounterRandom(7, "p", {3, 5}).bits();
  EXPECT_NE(base, CounterRandom(8, "p", {3, 5}).bits());
  EXPECT_NE(base, CounterRandom(7, "q", {3, 5}).bits());
  EXPECT_NE(base, CounterRandom(7, "p", {4, 5}).bits());
  EXPECT_NE(base, CounterRandom(7, "p", {3, 6}).bits());
  // Members and calls do not stand in for each other.
  EXPECT_NE(CounterRandom(7, "p", {1, 2}).bits(),
            CounterRandom(7, "p", {2, 1}).bits());
}

TEST(CounterRandom, HasTheRightMoments) {
  double uniform = 0, exponential = 0, poisson = 0, square = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    CounterRandom r(1, "moments", {0, i});
    uniform += r.uniform();
    exponential += r.exponential();
    double count = static_cast<double>(r.poisson(1.5));
    poisson += count;
    square += count * count;
  }
  // Five standard errors.
  EXPECT_NEAR(uniform / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(exponential / n, 1.0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(poisson / n, 1.5, 5 * std::sqrt(1.5 / n));
  double mean = poisson / n;
  EXPECT_NEAR(square / n - mean * mean, 1.5, 0.05);
}

TEST(CounterRandom, BelowIsEven) {
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i)
    ++counts[CounterRandom(2, "below", {i, 0}).below(6)];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000.0));
}

TEST(PolicyState, RoundTripsAndRefusesDamage) {
  StateWriter out;
  out.i64(-3);
  out.f64(0.1);
  out.i64s(std::vector<int64_t>{1, 2});
  out.f64s(std::vector<double>{-0.0});
  StateReader in(out.bytes());
  int64_t i = 0;
  double f = 0;
  std::vector<int64_t> is;
  std::vector<double> fs;
  ASSERT_TRUE(in.i64(i) && in.f64(f) && in.i64s(is) && in.f64s(fs));
  EXPECT_TRUE(in.atEnd());
  EXPECT_EQ(i, -3);
  EXPECT_EQ(f, 0.1);
  EXPECT_EQ(is, (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(std::signbit(fs.at(0)));

  for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
    StateReader cutShort(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(cutShort.i64(i) && cutShort.f64(f) && cutShort.i64s(is) &&
                 cutShort.f64s(fs));
  }
  StateWriter huge;
  huge.i64(INT64_MAX);
  StateReader hugeIn(huge.bytes());
  EXPECT_FALSE(hugeIn.i64s(is));
}
