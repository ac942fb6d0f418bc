// The quota: averagings per gradient at a given rate.
#include "policy/gossip_quota.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace rubato;
using namespace rubato::policy;

static std::unique_ptr<GossipQuota> make(const QuotaOptions &options) {
  std::unique_ptr<GossipQuota> quota;
  Status status = GossipQuota::create(options, quota);
  EXPECT_TRUE(status) << status.message();
  return quota;
}

static bool averaged(GossipQuota &quota, Asker asker) {
  bool due = false;
  EXPECT_TRUE(quota.averaged(asker, due));
  return due;
}

static bool computed(GossipQuota &quota, Asker asker) {
  bool due = false;
  EXPECT_TRUE(quota.computed(asker, due));
  return due;
}

/// Deeds of the busier strand for each rendezvous, over `rendezvous` of them
/// by each of `members`.
static double deeds(double rate, int rendezvous, int members) {
  int64_t total = 0;
  for (int member = 0; member < members; ++member) {
    auto quota = make({.rate = rate, .seed = 1});
    int64_t call = 0;
    for (int met = 0; met < rendezvous; ++call)
      met += rate >= 1 ? averaged(*quota, {member, call})
                       : computed(*quota, {member, call});
    total += call;
  }
  return double(total) / rendezvous / members;
}

TEST(GossipQuota, KeepsTheRate) {
  // The mean of many members, each met 1000 times; a standard error is about
  // sqrt(rate / 1000 / members), and the printed means have an error too.
  constexpr int members = 400;
  struct Row {
    double rate, mean100, mean1000;
  };
  for (Row row : {Row{1, 1.073, 1.025}, Row{1.5, 1.500, 1.500},
                  Row{2, 1.996, 2.000}, Row{4, 3.970, 3.995}}) {
    SCOPED_TRACE(row.rate);
    double error = std::sqrt(row.rate / 100 / members);
    EXPECT_NEAR(deeds(row.rate, 100, members), row.mean100, 5 * error);
    error = std::sqrt(row.rate / 1000 / members);
    EXPECT_NEAR(deeds(row.rate, 1000, members), row.mean1000, 5 * error);
  }
}

TEST(GossipQuota, CarriesADeficitOver) {
  // One at least for each rendezvous: at rate 1 the surplus stays visible in
  // a short run and vanishes in a long one.
  EXPECT_GT(deeds(1, 100, 400), 1.05);
  EXPECT_LT(deeds(1, 14000, 20), 1.012);
}

TEST(GossipQuota, SwapsTheStrandsBelowOne) {
  auto fast = make({.rate = 2}), slow = make({.rate = 0.25});
  for (int64_t call = 0; call < 100; ++call) {
    EXPECT_TRUE(computed(*fast, {0, call}));
    EXPECT_TRUE(averaged(*slow, {0, call}));
  }
  constexpr int members = 200;
  EXPECT_NEAR(deeds(0.25, 1000, members), 3.995,
              5 * std::sqrt(4.0 / 1000 / members));
}

TEST(GossipQuota, CountsExactlyWhenDeterministic) {
  auto quota = make({.rate = 2.5, .deterministic = true});
  std::string due;
  for (int64_t call = 0; call < 11; ++call)
    due += averaged(*quota, {0, call}) ? 'x' : '.';
  // At 1, 3.5, 6, 8.5 and 11.
  EXPECT_EQ(due, "x..x.x..x.x");
}

TEST(GossipQuota, GivesARepeatedQuestionItsRecordedAnswer) {
  auto once = make({.rate = 1.5, .seed = 9});
  auto often = make({.rate = 1.5, .seed = 9});
  for (int64_t call = 0; call < 200; ++call) {
    bool due = averaged(*once, {2, call});
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(averaged(*often, {2, call}), due);
  }
  bool due = false;
  EXPECT_FALSE(once->averaged({2, 5}, due));
}

TEST(GossipQuota, GoesOnTheSameFromSavedState) {
  auto quota = make({.rate = 3, .seed = 2}),
       other = make({.rate = 3, .seed = 2});
  int64_t call = 0;
  for (; call < 77; ++call)
    averaged(*quota, {1, call});
  StateWriter out;
  quota->save(out);
  StateReader in(out.bytes());
  ASSERT_TRUE(other->load(in));
  EXPECT_TRUE(in.atEnd());
  for (call = 76; call < 500; ++call)
    EXPECT_EQ(averaged(*quota, {1, call < 77 ? 76 : call}),
              averaged(*other, {1, call < 77 ? 76 : call}));
  StateReader cutShort(std::string_view(out.bytes()).substr(0, 20));
  EXPECT_FALSE(other->load(cutShort));
}

TEST(GossipQuota, AnswersByNameAndRefusesBadRates) {
  auto quota = make({});
  std::vector<Value> one(1);
  EXPECT_EQ(quota->placement(), Placement::Local);
  ASSERT_TRUE(quota->ask("averaged", {0, 0}, {}, one));
  EXPECT_EQ(one[0], Value(true));
  EXPECT_FALSE(quota->ask("waited", {0, 1}, {}, one));
  for (double rate : {0.0, -1.0, 1e9, double(NAN)})
    EXPECT_FALSE(GossipQuota::create({.rate = rate}, quota));
}
