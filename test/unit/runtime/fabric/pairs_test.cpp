// Exchanges of pairs over every transport.
#include "transports.h"

using namespace rubato;

namespace {

class Pairs : public Transports {};

const ChannelSpec pairs{"pairs", ChannelSpec::Kind::Pair, 1 << 20, -1, 0};

/// What a member sends: different for everybody, tag and place.
float valueOf(int rank, int64_t tag, int64_t i) {
  return float(rank * 1000000 + (tag * 31 + i) % 999983);
}

std::vector<float> message(int rank, int64_t tag, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    values[size_t(i)] = valueOf(rank, tag, i);
  return values;
}

/// Random pairs, the same for everybody who asks: partners of every round.
std::vector<std::vector<int>> schedule(int members, int rounds) {
  std::mt19937 random(7);
  std::vector<std::vector<int>> result;
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> order(static_cast<size_t>(members)),
        partner(order.size(), -1);
    for (int i = 0; i < members; ++i)
      order[size_t(i)] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i = 0; i + 1 < order.size(); i += 2) {
      if (random() % 4 == 0)
        continue; // so that members get out of step
      partner[size_t(order[i])] = order[i + 1];
      partner[size_t(order[i + 1])] = order[i];
    }
    result.push_back(partner);
  }
  return result;
}

TEST_P(Pairs, RandomPairsGetEachOthersValues) {
  for (int members : {2, 3, 5, 7}) {
    make(members, {pairs, pairs});
    auto rounds = schedule(members, 60);
    runAll([&](int rank) {
      std::mt19937 random(unsigned(rank + 1));
      for (int64_t tag = 0; tag < int64_t(rounds.size()); ++tag) {
        int peer = rounds[size_t(tag)][size_t(rank)];
        if (peer < 0)
          continue;
        int64_t count = tag % 7 ? 200 : 30000, future = 0;
        int channel = int(tag % 2);
        auto values = message(rank, tag, count);
        Part parts[] = {partOf(values)};
        NEED_OK(fabric->startExchange(rank, channel, peer, tag, parts, future));
        std::ranges::fill(values, -1.0f); // it was copied
        if (random() % 3 == 0)
          pause(random, 1000); // the peer runs ahead
        if (random() % 2)
          (void)fabric->done(rank, future);
        NEED_OK(fabric->await(rank, future, parts, soon()));
        NEED(values == message(peer, tag, count));
      }
      return true;
    });
  }
}

TEST_P(Pairs, ASnapshotLivesUntilItIsRead) {
  // Rank 0 goes on with five others before the first has read its values.
  make(7, {pairs});
  runAll([&](int rank) {
    int64_t future = 0;
    auto values = message(rank, rank, 5000);
    Part parts[] = {partOf(values)};
    if (rank == 0) {
      for (int peer = 1; peer < 7; ++peer) {
        auto mine = message(0, peer, 5000);
        Part ins[] = {partOf(mine)};
        NEED_OK(fabric->startExchange(0, 0, peer, peer, ins, future));
        NEED_OK(fabric->await(0, future, ins, soon()));
        NEED(mine == message(peer, peer, 5000));
      }
      return true;
    }
    NEED_OK(fabric->startExchange(rank, 0, 0, rank, parts, future));
    if (rank <= 3)
      usleep(20000);
    NEED_OK(fabric->await(rank, future, parts, soon()));
    NEED(values == message(0, rank, 5000));
    return true;
  });
}

TEST_P(Pairs, ATagThatIsUsedAgainMeansTheOldestFirst) {
  make(2, {pairs});
  runAll([&](int rank) {
    std::mt19937 random(unsigned(rank + 1));
    for (int64_t round = 0; round < 200; ++round) {
      auto values = message(rank, round, 50);
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->startExchange(rank, 0, 1 - rank, 0, parts, future));
      if (random() % 8 == 0)
        pause(random, 300);
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(values == message(1 - rank, round, 50));
    }
    return true;
  });
}

TEST_P(Pairs, ACancelledExchangeLeavesRoomAndNothingBehind) {
  make(3, {pairs});
  runAll([&](int rank) {
    auto exchange = [&](int peer, int64_t tag, bool cancel) {
      auto values = message(rank, tag, 300);
      Part parts[] = {partOf(values)};
      int64_t future = 0;
      NEED_OK(fabric->startExchange(rank, 0, peer, tag, parts, future));
      if (cancel) {
        fabric->cancel(rank, future);
        return true;
      }
      NEED_OK(fabric->await(rank, future, parts, soon()));
      NEED(values == message(peer, tag, 300));
      return true;
    };
    // Rank 1 gives up every other one; what rank 0 sent it is dropped, what it
    // sent counts. Far more often than there are letters and buffers.
    for (int64_t tag = 0; tag < 40; ++tag) {
      if (rank == 2)
        break;
      NEED(exchange(1 - rank, tag, rank == 1 && tag % 2));
    }
    NEED_OK(fabric->barrier(rank, soon()));
    if (rank > 0)
      NEED(exchange(3 - rank, 99, false));
    return true;
  });
}

TEST_P(Pairs, OnlyOneIsUnderWay) {
  make(2, {pairs});
  std::vector<float> values(4);
  Part parts[] = {partOf(values)};
  int64_t future = 0;
  ASSERT_TRUE(fabric->startExchange(0, 0, 1, 1, parts, future));
  Status status = fabric->startExchange(0, 0, 1, 2, parts, future);
  if (!refusesAtOnce())
    status = fabric->await(0, future, parts, soon());
  EXPECT_TRUE(failsWith(status, ErrorCode::Internal,
                        {"exchange with rank 1 under tag 2", "await one"}));
}

TEST_P(Pairs, OtherTagsDoNotMeetAndOtherTypesAreNamed) {
  make(2, {pairs, pairs});
  runAll([&](int rank) {
    std::vector<float> values(4);
    std::vector<double> doubles(2);
    Part floats[] = {partOf(values)};
    Part mine[] = {rank ? partOf(values) : partOf(doubles)};
    int64_t future = 0, tag = 5 + rank;
    NEED_OK(fabric->startExchange(rank, 0, 1 - rank, tag, floats, future));
    NEED(!fabric->done(rank, future));
    std::string peer = "rank " + std::to_string(1 - rank) + " did not answer";
    std::string call = "under tag " + std::to_string(tag);
    NEED(failsWith(fabric->await(rank, future, floats, within(30)),
                   ErrorCode::Communication,
                   {peer.c_str(), call.c_str(), "'pairs'", "deadline"}));
    NEED_OK(fabric->startExchange(rank, 1, 1 - rank, 9, mine, future));
    NEED(failsWith(fabric->await(rank, future, mine, soon()),
                   ErrorCode::Communication, {"other types", "under tag 9"}));
    return true;
  });
}

RB_ALL_TRANSPORTS(Pairs);

} // namespace
