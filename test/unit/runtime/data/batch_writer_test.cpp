// Micro-batches: the shares of rounds, every sample once, exact tails, and what
// lies in the buffers.
#include "data/batch_writer.h"
#include "data/cursor.h"
#include "data/files.h"
#include "data/sample_order.h"

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

  /// The samples of a micro-batch of these rows, after checking each of it.
  std::vector<int64_t> write(std::span<const int64_t> rows) {
    std::fill(x, x + 4, -7.f);
    std::fill(ids, ids + 4, 1000);
    BatchWriter(unit, dataset).write(buffers, rows);
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

  /// Those that a cursor gives next.
  std::vector<int64_t> next(Cursor &cursor, const SampleOrder &order) {
    std::vector<int64_t> rows(4);
    rows.resize(size_t(cursor.take(rows)));
    order.resolve(rows);
    return write(rows);
  }

  Folder folder;
  Unit unit;
  Dataset dataset;
  float x[4], weights[4];
  int64_t y[4], ids[4];
  BatchBuffers buffers;
};

TEST(BatchWriter, ShareIsContiguousAndComplete) {
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

TEST(BatchWriter, FillsRowsAndClearsTheRest) {
  Fixture fixture(27);
  using List = std::vector<int64_t>;
  for (const List &rows : {List{5, 26, 0, 5}, List{3}, List{}, List{7, 1}})
    EXPECT_EQ(fixture.write(rows), rows);
}

TEST(BatchWriter, WeightsMayBeDoubles) {
  Fixture fixture(27);
  double weights[4];
  fixture.unit.weights.dtype = RB_F64;
  fixture.buffers.weights = weights;
  int64_t rows[] = {1, 2, 3};
  BatchWriter(fixture.unit, fixture.dataset).write(fixture.buffers, rows);
  EXPECT_EQ(weights[2], 1);
  EXPECT_EQ(weights[3], 0);
}

/// Of a run with quanta of 4.
CursorShape shape(int64_t samples, int64_t quanta, int64_t members,
                  int64_t index) {
  return {samples, 16, quanta, 4, members, index};
}

TEST(Rounds, RanksTakeContiguousSharesWithAnExactTail) {
  // 27 samples, rounds of 16 over 2 ranks of 2 quanta: 16, then 11 = 5 + 6.
  Fixture fixture(27);
  SampleOrder order{27, 0, false};
  Cursor first(shape(27, 2, 2, 0)), second(shape(27, 2, 2, 1));
  using List = std::vector<int64_t>;
  auto next = [&](Cursor &cursor) { return fixture.next(cursor, order); };
  EXPECT_EQ(first.roundSamples(), 16);
  EXPECT_EQ(next(first), (List{0, 1, 2, 3}));
  EXPECT_EQ(next(first), (List{4, 5, 6, 7}));
  EXPECT_EQ(next(second), (List{8, 9, 10, 11}));
  EXPECT_EQ(next(second), (List{12, 13, 14, 15}));
  first.endRound(true);
  second.endRound(true);
  EXPECT_EQ(first.roundSamples(), 11);
  EXPECT_EQ(next(first), (List{16, 17, 18, 19}));
  EXPECT_EQ(next(first), (List{20}));
  EXPECT_EQ(next(second), (List{21, 22, 23, 24}));
  EXPECT_EQ(next(second), (List{25, 26}));
  first.endRound(true);
  EXPECT_EQ(next(first), (List{0, 1, 2, 3}));
}

TEST(Rounds, TailMayLeaveARankWithPaddingOnly) {
  Fixture fixture(17); // 16, then 1 = 0 + 1
  SampleOrder order{17, 0, false};
  Cursor cursor(shape(17, 2, 2, 0));
  auto next = [&] { return fixture.next(cursor, order); };
  next(), next();
  cursor.endRound(true);
  EXPECT_TRUE(next().empty());
  EXPECT_TRUE(next().empty());
  cursor.endRound(true);
  EXPECT_EQ(next().front(), 0);
}

/// At equal global batch the rounds hold the same samples for any number of
/// members, and an epoch holds each sample once.
TEST(Rounds, DoNotDependOnTheNumberOfMembers) {
  Fixture fixture(101);
  SampleOrder order{101, 5, true};
  std::vector<std::vector<int64_t>> reference;
  for (int64_t members : {1, 2, 4}) {
    std::vector<std::vector<int64_t>> rounds(14); // two epochs of 7
    for (int64_t rank = 0; rank < members; ++rank) {
      Cursor cursor(shape(101, 4 / members, members, rank));
      for (auto &round : rounds) {
        for (int64_t q = 0; q < 4 / members; ++q)
          for (int64_t sample : fixture.next(cursor, order))
            round.push_back(sample);
        cursor.endRound(true);
      }
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

} // namespace
