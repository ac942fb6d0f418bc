// Slow links: messages of one member's link queue, and others are not held up.
// Times have lower bounds, which hold on any machine; that somebody is not held
// up is seen from the order of things, or against an hour.
#include "transports.h"

#include <algorithm>
#include <csignal>

using namespace rubato;
using namespace std::chrono;

namespace {

/// 50 ms for 4000 bytes, the message of all tests: long enough that a queue is
/// told from a slow machine.
constexpr double kRate = 8e4;
constexpr milliseconds kMessage{50};

const ChannelSpec kSums{"sums", ChannelSpec::Kind::Collective, 4000, -1, 0};
const ChannelSpec kOthers{"others", ChannelSpec::Kind::Collective, 4000, -1, 0};
const ChannelSpec kPairs{"pairs", ChannelSpec::Kind::Pair, 4000, -1, 0};
const ChannelSpec kMorePairs{"more", ChannelSpec::Kind::Pair, 4000, -1, 0};
const ChannelSpec kMail{"mail", ChannelSpec::Kind::Mailbox, 4000, 0, 0};

/// All members are this thread: what is asked of them never waits for another.
class SlowLinks : public testing::TestWithParam<bool> {
protected:
  void make(int members, std::vector<ChannelSpec> channels,
            RateLimit limit = {kRate, {}}) {
    std::unique_ptr<Fabric> inner;
    Status status = GetParam() ? makeSharedFabric(members, channels, inner)
                               : makeThreadFabric(members, channels, inner);
    ASSERT_TRUE(status) << status.message();
    status = makeRateLimitedFabric(std::move(inner), limit, fabric);
    ASSERT_TRUE(status) << status.message();
  }

  int64_t reduce(int rank, int channel) {
    int64_t future = 0;
    EXPECT_TRUE(fabric->startAllReduce(rank, channel, parts, future));
    return future;
  }
  int64_t exchange(int rank, int channel, int peer) {
    int64_t future = 0;
    EXPECT_TRUE(fabric->startExchange(rank, channel, peer, 1, parts, future));
    return future;
  }
  void await(int rank, int64_t future) {
    Status status = fabric->await(rank, future, parts, soon());
    EXPECT_TRUE(status) << status.message();
  }
  void pull(int rank, int channel) {
    int64_t future = 0, ticket = 0, go = 0;
    Part pulled[] = {parts[0], partOf(ticket), partOf(go)};
    EXPECT_TRUE(fabric->startPull(rank, channel, 0, future));
    EXPECT_TRUE(fabric->await(rank, future, pulled, soon()));
    EXPECT_EQ(go, 1);
  }
  steady_clock::duration since() const { return steady_clock::now() - begin; }

  std::unique_ptr<Fabric> fabric;
  std::vector<float> values = std::vector<float>(1000);
  Part parts[1] = {partOf(values)};
  steady_clock::time_point begin = steady_clock::now();
};

TEST_P(SlowLinks, ReductionsOfAChannelAreServedInOrder) {
  make(2, {kSums});
  begin = steady_clock::now();
  int64_t first[2], second[2];
  for (int rank : {0, 1})
    first[rank] = reduce(rank, 0);
  for (int rank : {0, 1})
    second[rank] = reduce(rank, 0);
  // The later one is asked for first, and comes behind the earlier.
  await(0, second[0]);
  EXPECT_GE(since(), 2 * kMessage);
  EXPECT_TRUE(fabric->done(0, first[0]));
  await(0, first[0]);
  // The other member's link had the same to carry meanwhile.
  await(1, first[1]);
  await(1, second[1]);
}

TEST_P(SlowLinks, ReductionsOfTwoChannelsShareALink) {
  make(2, {kSums, kOthers});
  begin = steady_clock::now();
  int64_t one = reduce(0, 0), other = reduce(0, 1);
  reduce(1, 0);
  reduce(1, 1);
  await(0, one);
  await(0, other);
  EXPECT_GE(since(), 2 * kMessage);
}

TEST_P(SlowLinks, ExchangesOfAMemberQueue) {
  make(3, {kPairs, kMorePairs});
  begin = steady_clock::now();
  int64_t one = exchange(0, 0, 1), other = exchange(0, 1, 2);
  exchange(1, 0, 0);
  exchange(2, 1, 0);
  await(0, one);
  EXPECT_GE(since(), kMessage);
  await(0, other);
  EXPECT_GE(since(), 2 * kMessage);
}

/// A direction that is taken for an hour holds up neither the other one nor
/// other members.
TEST_P(SlowLinks, ADirectionHoldsUpOnlyItself) {
  make(4, {kPairs, kMail});
  // An hour of uploads to member 0.
  ASSERT_TRUE(fabric->limitRate({4000.0 / 3600, {}}));
  ASSERT_TRUE(fabric->push(1, 1, 1, parts));
  ASSERT_TRUE(fabric->limitRate({kRate, {}}));
  begin = steady_clock::now();
  int64_t one = exchange(2, 0, 3), other = exchange(3, 0, 2);
  await(2, one);
  await(3, other);
  Granted granted;
  ASSERT_TRUE(fabric->grant(0, 1, true, 0, parts, granted));
  pull(1, 1); // against the upload
  EXPECT_LT(since(), minutes(30));
  // Behind the upload is everything that comes to member 0.
  int64_t late = exchange(0, 0, 1);
  exchange(1, 0, 0);
  EXPECT_EQ(fabric->await(0, late, parts, within(200)).code(),
            ErrorCode::Communication);
}

TEST_P(SlowLinks, AServersLinkIsShared) {
  make(4, {kMail});
  begin = steady_clock::now();
  Granted granted;
  ASSERT_TRUE(fabric->grant(0, 0, true, 0, parts, granted));
  ASSERT_EQ(granted.ranks, (std::vector<int>{1, 2, 3}));
  for (int rank : {1, 2, 3}) {
    pull(rank, 0);
    EXPECT_GE(since(), rank * kMessage);
  }
  begin = steady_clock::now();
  for (int rank : {3, 1, 2})
    ASSERT_TRUE(
        fabric->push(rank, 0, granted.tickets[size_t(rank - 1)], parts));
  Collected collected;
  ASSERT_TRUE(fabric->collect(0, 0, 3, false, parts, collected, soon()));
  EXPECT_GE(since(), 3 * kMessage);
}

/// Latency is no occupation: with a rate of which nobody notices anything,
/// what was sent at the same time is there at the same time.
TEST_P(SlowLinks, LatencyOccupiesNothing) {
  make(3, {kMail}, {1e15, milliseconds(20)});
  begin = steady_clock::now();
  Granted granted;
  ASSERT_TRUE(fabric->grant(0, 0, true, 0, parts, granted));
  int64_t future = 0;
  ASSERT_TRUE(fabric->startPull(2, 0, 0, future));
  pull(1, 0);
  EXPECT_GE(since(), milliseconds(20));
  // Four nanoseconds behind it.
  usleep(1000);
  EXPECT_TRUE(fabric->done(2, future));
}

/// Two parts of one value, of which the first is ready early: a part occupies
/// the link from when all are ready with it, and not before the part in front
/// of it has passed.
class SlowParts : public SlowLinks {
protected:
  void makeParts(int64_t firstBytes, int64_t lastBytes) {
    first = firstBytes;
    all = firstBytes + lastBytes;
    make(2, {{"sums", ChannelSpec::Kind::Collective, all, -1, 0}});
    BlockDemand demand{all, 4};
    ASSERT_TRUE(fabric->mapBlocks({&demand, 1}));
    for (int rank : {0, 1}) {
      operands[rank] = fabric->blocks(rank).take(all);
      std::fill_n(reinterpret_cast<float *>(operands[rank]->data), all / 4,
                  1.0f);
    }
  }
  Part operand(int rank) {
    return {RB_F32, all / 4, operands[rank]->data, &operands[rank]};
  }
  void say(int rank, int64_t bytes) {
    Status status = fabric->ready(rank, 0, operand(rank), bytes);
    EXPECT_TRUE(status) << status.message();
  }
  void startBoth() {
    for (int rank : {0, 1}) {
      Part ins[] = {operand(rank)};
      Status status = fabric->startAllReduce(rank, 0, ins, futures[rank]);
      EXPECT_TRUE(status) << status.message();
    }
    started = steady_clock::now();
  }
  void awaitFirst(int rank) {
    Part outs[] = {{RB_F32, all / 4, nullptr, &sums[rank]}};
    Status status =
        fabric->awaitFirst(rank, futures[rank], outs, first, soon());
    EXPECT_TRUE(status) << status.message();
  }
  void arrive(int rank) {
    Status status = fabric->arrive(rank, futures[rank], all, soon());
    EXPECT_TRUE(status) << status.message();
    for (int64_t i = 0; i < all / 4; ++i)
      ASSERT_EQ(reinterpret_cast<const float *>(sums[rank]->data)[i], 2.0f);
  }
  static nanoseconds transfer(int64_t bytes) {
    return nanoseconds(int64_t(double(bytes) * 1e9 / kRate));
  }

  int64_t first = 0, all = 0, futures[2] = {0, 0};
  SharedBlock operands[2], sums[2];
  steady_clock::time_point started;
};

TEST_P(SlowParts, PassOneAfterAnother) {
  makeParts(8000, 4000);
  begin = steady_clock::now();
  for (int rank : {0, 1})
    say(rank, first);
  startBoth();
  awaitFirst(0);
  EXPECT_GE(since(), transfer(8000));
  arrive(0);
  EXPECT_GE(since(), transfer(12000));
  awaitFirst(1);
  arrive(1);
}

TEST_P(SlowParts, WaitForTheLastMember) {
  makeParts(8000, 4000);
  say(0, first);
  usleep(60000);
  begin = steady_clock::now(); // what counts is when the other is ready
  say(1, first);
  startBoth();
  awaitFirst(0);
  EXPECT_GE(since(), transfer(8000));
  arrive(0);
  EXPECT_GE(since(), transfer(12000));
}

/// Against a second that the first part takes.
TEST_P(SlowParts, PassBeforeTheStart) {
  makeParts(80000, 4000);
  begin = steady_clock::now();
  for (int rank : {0, 1})
    say(rank, first);
  std::this_thread::sleep_until(begin + transfer(80000) + milliseconds(10));
  startBoth();
  auto late = started;
  awaitFirst(0); // was there
  arrive(0);
  EXPECT_GE(steady_clock::now() - late, transfer(4000) - milliseconds(1));
  EXPECT_LT(steady_clock::now() - late, transfer(80000));
}

/// Against a second that the last part takes.
TEST_P(SlowParts, AreThereBeforeTheRest) {
  makeParts(4096, 80000);
  startBoth();
  // One who says nothing has the whole at once: there are no parts.
  begin = started;
  awaitFirst(0);
  EXPECT_GE(since(), transfer(84096) - milliseconds(1));
  arrive(0);
  awaitFirst(1);
  arrive(1);
  for (int rank : {0, 1})
    sums[rank].reset();
  for (int rank : {0, 1})
    say(rank, first);
  startBoth();
  awaitFirst(0);
  EXPECT_FALSE(fabric->done(0, futures[0]));
  EXPECT_LT(steady_clock::now() - started, transfer(80000));
  arrive(0);
  EXPECT_GE(steady_clock::now() - started, transfer(80000));
}

INSTANTIATE_TEST_SUITE_P(All, SlowParts, testing::Bool(), [](const auto &info) {
  return info.param ? "Shared" : "Threads";
});

INSTANTIATE_TEST_SUITE_P(All, SlowLinks, testing::Bool(), [](const auto &info) {
  return info.param ? "Shared" : "Threads";
});

/// A member is killed in the middle of sending, again and again; the server's
/// link is free for the others once what was queued has passed.
TEST(SlowLinksOfProcesses, ADeadMembersMessagesPass) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::unique_ptr<Fabric> inner, fabric;
    ChannelSpec channels[] = {kMail, kPairs};
    ASSERT_TRUE(makeSharedFabric(4, channels, inner));
    ASSERT_TRUE(makeRateLimitedFabric(std::move(inner), {1e9, microseconds(1)},
                                      fabric));
    std::vector<float> values(1000);
    Part parts[] = {partOf(values)};
    Granted granted;
    ASSERT_TRUE(fabric->grant(0, 0, true, 0, parts, granted));
    pid_t victim = fork();
    if (victim == 0)
      for (int64_t tag = 0;; ++tag) {
        int64_t future = 0;
        (void)fabric->push(1, 0, granted.tickets[0], parts);
        (void)fabric->startExchange(1, 1, 2, tag, parts, future);
        fabric->cancel(1, future);
      }
    std::mt19937 random(seed);
    usleep(500 + random() % 3000);
    ASSERT_EQ(kill(victim, SIGKILL), 0);
    ASSERT_EQ(waitpid(victim, nullptr, 0), victim);
    fabric->lost(1);

    ASSERT_TRUE(fabric->push(2, 0, granted.tickets[1], parts));
    ASSERT_TRUE(fabric->push(3, 0, granted.tickets[2], parts));
    Collected collected;
    Status status = fabric->collect(0, 0, 2, false, parts, collected, soon());
    EXPECT_TRUE(status) << status.message();
    int64_t ours = 0, theirs = 0;
    ASSERT_TRUE(fabric->startExchange(2, 1, 3, 1, parts, ours));
    ASSERT_TRUE(fabric->startExchange(3, 1, 2, 1, parts, theirs));
    EXPECT_TRUE(fabric->await(2, ours, parts, soon()));
    EXPECT_TRUE(fabric->await(3, theirs, parts, soon()));
  }
}

} // namespace
