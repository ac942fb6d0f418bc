// adaptive.dispatch: saved state and options.
#include "policy/adaptive_dispatch.h"

#include <gtest/gtest.h>

using namespace rubato::policy;

/// Questions and answers `from` to `to` of a fixed course of two members over
/// several mega-batches, in which the first is three times as fast.
static std::vector<double> course(AdaptiveDispatch &dispatch, int from,
                                  int to) {
  std::vector<double> answers;
  int64_t updates[2] = {}, calls[2] = {};
  for (int i = 0, phase = 0; i < to; ++i, phase = (phase + 1) % 6) {
    // Claims of 0, 0, 0, 1, then the weights; the second resolves the first.
    int64_t member = phase == 3 || phase == 5;
    Asker asker = {member, calls[member]++};
    Value in[] = {updates[member], 0.0}, out[4] = {0.0, 0.0, 0.0, false};
    if (i >= from) {
      bool claim = phase < 4;
      (void)dispatch.ask(claim ? "claim" : "weight", asker,
                         std::span(in).first(claim ? 1 : 2),
                         std::span(out).first(claim ? 4 : 2));
      if (phase == 5) // the first member fetches what was pending
        EXPECT_TRUE(dispatch.ask("weight", {0, calls[0] - 1}, in,
                                 std::span(out).subspan(2)));
      for (const Value &value : out)
        answers.push_back(std::visit(
            [](auto each) { return static_cast<double>(each); }, value));
    }
    if (phase < 4)
      ++updates[member];
    if (phase == 5)
      updates[0] = updates[1] = 0;
  }
  return answers;
}

TEST(AdaptiveState, GoesOnFromAnyPoint) {
  constexpr int length = 36;
  AdaptiveOptions options;
  options.scaling.quantum = 1;
  options.warmupSamples = 600; // the first two mega-batches
  for (int stop = 0; stop < length; ++stop) {
    AdaptiveDispatch dispatch(options, std::vector<int64_t>{0, 1});
    course(dispatch, 0, stop);
    StateWriter out;
    dispatch.save(out);
    AdaptiveDispatch copy(options, {});
    StateReader in(out.bytes());
    ASSERT_TRUE(copy.load(in));
    EXPECT_EQ(course(copy, stop, length), course(dispatch, stop, length))
        << stop;
  }
}

TEST(AdaptiveState, DamageIsRefused) {
  AdaptiveDispatch dispatch({}, std::vector<int64_t>{0, 1});
  std::optional<AdaptiveClaim> claim;
  ASSERT_TRUE(dispatch.claim({0, 0}, 0, claim));
  ASSERT_TRUE(dispatch.claim({1, 0}, 0, claim));
  EXPECT_TRUE(dispatch.leave(0));
  StateWriter out;
  dispatch.save(out);
  for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
    StateReader in(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(dispatch.load(in)) << cut;
  }
  // A count of members that the bytes cannot hold.
  std::string huge = out.bytes();
  for (size_t at = 0; at + 8 <= huge.size(); at += 8) {
    std::string bad = huge;
    bad.replace(at, 8, std::string(7, '\xff') + '\x7f');
    StateReader in(bad);
    AdaptiveDispatch other({}, {});
    (void)other.load(in); // refused or harmless, never a crash
  }
  // What was refused changed nothing: the rows of the dead are dealt next.
  ASSERT_TRUE(dispatch.claim({1, 1}, 1, claim));
  EXPECT_EQ(claim->rows, (RowRange{0, 1024}));
}

TEST(AdaptiveOptions, AreChecked) {
  EXPECT_TRUE(AdaptiveOptions().validate());
  AdaptiveOptions options;
  options.warmupBatch = 33;
  EXPECT_FALSE(options.validate());
  options = {};
  options.megaBatch = -1;
  EXPECT_FALSE(options.validate());
  options = {};
  options.scaling.quantum = 0;
  EXPECT_FALSE(options.validate());
}
