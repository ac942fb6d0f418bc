// Links in virtual time, against what can be said by hand.
#include "programs.h"
#include "sim/cluster.h"
#include "sim/links.h"
#include "support.h"

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

using Slow = Message::Slow;

TEST(Links, ReductionsAreServedInOrder) {
  // c_k = max(ready_k, c_{k-1}) + duration_k.
  Links links(3);
  EXPECT_EQ(links.together(10, 5), 15);
  EXPECT_EQ(links.together(11, 5), 20);
  EXPECT_EQ(links.together(12, 1), 21);
  EXPECT_EQ(links.together(30, 5), 35);
}

TEST(Links, MessagesOfOneLinkQueue) {
  Links links(4);
  Passage message{.transfer = 10, .latency = 3};
  // Three to one member: its link carries one after the other, and latency
  // holds nobody up.
  EXPECT_EQ(links.send({0, 3, 0, 0, message}), 13);
  EXPECT_EQ(links.send({1, 3, 0, 0, message}), 23);
  EXPECT_EQ(links.send({2, 3, 5, 0, message}), 33);
  // Back they go at once: the other direction is free.
  EXPECT_EQ(links.send({3, 0, 5, 0, message}), 18);
  // What waits at its receiver does not occupy its sender's link.
  EXPECT_EQ(links.send({2, 1, 6, 0, message}), 28);
}

TEST(Links, OtherMembersAreNotHeldUp) {
  Links links(4);
  Passage message{.transfer = 10};
  EXPECT_EQ(links.send({0, 1, 0, 0, message}), 10);
  EXPECT_EQ(links.send({1, 0, 0, 0, message}), 10);
  EXPECT_EQ(links.send({2, 3, 0, 0, message}), 10);
  EXPECT_EQ(links.send({3, 0, 0, 0, message, Slow::Sender}), 10);
  EXPECT_EQ(links.send({3, 2, 0, 0, message, Slow::Receiver}), 10);
}

TEST(Links, AReductionWaitsForTheBusiestLink) {
  Links links(3);
  EXPECT_EQ(links.send({0, 1, 0, 0, {.transfer = 10}}), 10);
  EXPECT_EQ(links.together(4, 5), 15);
  // Whose link had nothing else was done at 9.
  EXPECT_EQ(links.send({2, 1, 9, 0, {.transfer = 1}, Slow::Sender}), 10);
  EXPECT_EQ(links.send({0, 1, 9, 0, {.transfer = 1}, Slow::Sender}), 16);
}

/// Ranks 0 to 2 behind one link of a byte a nanosecond, 3 and 4 behind another.
std::vector<Uplink> twoRacks() {
  std::vector<Uplink> racks(2);
  racks[0].members = {0, 1, 2};
  racks[1].members = {3, 4};
  for (Uplink &rack : racks)
    rack.bandwidth = 1e9;
  racks[1].latency = 7;
  return racks;
}

TEST(Links, AnUplinkIsShared) {
  std::vector<Uplink> racks = twoRacks();
  Links links(6, racks);
  Passage quick{.transfer = 1};
  // k messages of b bytes at once take k b / B, and one that goes the other
  // way is not held up.
  EXPECT_EQ(links.send({0, 5, 0, 10, quick}), 10);
  EXPECT_EQ(links.send({1, 5, 0, 10, quick}), 20);
  EXPECT_EQ(links.send({2, 5, 0, 10, quick}), 30);
  EXPECT_EQ(links.send({5, 2, 0, 10, quick}), 10);
  // Inside a rack it is not used.
  EXPECT_EQ(links.send({0, 1, 40, 10, quick}), 41);
  // Between racks both are, and a latency is that of the way.
  EXPECT_EQ(links.send({3, 0, 50, 10, quick}), 67);
  EXPECT_EQ(links.send({5, 4, 50, 10, quick}), 67);
}

TEST(Links, AnUplinkIsAsFastAsAllItsMembersNeed) {
  // Ten times as fast as a member's link: three at once do not queue.
  std::vector<Uplink> racks = twoRacks();
  Links links(6, racks);
  Passage slow{.transfer = 100};
  EXPECT_EQ(links.send({0, 5, 0, 10, slow, Slow::Sender}), 100);
  EXPECT_EQ(links.send({1, 5, 0, 10, slow, Slow::Sender}), 100);
  EXPECT_EQ(links.send({2, 5, 0, 10, slow, Slow::Sender}), 100);
}

TEST(Links, AnUplinkOfAllItsMembersRatesHoldsNobodyUp) {
  // Two racks of four, members of a byte in 4 ns: their messages take 1000 ns
  // of each link, and 250 of uplinks that are four times as fast.
  std::vector<Uplink> racks(2);
  racks[0].members = {0, 1, 2, 3};
  racks[1].members = {4, 5, 6, 7};
  for (Uplink &rack : racks)
    rack.bandwidth = 1e9;
  Passage own{.transfer = 1000};
  for (Slow slow : {Slow::Both, Slow::Sender, Slow::Receiver}) {
    Links links(8, racks);
    for (int turn = 0; turn != 2; ++turn)
      for (int pair = 0; pair != 4; ++pair) {
        int64_t done = 1000 * (turn + 1), ready = 1000 * turn;
        EXPECT_EQ(links.send({pair, pair + 4, ready, 250, own, slow}), done);
        EXPECT_EQ(links.send({pair + 4, pair, ready, 250, own, slow}), done);
      }
  }
}

TEST(Links, AnUplinkThatIsTooSlowIsAllThatCounts) {
  // k at once take k transfers of the uplink, and no more where a member's
  // link is the faster one.
  std::vector<Uplink> racks(1);
  racks[0].members = {0, 1, 2, 3};
  racks[0].bandwidth = 1e9;
  Links links(8, racks);
  Passage own{.transfer = 400};
  for (int k : {1, 2, 3, 4})
    EXPECT_EQ(links.send({k - 1, k + 3, 0, 300, own}), std::max(400, k * 300));
  // Its own link is free for others meanwhile.
  EXPECT_EQ(links.send({5, 4, 400, 300, own}), 800);
}

TEST(Links, TheSlowestUplinkIsLate) {
  std::vector<Uplink> racks(1);
  racks[0].members = {0};
  racks[0].bandwidth = 1e-3;
  constexpr int64_t year = int64_t{365} * 24 * 3600 * 1'000'000'000;
  EXPECT_GT(racks[0].transfer(100'000'000), 10 * year);
  Links links(2, racks);
  int64_t last = 0;
  for (int i = 0; i != 100; ++i) {
    int64_t there = links.send({0, 1, 0, 100'000'000, {.latency = year}});
    EXPECT_GT(there, 10 * year);
    EXPECT_GE(there, last);
    last = there;
  }
  EXPECT_GT(last, 100 * year);
}

TEST(Links, ACollectiveOccupiesUplinks) {
  std::vector<Uplink> racks = twoRacks();
  Links links(6, racks);
  EXPECT_EQ(links.together(0, 50), 50);
  EXPECT_EQ(links.send({0, 5, 0, 10, {}}), 60);
}

/// When each of three workers has its first model, in nanoseconds.
std::vector<int64_t> firstModels(const ClusterLink &link) {
  Cluster cluster;
  cluster.repeat = true;
  cluster.workers.emplace_back().overhead = 1;
  cluster.link = link;
  SimRun run;
  run.program = boundedStaleness();
  std::unique_ptr<ClusterCosts> costs;
  EXPECT_TRUE(ClusterCosts::make(cluster, run.program.spec, 4, 1, costs));
  SimSetup setup{.spec = run.program.spec};
  setup.members = 4;
  setup.costs = costs.get();
  setup.rounds = 2;
  EXPECT_TRUE(run.start(setup));
  EXPECT_TRUE(run.run());
  std::vector<int64_t> done;
  for (int rank : {1, 2, 3})
    done.push_back(eventsOf(run.log, "await", rank)[0]["done"]);
  return done;
}

TEST(Links, AServersBandwidthIsShared) {
  // One byte a second: models come one after the other, a latency later.
  std::vector<int64_t> done = firstModels({5, 1, {}, {}, {}, {}});
  int64_t latency = 5'000'000'000, transfer = done[0] - latency;
  EXPECT_GT(transfer, 0);
  EXPECT_EQ(done[1], 2 * transfer + latency);
  EXPECT_EQ(done[2], 3 * transfer + latency);
}

TEST(Links, AFixedTimeIsThatOfTheWorkersLink) {
  int64_t second = 1'000'000'000;
  EXPECT_EQ(firstModels({0, 0, {}, {}, 1.0, {}}),
            (std::vector<int64_t>{second, second, second}));
}

} // namespace
