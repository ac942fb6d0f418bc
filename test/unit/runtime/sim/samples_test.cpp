// The stream of samples: shares, what is given back, leases, epochs.
#include "sim/samples.h"
#include "support.h"

#include <algorithm>

using namespace rubato;
using namespace rubato::sim;

namespace {

/// Two workers of one strand that may take by cursor.
class SamplesTest : public testing::Test {
protected:
  SamplesTest() {
    RoleSpec role;
    role.name = "worker";
    role.strands = {{"main", 0, true, true}};
    spec.roles = {role};
    for (int rank = 0; rank != 2; ++rank)
      strands[rank].rank = rank;
  }
  void make(int64_t samples, int64_t batch, int64_t quanta = 1,
            bool shuffle = false) {
    stream = std::make_unique<Samples>(
        SampleOptions{samples, batch, quanta, shuffle, 9}, spec, 2);
  }
  Places take(int rank, const BatchRequest &request) {
    Places places;
    Status status = stream->take(
        strands[rank], request,
        [&](int other, int) { return strands[other].round; }, places);
    EXPECT_TRUE(status) << status.message();
    return places;
  }
  Places queue(int rank, int channel = -1) {
    return take(rank, {RB_BATCH_QUEUE, channel, {}});
  }
  Places lease(int rank, int64_t ticket) {
    return take(rank, {RB_BATCH_QUEUE, -1, {&ticket, 1}});
  }
  void boundary(int rank) {
    stream->end(strands[rank]);
    ++strands[rank].round;
    stream->begin(strands[rank]);
  }

  ProgramSpec spec;
  Strand strands[2];
  std::unique_ptr<Samples> stream;
};

TEST_F(SamplesTest, ARoundIsDealtInShares) {
  make(10, 2);
  stream->begin(strands[0]);
  EXPECT_EQ(stream->total(strands[0]), 4);
  EXPECT_EQ(take(0, {}), (Places{0, 1}));
  boundary(0); // ahead of the other: its round is fixed already
  EXPECT_EQ(take(0, {}), (Places{4, 5}));
  stream->begin(strands[1]);
  EXPECT_EQ(take(1, {}), (Places{2, 3}));
  // More than its quanta: a block for those who are still in the round.
  EXPECT_EQ(take(1, {}), (Places{8, 9}));
  boundary(1);
  EXPECT_EQ(take(1, {}), (Places{6, 7}));
  boundary(0);
  boundary(1);
  ASSERT_OK(stream->check());
  EXPECT_EQ(stream->consumedCount(), 10);
}

TEST_F(SamplesTest, WhatIsNotTakenIsGivenBack) {
  make(12, 2, /*quanta=*/2);
  stream->begin(strands[0]);
  stream->begin(strands[1]);
  EXPECT_EQ(take(0, {}), (Places{0, 1}));
  stream->end(strands[0]); // 2 and 3 come back
  EXPECT_EQ(queue(1), (Places{2, 3}));
  EXPECT_EQ(queue(1), (Places{8, 9}));
  ++strands[0].round;
  ASSERT_OK(stream->check());
}

TEST_F(SamplesTest, AShareThatNobodyLookedAtIsGivenBack) {
  make(20, 2);
  stream->begin(strands[0]);
  stream->begin(strands[1]);
  take(0, {});
  EXPECT_EQ(take(0, {}), (Places{4, 5})); // a second block, for both
  take(1, {});
  stream->end(strands[1]); // its part of that block, 6 and 7
  EXPECT_EQ(stream->consumedCount(), 2);
  EXPECT_EQ(queue(0), (Places{6, 7}));
}

TEST_F(SamplesTest, ARoundThatIsVotedDownIsDealtAgain) {
  make(8, 2);
  stream->begin(strands[0]);
  stream->begin(strands[1]);
  Places first = take(0, {});
  take(1, {});
  stream->settle(strands[0], false);
  stream->settle(strands[1], false);
  boundary(0);
  EXPECT_EQ(take(0, {}), first);
  EXPECT_EQ(stream->consumedCount(), 0);
  stream->settle(strands[0], true);
  EXPECT_EQ(stream->consumedCount(), 4); // of both members
}

TEST_F(SamplesTest, NoBatchMixesEpochs) {
  make(5, 2);
  EXPECT_EQ(queue(0).size(), 2u);
  EXPECT_EQ(queue(0).size(), 2u);
  EXPECT_EQ(queue(0), (Places{4}));
  EXPECT_EQ(take(0, {RB_BATCH_PEEK, -1, {}}), (Places{5, 6}));
  EXPECT_EQ(queue(0), (Places{5, 6}));
  EXPECT_EQ(stream->sampleAt(6), 1);
}

TEST_F(SamplesTest, TheWholeDataSetIsNotConsumed) {
  make(5, 2);
  queue(0); // what others take does not matter
  auto whole = [&](int64_t number) {
    return take(1, {RB_BATCH_WHOLE, -1, {&number, 1}});
  };
  EXPECT_EQ(whole(0), (Places{0, 1}));
  EXPECT_EQ(whole(2), (Places{4}));
  EXPECT_EQ(whole(3), Places{});
  EXPECT_EQ(whole(INT64_MAX), Places{});
  EXPECT_EQ(whole(-1), Places{});
  stream->end(strands[1]);
  EXPECT_EQ(stream->consumedCount(), 0);
  EXPECT_EQ(queue(0), (Places{2, 3}));
}

TEST_F(SamplesTest, AReductionAcknowledgesItsQueue) {
  make(20, 2);
  queue(0, 3);
  queue(0, 4);
  EXPECT_FALSE(stream->acknowledge(0, 3));
  EXPECT_EQ(stream->consumedCount(), 2);
  stream->end(strands[0]); // not at the boundary
  EXPECT_EQ(stream->consumedCount(), 2);
  int64_t range[] = {6, 8};
  EXPECT_EQ(take(0, {RB_BATCH_RANGE, -1, range}), (Places{6, 7}));
  EXPECT_TRUE(stream->acknowledge(0, 4)); // rows that were dealt are in it
  EXPECT_EQ(stream->consumedCount(), 6);
}

TEST_F(SamplesTest, AVoidLeaseComesBack) {
  make(20, 2);
  Places first = lease(0, 1), second = lease(1, 1);
  stream->voidLeases(0, 2);
  EXPECT_EQ(lease(0, 2), first);
  stream->accept(1, 1);
  stream->voidLeases(1, 5); // what was accepted stays
  EXPECT_EQ(stream->consumedCount(), 0);
  stream->collect(1, 1);
  EXPECT_EQ(stream->consumedCount(), 2);
  stream->voidLeases(0, 0, /*all=*/true);
  EXPECT_EQ(queue(0), first);
  ASSERT_OK(stream->check());
}

TEST_F(SamplesTest, EveryEpochHasItsOwnOrder) {
  make(16, 16, 1, /*shuffle=*/true);
  Places order[2];
  for (Places &each : order)
    for (int64_t place : queue(0))
      each.push_back(stream->sampleAt(place));
  EXPECT_NE(order[0], order[1]);
  for (Places &each : order) {
    std::ranges::sort(each);
    for (int64_t i = 0; i != 16; ++i)
      EXPECT_EQ(each[static_cast<size_t>(i)], i);
  }
}

TEST_F(SamplesTest, WithReplacementEverySampleIsDrawnAnew) {
  constexpr int64_t samples = 16, draws = 16'000;
  stream = std::make_unique<Samples>(
      SampleOptions{samples, samples, 1, true, 9, /*replacement=*/true}, spec,
      2);
  std::vector<int64_t> count(samples);
  int64_t twice = 0; // as just before
  for (int64_t place = 0, last = -1; place != draws; ++place) {
    int64_t sample = stream->sampleAt(place);
    ASSERT_EQ(stream->sampleAt(place), sample);
    ASSERT_GE(sample, 0);
    ASSERT_LT(sample, samples);
    ++count[static_cast<size_t>(sample)];
    twice += sample == last;
    last = sample;
  }
  // Mean 1000, deviation 31; a permutation would have exactly 1000 of each.
  auto [least, most] = std::ranges::minmax(count);
  EXPECT_LT(least, most);
  EXPECT_GT(least, 850);
  EXPECT_LT(most, 1150);
  EXPECT_NEAR(static_cast<double>(twice), 1000, 150);
}

/// The samples of batches one after the other, however epochs of 20 fall.
TEST_F(SamplesTest, WithReplacementEveryBatchIsFull) {
  constexpr int64_t samples = 20, batch = 8;
  auto sizes = [&] {
    std::vector<size_t> result;
    for (int i = 0; i != 6; ++i)
      result.push_back(queue(i % 2).size());
    return result;
  };
  stream = std::make_unique<Samples>(
      SampleOptions{samples, batch, 1, true, 9, /*replacement=*/true}, spec, 2);
  EXPECT_EQ(sizes(), (std::vector<size_t>{8, 8, 8, 8, 8, 8}));
  Places lent = lease(0, 1);
  EXPECT_EQ(lent.size(), 8U);
  stream->voidLeases(0, 2);
  EXPECT_EQ(queue(0), lent);
  make(samples, batch);
  EXPECT_EQ(sizes(), (std::vector<size_t>{8, 8, 4, 8, 8, 4}));
}

TEST_F(SamplesTest, WhatKeysDrawIsNotDrawnOnceMore) {
  constexpr int64_t samples = 16;
  stream = std::make_unique<Samples>(
      SampleOptions{samples, samples, 1, true, 9, /*replacement=*/true}, spec,
      2);
  bool moves = false;
  for (int64_t place = 0; place != samples; ++place) {
    EXPECT_EQ(stream->rowAt(RB_BATCH_KEYED, place), place);
    EXPECT_EQ(stream->rowAt(RB_BATCH_WHOLE, place), place);
    EXPECT_EQ(stream->rowAt(RB_BATCH_QUEUE, place), stream->sampleAt(place));
    moves |= stream->sampleAt(place) != place;
  }
  EXPECT_TRUE(moves);
  make(samples, 8); // in a shuffled order, draws are places of that
  EXPECT_EQ(stream->rowAt(RB_BATCH_KEYED, 5), stream->sampleAt(5));
}

TEST_F(SamplesTest, KeysDecideAboutABatch) {
  make(1000, 8);
  int64_t keys[] = {3, 4}, others[] = {3, 5};
  BatchRequest same{RB_BATCH_KEYED, -1, keys};
  EXPECT_EQ(take(0, same), take(0, same));
  EXPECT_NE(take(0, same), take(1, same));
  EXPECT_NE(take(0, same), take(0, {RB_BATCH_KEYED, -1, others}));
}

TEST_F(SamplesTest, ARangeIsAQuantum) {
  make(100, 4);
  int64_t ends[] = {8, 13};
  Places places;
  Status status = stream->take(
      strands[0], {RB_BATCH_RANGE, -1, ends}, [](int, int) { return 0; },
      places);
  EXPECT_EQ(status.message(), "rows 8 to 13 are no quantum of 4 samples");
}

} // namespace
