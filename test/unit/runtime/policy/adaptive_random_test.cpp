// adaptive.dispatch under random schedules: deaths and joins at any point,
// lost answers that are asked for again, and restarts from saved state.
#include "policy/adaptive_dispatch.h"
#include "policy/random.h"

#include <gtest/gtest.h>

#include <map>

using namespace rubato::policy;

namespace {

class Schedule {
public:
  static constexpr int64_t total = 3000;

  explicit Schedule(int64_t seed)
      : random(static_cast<uint64_t>(seed), "schedule", {}),
        dispatch(options(), std::vector<int64_t>{0, 1, 2}) {
    for (int64_t id : {0, 1, 2})
      alive[id] = {};
  }

  /// Until every position of the stream is acknowledged.
  void run() {
    acknowledged.assign(total, 0);
    for (int64_t i = 0; i < 100000 && done < total; ++i) {
      int64_t dice = random.below(100);
      if (dice < 2 && alive.size() > 1)
        kill();
      else if (dice < 4 && alive.size() < 5)
        join();
      else if (dice < 8)
        restart();
      else
        ask(dice < 20);
      if (testing::Test::HasFailure())
        return;
    }
    EXPECT_EQ(done, total);
    for (int64_t count : acknowledged)
      ASSERT_EQ(count, 1);
    EXPECT_GT(merges, 3);
    EXPECT_GT(deaths, 0);
  }

  int deaths = 0, merges = 0;

private:
  struct Member {
    int64_t call = 0, updates = 0;
    bool weighing = false;
    RowRange held;
  };

  static AdaptiveOptions options() {
    AdaptiveOptions result;
    result.scaling.maxBatch = 24;
    result.scaling.minBatch = 4;
    result.scaling.quantum = 4;
    result.megaBatch = 250;
    result.totalSamples = total;
    return result;
  }

  std::map<int64_t, Member>::iterator pick() {
    auto place = alive.begin();
    std::advance(place, random.below(static_cast<int64_t>(alive.size())));
    return place;
  }

  /// Its held rows must come back, those it acknowledged must not.
  void kill() {
    auto victim = pick();
    EXPECT_TRUE(dispatch.leave(victim->first));
    if (random.below(2))
      EXPECT_TRUE(dispatch.leave(victim->first));
    alive.erase(victim);
    ++deaths;
  }

  void join() {
    int64_t id = random.below(1000);
    if (alive.count(id))
      return;
    EXPECT_TRUE(dispatch.join(id));
    alive[id] = {};
  }

  void restart() {
    StateWriter before, after;
    dispatch.save(before);
    AdaptiveDispatch other(options(), std::vector<int64_t>{77});
    StateReader in(before.bytes());
    ASSERT_TRUE(other.load(in));
    ASSERT_TRUE(in.atEnd());
    other.save(after);
    ASSERT_EQ(before.bytes(), after.bytes());
    dispatch = other;
  }

  /// One question of one member; if the answer is lost, the member asks again
  /// at a later turn with the same call number.
  void ask(bool lost) {
    auto &[id, member] = *pick();
    if (member.weighing) {
      std::optional<AdaptiveWeight> weight;
      ASSERT_TRUE(
          dispatch.weight({id, member.call}, member.updates, 0, weight));
      if (!weight || lost)
        return;
      ++merges;
      member = {member.call + 1, 0, false, {}};
      return;
    }
    std::optional<AdaptiveClaim> claim;
    ASSERT_TRUE(dispatch.claim({id, member.call}, member.updates, claim));
    // The dispatcher has heard of the rows that were held until now.
    for (int64_t row = member.held.begin; claim && row < member.held.end;
         ++row, ++done)
      ++acknowledged[static_cast<size_t>(row)];
    if (claim)
      member.held = {};
    if (!claim || lost)
      return;
    ++member.call;
    member.held = claim->rows;
    member.updates += claim->more;
    member.weighing = !claim->more;
  }

  CounterRandom random;
  AdaptiveDispatch dispatch;
  std::map<int64_t, Member> alive;
  std::vector<int64_t> acknowledged;
  int64_t done = 0;
};

} // namespace

TEST(AdaptiveRandom, EveryRowIsAcknowledgedOnce) {
  for (int64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Schedule schedule(seed);
    schedule.run();
    if (HasFailure())
      return;
  }
}
