// Whole runs of programs in a real environment.
#include "program/course.h"

#include "data/batch_writer.h"
#include "data/permutation.h"

#include <algorithm>

using namespace rubato;
using namespace rubato::test;

namespace {

struct RealRun : testing::Test {
  void TearDown() override {
    Course::tune = nullptr;
    handHook = nullptr;
  }
};

/// The delayed iteration in one loop, with the sums in the order of ranks.
std::vector<float> serialDelayed(const Points &points, int members,
                                 int64_t budget, int64_t &applied) {
  float w[3] = {0.25f, -0.25f, 0.5f};
  auto samples = int64_t(points.y.size());
  HandSum carried = {};
  applied = 0;
  int64_t place = 0;
  auto apply = [&] {
    for (int i = 0; carried.samples && i < 3; ++i)
      w[i] -= 0.1f * carried.g[i] / float(carried.samples);
    applied += carried.samples;
  };
  do {
    int64_t count = std::min(handQuantum * members, samples - place % samples);
    Permutation order(samples, 0, uint64_t(place / samples));
    HandSum next = {};
    for (int rank = 0; rank < members; ++rank) {
      Share share = shareOf(count, members, rank);
      HandSum own = {};
      for (int64_t i = 0; i < share.count; ++i) {
        int64_t row = order[place % samples + share.begin + i];
        addSample(w, &points.x[size_t(2 * row)], points.y[size_t(row)], own);
      }
      for (int i = 0; i < 3; ++i)
        next.g[i] += own.g[i];
      next.samples += own.samples;
    }
    place += count;
    apply();
    carried = next;
  } while (applied < budget);
  apply();
  return {w, w + 3};
}

TEST_F(RealRun, DelayedIsTheSerialIteration) {
  for (int members : {1, 3}) {
    Course run(delayedUnit(), members, 200);
    run.go();
    int64_t applied = 0;
    std::vector<float> expected =
        serialDelayed(run.points, members, 200, applied);
    for (int rank = 0; rank < members; ++rank) {
      HandPrivate &p = run.memoryOf(rank);
      EXPECT_EQ(p.seen, applied);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(p.w[i], expected[size_t(i)]) << members << " " << rank;
    }
  }
}

TEST_F(RealRun, TheQueueGivesEverySampleOnce) {
  Course run(delayedUnit(1), 3, 400);
  run.go();
  std::vector<int64_t> times(50);
  int64_t drawn = 0, seen = run.memoryOf(0).seen;
  for (int rank = 0; rank < 3; ++rank) {
    HandPrivate &p = run.memoryOf(rank);
    EXPECT_EQ(p.seen, seen);
    EXPECT_EQ(p.w[0], run.memoryOf(0).w[0]);
    for (size_t i = 0; i < times.size(); ++i) {
      times[i] += p.times[i];
      drawn += p.times[i];
    }
  }
  // What was drawn is applied, the last of it by the drain.
  EXPECT_EQ(drawn, seen);
  auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LE(*most - *least, 1);
  int64_t samples = 0, rounds = run.statistics[0].rounds[0];
  for (MemberStatistics &each : run.statistics) {
    samples += each.samples;
    EXPECT_EQ(each.rounds[0], rounds);
    EXPECT_GE(each.gradients, rounds);
    EXPECT_GT(each.gradientTime, 0);
    EXPECT_GE(each.idle(0), 0);
    EXPECT_LE(each.idle(0), 1);
  }
  EXPECT_EQ(samples, drawn);
}

TEST_F(RealRun, GossipAgreesOnAModel) {
  for (int members : {1, 2, 4}) {
    Course run(gossipUnit(400), members, 400);
    run.go();
    int64_t seen = 0, averagings = 0;
    for (int rank = 0; rank < members; ++rank) {
      HandPrivate &p = run.memoryOf(rank);
      seen += p.seen;
      averagings += p.count;
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(p.model[i], run.memoryOf(0).model[i]);
    }
    EXPECT_GE(seen, 400);
    if (members > 1)
      EXPECT_GT(averagings, 0);
    else
      EXPECT_EQ(averagings, 0);
  }
}

TEST_F(RealRun, TheServerWaitsForAll) {
  Course run(mailboxUnit(), 4, 240);
  run.go();
  HandPrivate &server = run.memoryOf(0);
  EXPECT_EQ(server.seen, 240); // 10 rounds of 3 workers, 2 steps of 4
  EXPECT_EQ(run.statistics[0].rounds[0], 10);
  EXPECT_EQ(run.statistics[0].samples, 0);
  for (int rank = 1; rank < 4; ++rank)
    EXPECT_EQ(run.statistics[size_t(rank)].samples, 80);
  Course twin(mailboxUnit(), 4, 240);
  twin.go();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(server.model[i], twin.memoryOf(0).model[i]);
}

TEST_F(RealRun, SynchronousIsTheSerialIteration) {
  Course run(syncUnit(), 3, 50);
  run.go();
  float w[3] = {0.25f, -0.25f, 0.5f};
  Permutation order(50, 0, 0);
  for (int64_t place = 0; place < 50;) {
    int64_t count = std::min<int64_t>(12, 50 - place);
    HandSum all = {};
    for (int rank = 0; rank < 3; ++rank) {
      Share share = shareOf(count, 3, rank);
      HandSum own = {};
      for (int64_t i = 0; i < share.count; ++i) {
        int64_t row = order[place + share.begin + i];
        addSample(w, &run.points.x[size_t(2 * row)], run.points.y[size_t(row)],
                  own);
      }
      for (int i = 0; i < 3; ++i)
        all.g[i] += own.g[i];
      all.samples += own.samples;
    }
    for (int i = 0; i < 3; ++i)
      w[i] -= 0.1f * all.g[i] / float(all.samples);
    place += count;
  }
  for (auto &member : run.crew) {
    auto *trained =
        static_cast<float *>(member->hostAddress(run.unit.parameters));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(trained[i], w[i]);
  }
  int64_t samples = 0;
  double loss = 0;
  for (MemberStatistics &each : run.statistics) {
    samples += each.samples;
    loss += each.loss;
  }
  EXPECT_EQ(samples, 50);
  EXPECT_GT(loss, 0);
}

TEST_F(RealRun, StopsAfterSteps) {
  Course::tune = [](RealSetup &setup) { setup.steps = 5; };
  Course run(delayedUnit(1), 2, int64_t(1) << 40);
  run.go();
  EXPECT_EQ(run.crew[0]->rounds(0), 6); // the flag is a round under way
  EXPECT_EQ(run.crew[1]->rounds(0), 6);
}

TEST_F(RealRun, StopsInTime) {
  Course::tune = [](RealSetup &setup) { setup.seconds = 0.05; };
  Course run(gossipUnit(int64_t(1) << 40), 2, int64_t(1) << 40);
  run.go();
  EXPECT_GE(run.statistics[0].ended.load(), 50'000'000);
}

TEST_F(RealRun, SlowsAMemberDown) {
  Course::tune = [](RealSetup &setup) { setup.slow = {1, 1000}; };
  Course run(delayedUnit(), 2, 400);
  run.go();
  EXPECT_GT(run.statistics[1].gradientTime.load(),
            10 * run.statistics[0].gradientTime.load());
}

TEST_F(RealRun, ALossThatIsNotFiniteEndsTheRun) {
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round == 2)
      handPrivate(ctx).w[0] = std::numeric_limits<float>::quiet_NaN();
  };
  auto message = [] {
    Course run(delayedUnit(), 1, 400);
    EXPECT_TRUE(run.crew[0]->init());
    Status status = run.crew[0]->strand(0);
    EXPECT_EQ(status.code(), ErrorCode::Numeric);
    return status.message();
  };
  EXPECT_EQ(message(), "worker.round, round 2: the loss is not a number; try a "
                       "smaller --lr, and check the inputs and their --scale");
  Course::tune = [](RealSetup &setup) { setup.learningRate = "0.125"; };
  handHook = [](rb_ctx *ctx, int64_t round) {
    if (round == 2)
      handPrivate(ctx).w[0] = std::numeric_limits<float>::infinity();
  };
  EXPECT_EQ(message().find("worker.round, round 2: the loss is infinite with "
                           "learning rate 0.125; try"),
            0u)
      << message();
}

/// What each member did in a round is told once, of two rounds together if
/// nobody has taken those before.
TEST_F(RealRun, TellsTheRoundsOfMembers) {
  static std::vector<RoundBoard> boards;
  boards = std::vector<RoundBoard>(3);
  Course::tune = [](RealSetup &setup) { setup.rounds = boards.data(); };
  Course few(syncUnit(), 3, 100);
  few.go();
  auto sums = [](Course &run, int64_t rounds) {
    for (int rank = 0; rank < 3; ++rank) {
      RoundShare share;
      int64_t samples = 0, last = -1, count = 0;
      double loss = 0;
      for (; boards[size_t(rank)].take(share); ++count) {
        EXPECT_GT(share.round, last);
        last = share.round;
        samples += share.samples;
        loss += share.loss;
      }
      const MemberStatistics &all = run.statistics[size_t(rank)];
      if (all.rounds[0] <= 512) {
        EXPECT_EQ(count, rounds);
        EXPECT_EQ(last, rounds - 1);
        EXPECT_EQ(samples, all.samples);
        EXPECT_DOUBLE_EQ(loss, all.loss);
      } else {
        EXPECT_EQ(count, 512);
        EXPECT_LT(samples, all.samples);
      }
    }
  };
  sums(few, 10); // 50 = 4 * 12 + 2, twice
  Course many(syncUnit(), 3, 50 * 200);
  many.go();
  sums(many, 1000);
  // The next that finds room tells what was left.
  RoundShare share;
  Caller who{0, 0, 1000};
  Course::check(many.environment->next(who, true));
  ASSERT_TRUE(boards[0].take(share));
  EXPECT_EQ(share.round, 1000);
  EXPECT_GT(share.samples, 4);
}

} // namespace
