// The shares of rounds and evaluations: every sample once, exact tails.
#include "data/files.h"
#include "data/sources.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

/// Buffers of a quantum of 4 samples of one float, and a data set 0, 1, 2, …
struct Fixture {
  explicit Fixture(int64_t samples) {
    unit.quantum = 4;
    unit.inputs.push_back({"x", RB_F32, {4, 1}, 0, 0});
    unit.labels.push_back({"y", RB_I64, {4}, 0, 0});
    std::vector<int32_t> values;
    for (int32_t i = 0; i < samples; ++i)
      values.push_back(i);
    std::string shape = "(" + std::to_string(samples) + ",)";
    DatasetFiles files;
    files.inputs["x"] = folder.write("x", npy("<i4", shape, bytesOf(values)));
    files.labels["y"] = files.inputs["x"];
    std::vector<std::string> warnings;
    Status status = loadDataset(unit, files, "", dataset, warnings);
    EXPECT_TRUE(status) << status.message();
    buffers.inputs = {x};
    buffers.labels = {y};
    buffers.weights = weights;
    buffers.ids = ids;
  }

  /// The samples of the next micro-batch, after checking every row.
  std::vector<int64_t> next(BatchSource &source) {
    std::fill(x, x + 4, -7.f);
    EXPECT_TRUE(source.next(buffers));
    std::vector<int64_t> samples;
    bool padding = false;
    for (int row = 0; row < 4; ++row) {
      padding |= ids[row] < 0;
      if (padding) {
        EXPECT_EQ(ids[row], -1);
        EXPECT_EQ(weights[row], 0.f);
        EXPECT_EQ(x[row], 0.f);
        EXPECT_EQ(y[row], 0);
      } else {
        EXPECT_EQ(weights[row], 1.f);
        EXPECT_EQ(x[row], static_cast<float>(ids[row]));
        EXPECT_EQ(y[row], ids[row]);
        samples.push_back(ids[row]);
      }
    }
    return samples;
  }

  Folder folder;
  Unit unit;
  Dataset dataset;
  float x[4], weights[4];
  int64_t y[4], ids[4];
  BatchBuffers buffers;
};

TEST(Sources, ShareIsContiguousAndComplete) {
  for (int64_t total : {0, 1, 7, 8, 100})
    for (int64_t parts : {1, 2, 3, 7}) {
      int64_t at = 0;
      for (int64_t part = 0; part < parts; ++part) {
        Share share = shareOf(total, parts, part);
        EXPECT_EQ(share.begin, at);
        EXPECT_LE(share.count, (total + parts - 1) / parts);
        at += share.count;
      }
      EXPECT_EQ(at, total);
    }
}

TEST(Sources, RanksTakeContiguousSharesWithAnExactTail) {
  // 27 samples, rounds of 16 over 2 ranks of 2 quanta: 16, then 11 = 5 + 6.
  Fixture fixture(27);
  TrainOrder order{16, 2, 2, 0, 0, false};
  TrainSource first(fixture.unit, fixture.dataset, order);
  order.rank = 1;
  TrainSource second(fixture.unit, fixture.dataset, order);
  using List = std::vector<int64_t>;
  EXPECT_EQ(first.roundSamples(), 16);
  EXPECT_EQ(fixture.next(first), (List{0, 1, 2, 3}));
  EXPECT_EQ(fixture.next(first), (List{4, 5, 6, 7}));
  EXPECT_EQ(fixture.next(second), (List{8, 9, 10, 11}));
  EXPECT_EQ(fixture.next(second), (List{12, 13, 14, 15}));
  EXPECT_EQ(first.roundSamples(), 11);
  EXPECT_EQ(fixture.next(first), (List{16, 17, 18, 19}));
  EXPECT_EQ(first.epoch(), 0);
  EXPECT_EQ(fixture.next(first), (List{20}));
  EXPECT_EQ(fixture.next(second), (List{21, 22, 23, 24}));
  EXPECT_EQ(fixture.next(second), (List{25, 26}));
  EXPECT_EQ(first.epoch(), 1);
  EXPECT_EQ(fixture.next(first), (List{0, 1, 2, 3}));
}

TEST(Sources, TailMayLeaveARankWithPaddingOnly) {
  Fixture fixture(17); // 16, then 1 = 0 + 1
  TrainOrder order{16, 2, 2, 0, 0, false};
  TrainSource source(fixture.unit, fixture.dataset, order);
  fixture.next(source), fixture.next(source);
  EXPECT_TRUE(fixture.next(source).empty());
  EXPECT_TRUE(fixture.next(source).empty());
  EXPECT_EQ(source.epoch(), 1);
}

/// At equal global batch the rounds hold the same samples for any number of
/// members, and an epoch holds each sample once.
TEST(Sources, RoundsDoNotDependOnTheNumberOfMembers) {
  Fixture fixture(101);
  std::vector<std::vector<int64_t>> reference;
  for (int members : {1, 2, 4}) {
    std::vector<std::vector<int64_t>> rounds(14); // two epochs of 7
    for (int rank = 0; rank < members; ++rank) {
      TrainOrder order{16, 4 / members, members, rank, 5, true};
      TrainSource source(fixture.unit, fixture.dataset, order);
      for (auto &round : rounds)
        for (int64_t q = 0; q < source.quanta(); ++q)
          for (int64_t sample : fixture.next(source))
            round.push_back(sample);
    }
    if (reference.empty())
      reference = rounds;
    EXPECT_EQ(rounds, reference);
  }
  std::vector<int64_t> epochs[2];
  for (size_t i = 0; i < 14; ++i)
    epochs[i / 7].insert(epochs[i / 7].end(), reference[i].begin(),
                         reference[i].end());
  EXPECT_NE(epochs[0], epochs[1]);
  for (auto &epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    for (int64_t i = 0; i < 101; ++i)
      EXPECT_EQ(epoch[static_cast<size_t>(i)], i);
  }
}

TEST(Sources, EvaluationCoversEverySampleOnceInOrder) {
  for (int64_t samples : {1, 4, 10, 27}) {
    Fixture fixture(samples);
    std::vector<int64_t> all;
    for (int rank = 0; rank < 3; ++rank) {
      EvalSource source(fixture.unit, fixture.dataset, 3, rank);
      for (int pass = 0; pass < 2; ++pass) {
        source.rewind();
        for (int64_t q = 0; q < source.quanta(); ++q)
          for (int64_t sample : fixture.next(source))
            if (pass == 1)
              all.push_back(sample);
      }
    }
    ASSERT_EQ(static_cast<int64_t>(all.size()), samples);
    for (int64_t i = 0; i < samples; ++i)
      EXPECT_EQ(all[static_cast<size_t>(i)], i);
  }
}

} // namespace
