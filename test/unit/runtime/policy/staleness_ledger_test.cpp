// The staleness ledger: tickets, closing, restarts, deaths, joins, stop.
#include "policy/staleness_ledger.h"
#include "policy/staleness_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace rubato::policy;
using Ledger = StalenessLedger;
using Verdict = Ledger::Verdict;
using Grants = std::vector<Ledger::Grant>;
using Uploads = std::vector<Ledger::Upload>;

TEST(StalenessLedger, CountsOneUploadPerTicketAndSumsByWorker) {
  Ledger ledger(3);
  EXPECT_EQ(ledger.start(1), (Grants{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(ledger.push(2, 1), Verdict::Accepted);
  EXPECT_EQ(ledger.push(2, 1), Verdict::Dropped) << "twice";
  EXPECT_EQ(ledger.push(1, 0), Verdict::Dropped) << "old ticket";
  EXPECT_EQ(ledger.push(1, 2), Verdict::Dropped) << "ticket never given";
  EXPECT_EQ(ledger.push(3, 1), Verdict::Dropped) << "unknown worker";
  EXPECT_EQ(ledger.push(-1, 1), Verdict::Dropped);
  EXPECT_FALSE(ledger.complete(2));
  EXPECT_EQ(ledger.push(0, 1), Verdict::Accepted);
  EXPECT_TRUE(ledger.complete(2));
  EXPECT_EQ(ledger.close(), (Uploads{{0, 1, 0}, {2, 1, 0}}));
  EXPECT_EQ(ledger.grant(1), (Grants{{0, 2}, {2, 2}}));
  EXPECT_EQ(ledger.version(), 1);
  EXPECT_EQ(ledger.staleness(1), 1);
  EXPECT_EQ(ledger.counters(), (Ledger::Counters{2, 5, 0}));
}

TEST(StalenessLedger, RestartsWhoIsStalerThanTheNewBound) {
  Ledger ledger(3);
  ledger.start(5);
  ledger.push(1, 1);
  ledger.close();
  // Participants first, then the stale; both by ascending worker.
  EXPECT_EQ(ledger.grant(0), (Grants{{1, 2}, {0, 2}, {2, 2}}));
  EXPECT_EQ(ledger.push(0, 1), Verdict::Dropped) << "void job";
  EXPECT_EQ(ledger.push(0, 2), Verdict::Accepted);
  EXPECT_EQ(ledger.counters().restarts, 2);
}

TEST(StalenessLedger, HoldsUploadsUntilTheNewBoundIsKnown) {
  Ledger ledger(2);
  ledger.start(1);
  ledger.push(0, 1);
  ledger.close();
  EXPECT_EQ(ledger.push(1, 1), Verdict::Hold);
  EXPECT_FALSE(ledger.complete(1));
  ledger.grant(0);
  EXPECT_EQ(ledger.push(1, 1), Verdict::Dropped) << "restarted by the grant";
  EXPECT_TRUE(ledger.grant(0).empty()) << "nothing was closed";
}

TEST(StalenessLedger, DeathsNeverLeaveARoundWaiting) {
  Ledger ledger(3);
  ledger.start(1);
  ledger.push(0, 1);
  ledger.died(0); // its upload stays
  EXPECT_FALSE(ledger.complete(3));
  ledger.died(1);
  EXPECT_FALSE(ledger.complete(3));
  ledger.died(2);
  ledger.died(2);
  EXPECT_EQ(ledger.alive(), 0);
  EXPECT_TRUE(ledger.complete(3));
  EXPECT_EQ(ledger.close(), (Uploads{{0, 1, 0}}));
  EXPECT_TRUE(ledger.grant(1).empty());
  EXPECT_FALSE(ledger.complete(1)) << "nothing to close";
  EXPECT_EQ(ledger.push(1, 1), Verdict::Dropped);
}

TEST(StalenessLedger, ServesJoiners) {
  Ledger ledger(2);
  ledger.start(1);
  EXPECT_EQ(ledger.join(2), (Ledger::Grant{2, 1}));
  EXPECT_EQ(ledger.join(9), std::nullopt) << "leaves a hole";
  EXPECT_EQ(ledger.alive(), 3);
  // One that died and returned after its upload waits for the close.
  ledger.push(0, 1);
  ledger.died(0);
  EXPECT_EQ(ledger.join(0), std::nullopt);
  EXPECT_EQ(ledger.push(0, 1), Verdict::Dropped);
  // One that lost its connection in the middle of a job starts anew.
  EXPECT_EQ(ledger.join(1), (Ledger::Grant{1, 2}));
  EXPECT_EQ(ledger.push(1, 1), Verdict::Dropped);
  EXPECT_EQ(ledger.push(1, 2), Verdict::Accepted);
  ledger.close();
  // One that joins between close and grant gets the new model.
  EXPECT_EQ(ledger.join(3), std::nullopt);
  EXPECT_EQ(ledger.grant(1), (Grants{{0, 2}, {1, 3}, {3, 1}}));
  EXPECT_EQ(ledger.staleness(3), 0);
  EXPECT_EQ(ledger.alive(), 4);
  EXPECT_EQ(ledger.running(), 4);
}

TEST(StalenessLedger, ExemptWorkerMayFinish) {
  Ledger ledger(2, 2);
  ledger.start(0);
  for (int i = 1; i <= 2; ++i) {
    ledger.push(0, ledger.ticket(0));
    ledger.close();
    EXPECT_EQ(ledger.grant(0).size(), 2u);
  }
  for (int i = 0; i < 3; ++i) {
    ledger.push(0, ledger.ticket(0));
    ledger.close();
    EXPECT_EQ(ledger.grant(0).size(), 1u) << "restarted a third time";
  }
  EXPECT_EQ(ledger.accepted(1), 0);
  EXPECT_EQ(ledger.push(1, ledger.ticket(1)), Verdict::Accepted);
  EXPECT_EQ(ledger.close(), (Uploads{{1, 3, 3}}));
  EXPECT_EQ(ledger.accepted(1), 1);
}

TEST(StalenessLedger, HoldsBackWhoIsTooFarAhead) {
  Ledger ledger(2, 0, 1);
  ledger.start(100);
  auto round = [&](int64_t worker) {
    EXPECT_EQ(ledger.push(worker, ledger.ticket(worker)), Verdict::Accepted);
    ledger.close();
    return ledger.grant(100);
  };
  EXPECT_EQ(round(0), (Grants{{0, 2}}));
  EXPECT_EQ(round(0), Grants{}) << "two ahead of one that has nothing";
  EXPECT_EQ(ledger.push(0, 2), Verdict::Dropped);
  EXPECT_EQ(ledger.running(), 1);
  EXPECT_EQ(round(1), (Grants{{0, 3}, {1, 2}}));
  EXPECT_EQ(ledger.staleness(0), 0) << "of the newest model";
  EXPECT_EQ(round(0), Grants{});
  EXPECT_EQ(ledger.clock(0) - ledger.clock(1), 2);
  // Its first model comes with the start, whatever was before.
  EXPECT_EQ(ledger.start(100).size(), 2u);
  EXPECT_EQ(ledger.clock(0), 0);
}

TEST(StalenessLedger, DeathOfTheSlowestReleases) {
  Ledger ledger(3, 0, 0);
  ledger.died(0);
  EXPECT_EQ(ledger.release(), Grants{}) << "nothing was granted yet";
  ledger.join(0);
  ledger.start(100);
  for (int64_t worker : {0, 1}) {
    ledger.push(worker, ledger.ticket(worker));
    ledger.close();
    EXPECT_EQ(ledger.grant(100), Grants{});
  }
  EXPECT_EQ(ledger.release(), Grants{}) << "the slowest computes";
  StateWriter out;
  ledger.save(out);
  StateReader in(out.bytes());
  Ledger restored(1);
  ASSERT_TRUE(restored.load(in));
  restored.died(2);
  EXPECT_EQ(restored.release(), (Grants{{0, 3}, {1, 2}}));
  ledger.died(2);
  EXPECT_EQ(ledger.release(), (Grants{{0, 3}, {1, 2}}));
  EXPECT_EQ(ledger.release(), Grants{}) << "once";
  EXPECT_EQ(ledger.running(), 2);
  // While a round closes, its grant does it.
  ledger.push(0, ledger.ticket(0));
  ledger.close();
  ledger.died(1);
  EXPECT_EQ(ledger.release(), Grants{});
  EXPECT_EQ(ledger.grant(100).size(), 1u);
  ledger.push(0, ledger.ticket(0));
  ledger.stop();
  EXPECT_EQ(ledger.release(), Grants{});
}

TEST(StalenessLedger, JoinersStartAtTheClockOfTheSlowest) {
  Ledger ledger(2, 0, 1);
  ledger.start(100);
  for (int64_t worker : {0, 1, 0, 1, 0}) {
    ledger.push(worker, ledger.ticket(worker));
    ledger.close();
    ledger.grant(100);
  }
  ASSERT_TRUE(ledger.join(2));
  EXPECT_EQ(ledger.clock(2), 2);
  ledger.died(1);
  ASSERT_TRUE(ledger.join(1));
  EXPECT_EQ(ledger.clock(1), 2);
  EXPECT_EQ(ledger.accepted(1), 2);
}

TEST(StalenessLedger, SomebodyAlwaysComputes) {
  std::mt19937 random(7);
  auto below = [&](int64_t limit) { return int64_t(random() % limit); };
  int64_t held = 0;
  for (int run = 0; run < 200; ++run) {
    int64_t workers = 1 + below(5), slack = below(4);
    Ledger ledger(workers, 0, slack);
    ledger.start(INT64_MAX);
    for (int step = 0; step < 200 && ledger.alive() > 0; ++step) {
      int64_t worker = below(workers);
      if (int64_t event = below(40); event == 0) {
        ledger.died(worker);
        ledger.release();
      } else if (event == 1) {
        ledger.join(worker);
      } else if (ledger.push(worker, ledger.ticket(worker)) ==
                 Verdict::Accepted) {
        ledger.close();
        ledger.grant(INT64_MAX);
      }
      if (ledger.alive() == 0)
        break;
      ASSERT_GT(ledger.running(), 0);
      int64_t least = INT64_MAX, most = 0;
      for (int64_t each = 0; each < workers; ++each) {
        if (ledger.state(each) == Ledger::WorkerState::Dead)
          continue;
        least = std::min(least, ledger.clock(each));
        most = std::max(most, ledger.clock(each));
      }
      ASSERT_LE(most - least, slack + 1);
      held += ledger.alive() - ledger.running();
    }
  }
  EXPECT_GT(held, 1000) << "hardly anybody was held back";
}

TEST(StalenessLedger, StopDropsOrFlushes) {
  for (bool flush : {false, true}) {
    Ledger ledger(2);
    ledger.start(1);
    ledger.push(0, 1);
    ledger.stop(flush);
    EXPECT_EQ(ledger.push(1, 1), Verdict::Dropped);
    EXPECT_EQ(ledger.join(1), std::nullopt);
    EXPECT_EQ(ledger.counters().accepted, flush ? 1 : 0);
    EXPECT_EQ(ledger.complete(1), flush);
    EXPECT_EQ(ledger.uploads().size(), flush ? 1u : 0u);
  }
}

TEST(StalenessLedger, SavedStateGoesOnInTheMiddleOfARound) {
  Ledger ledger(3), other(1);
  ledger.start(4);
  ledger.push(1, 1);
  ledger.close();
  ledger.grant(3);
  ledger.push(2, 1);
  ledger.died(0);
  StateWriter out;
  ledger.save(out);
  for (size_t cut = 0; cut < out.bytes().size(); ++cut) {
    StateReader in(std::string_view(out.bytes()).substr(0, cut));
    EXPECT_FALSE(other.load(in));
  }
  EXPECT_EQ(other.alive(), 1) << "damage changes nothing";
  StateReader in(out.bytes());
  ASSERT_TRUE(other.load(in));
  EXPECT_TRUE(in.atEnd());
  EXPECT_EQ(other.alive(), 2);
  EXPECT_EQ(other.running(), 1);
  EXPECT_EQ(other.uploads(), ledger.uploads());
  EXPECT_EQ(other.push(1, 2), Verdict::Accepted);
  EXPECT_EQ(other.close(), (Uploads{{1, 2, 0}, {2, 1, 1}}));
  // A restored server gives everybody a new ticket: old uploads are void.
  StateReader again(out.bytes());
  ASSERT_TRUE(other.load(again));
  EXPECT_EQ(other.start(1), (Grants{{1, 3}, {2, 2}}));
  EXPECT_EQ(other.push(1, 2), Verdict::Dropped);
  EXPECT_TRUE(other.uploads().empty());
}

TEST(StalenessLedger, WeightFallsWithStaleness) {
  EXPECT_EQ(stalenessWeight(0), 1.0);
  EXPECT_EQ(stalenessWeight(3), 0.25);
}
