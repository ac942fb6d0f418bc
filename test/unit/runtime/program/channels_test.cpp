// The blocks that a fabric is asked for.
#include "program/channels.h"

#include <gtest/gtest.h>

using namespace rubato;

/// Blocks of a size that a member gets.
static int countOf(std::span<const BlockDemand> demands, int64_t bytes,
                   int rank) {
  int count = 0;
  for (const BlockDemand &demand : demands)
    if (demand.bytes == bytes && (demand.rank < 0 || demand.rank == rank))
      count += demand.count;
  return count;
}

TEST(Channels, AServerHasBlocksForWhatItsWorkersHold) {
  // Two values that fit a message, and one that does not.
  ChannelSpec mail{"mail", ChannelSpec::Kind::Mailbox, 10000, 1};
  auto demands = blocksOf({8192, 20000, 8192}, {&mail, 1}, 4);
  for (int rank = 0; rank < 4; ++rank) {
    // Its own, an upload on its way and one in the server's hands; of three
    // workers' models the newest and the one before.
    EXPECT_EQ(countOf(demands, 8192, rank), 2 + 2 + (rank == 1 ? 3 * 2 : 0));
    EXPECT_EQ(countOf(demands, 20000, rank), 1);
  }
}

TEST(Channels, ValuesOnTheirWayNeedBlocksToo) {
  ChannelSpec channels[] = {{"grads", ChannelSpec::Kind::Collective, 8192},
                            {"pairs", ChannelSpec::Kind::Pair, 8192}};
  channels[0].inFlight = 3;
  auto demands = blocksOf({8192}, channels, 2);
  for (int rank : {0, 1})
    EXPECT_EQ(countOf(demands, 8192, rank), 1 + 3 + 4);
}

TEST(Channels, EachMemberMayStillReadWhatAPairSent) {
  ChannelSpec pairs{"pairs", ChannelSpec::Kind::Pair, 8192};
  for (auto [members, kept] : {std::pair{2, 4}, {4, 5}, {6, 7}, {64, 8}})
    EXPECT_EQ(countOf(blocksOf({8192}, {&pairs, 1}, members), 8192, 1),
              1 + kept)
        << members;
}
