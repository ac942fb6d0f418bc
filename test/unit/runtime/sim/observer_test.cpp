// Looking at a run does not disturb it, may end it, and its counts add up.
#include "programs.h"
#include "sim/cost_table.h"
#include "support.h"

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

struct Bench {
  SimRun run;
  CostTable costs{5};

  void start(Program program, int members, int64_t rounds,
             const char *table = "", int64_t samples = 1000) {
    ASSERT_OK(costs.read(table, "table"));
    run.program = std::move(program);
    SimSetup setup{.spec = run.program.spec};
    setup.members = members;
    setup.seed = 5;
    setup.costs = &costs;
    setup.samples = samples;
    setup.rounds = rounds;
    ASSERT_OK(run.start(setup));
  }
};

constexpr const char *kTable = "gradient = [3ms, 5ms]\nall_reduce = 2ms\n";

TEST(Observer, SeesAGridAndDisturbsNothing) {
  Bench plain, watched;
  plain.start(allReduce(), 2, 4, kTable);
  watched.start(allReduce(), 2, 4, kTable);
  std::vector<int64_t> times, seen;
  watched.run.env->observe(7'000'000, [&](int64_t time) {
    times.push_back(time);
    seen.push_back(watched.run.cells[0]->seen);
    EXPECT_LE(watched.run.env->time(), time);
  });
  ASSERT_OK(plain.run.run());
  ASSERT_OK(watched.run.run());
  EXPECT_EQ(plain.run.log, watched.run.log);
  // A round takes 5 + 2 ms and has 4 samples; what happens at the very time of
  // a look has happened.
  EXPECT_EQ(times,
            (std::vector<int64_t>{0, 7'000'000, 14'000'000, 21'000'000}));
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 4, 8, 12}));
}

TEST(Observer, MayEndTheRun) {
  Bench bench;
  bench.start(allReduce(), 2, 0, kTable);
  bench.run.env->observe(7'000'000, [&](int64_t time) {
    if (time == 21'000'000)
      bench.run.env->requestStop();
  });
  ASSERT_OK(bench.run.run());
  // Three rounds have ended; the fourth has looked for a stop already, ahead of
  // its time; the fifth ends the run.
  EXPECT_EQ(bench.run.env->statistics().members[0].rounds[0], 5);
}

TEST(Statistics, AddUpForASynchronousRun) {
  Bench bench;
  bench.start(allReduce(), 2, 4, kTable);
  ASSERT_OK(bench.run.run());
  const Statistics &statistics = bench.run.env->statistics();
  EXPECT_EQ(statistics.time, 28'000'000);
  const int64_t computing[] = {12'000'000, 20'000'000};
  for (size_t rank = 0; rank != 2; ++rank) {
    const MemberStatistics &member = statistics.members[rank];
    EXPECT_EQ(member.computing, computing[rank]);
    EXPECT_EQ(member.waiting[0], 28'000'000 - computing[rank]);
    EXPECT_EQ(member.rounds[0], 4);
    EXPECT_EQ(member.gradients, 4);
    EXPECT_EQ(member.samples, 8);
    EXPECT_EQ(member.collectives, 4);
    EXPECT_EQ(member.endedAt, 28'000'000);
  }
  EXPECT_EQ(statistics.events.at("all_reduce"), 8);
  EXPECT_EQ(statistics.events.at("next"), 8);
  EXPECT_EQ(bench.run.env->stream().consumedCount(), 16);
}

TEST(Statistics, CountPairsThatMeetAgain) {
  // Two have nobody else; among six the matcher forbids it.
  for (int members : {2, 6}) {
    Bench bench;
    bench.start(a2cid2(), members, 40);
    ASSERT_OK(bench.run.run());
    const Statistics &statistics = bench.run.env->statistics();
    ASSERT_GT(statistics.exchanges, 20);
    EXPECT_EQ(statistics.repeatedPairs,
              members == 2 ? statistics.exchanges - 1 : 0);
    int64_t averagings = 0;
    for (const MemberStatistics &member : statistics.members)
      averagings += member.averagings;
    EXPECT_EQ(averagings, 2 * statistics.exchanges);
  }
}

TEST(Statistics, NoLeaseIsLostAtTheEnd) {
  // So few samples that what somebody leased last belongs to a whole epoch.
  for (int64_t rounds = 3; rounds != 20; ++rounds) {
    Bench bench;
    bench.start(boundedStaleness(), 6, rounds, "jitter = 0.9\nmessage = 2ms\n",
                4);
    ASSERT_OK(bench.run.run());
    ASSERT_OK(bench.run.env->stream().check());
  }
}

TEST(Statistics, FollowUploads) {
  Bench bench;
  bench.start(boundedStaleness(), 5, 30, "jitter = 0.9\n");
  ASSERT_OK(bench.run.run());
  const Statistics &statistics = bench.run.env->statistics();
  int64_t accepted = 0, pushed = 0, collected = 0;
  for (const MemberStatistics &member : statistics.members) {
    accepted += member.accepted;
    pushed += member.pushes;
  }
  for (auto [staleness, times] : statistics.staleness)
    collected += times;
  EXPECT_EQ(accepted, collected);
  EXPECT_GE(pushed, accepted);
  EXPECT_LE(pushed, accepted + statistics.dropped + 4);
  ASSERT_OK(bench.run.env->stream().check());
}

} // namespace
