// Mailboxes over every transport. Rank 0 is the server unless said otherwise.
#include "transports.h"

using namespace rubato;

namespace {

ChannelSpec mailOf(int server, int64_t exempt = 0) {
  return {"mail", ChannelSpec::Kind::Mailbox, 1 << 16, server, exempt};
}

/// What a worker gets: two values, the ticket and whether to go on.
struct Model {
  std::vector<float> weights;
  int64_t version = 0, ticket = 0, go = 0;

  explicit Model(size_t count) : weights(count) {}
  std::vector<Part> sent() { return {partOf(weights), partOf(version)}; }
  std::vector<Part> pulled() {
    return {partOf(weights), partOf(version), partOf(ticket), partOf(go)};
  }
};

/// What a worker uploads.
struct Report {
  std::vector<double> gradient;
  int64_t count = 0;

  explicit Report(double value = 0, int64_t count = 0, size_t size = 300)
      : gradient(size, value), count(count) {}
  std::vector<Part> parts() { return {partOf(gradient), partOf(count)}; }
  bool is(double value, int64_t many) const {
    return count == many &&
           gradient == std::vector<double>(gradient.size(), value);
  }
};

class Mailbox : public Transports {
protected:
  Status pull(int rank, int64_t after, Model &model) {
    int64_t future = 0;
    RB_TRY(fabric->startPull(rank, 0, after, future));
    return fabric->await(rank, future, model.pulled(), soon());
  }
  Status push(int rank, int64_t ticket, double value) {
    Report report(value, 1);
    return fabric->push(rank, 0, ticket, report.parts());
  }
  Status collect(int rank, int64_t first, Report &sum, Collected &collected,
                 bool byStaleness = false) {
    return fabric->collect(rank, 0, first, byStaleness, sum.parts(), collected,
                           soon());
  }
  Status grant(int rank, bool toAll, int64_t staleAfter, Granted &granted,
               int64_t version = 0) {
    Model model(500);
    model.version = version;
    std::ranges::fill(model.weights, float(version));
    return fabric->grant(rank, 0, toAll, staleAfter, model.sent(), granted);
  }
  Status meet(int rank) { return fabric->barrier(rank, soon()); }
};

TEST_P(Mailbox, ManyRoundsOfSomeOfTheWorkers) {
  for (int server : {0, 2}) {
    make(5, {mailOf(server)});
    runAll([&](int rank) {
      constexpr int64_t rounds = 60, bound = 2;
      std::mt19937 random(unsigned(rank + 1));
      if (rank != server) {
        Model model(500);
        int64_t last = 0;
        for (;;) {
          NEED_OK(pull(rank, last, model));
          if (!model.go) {
            NEED(model.ticket == 0 && model.version == 0);
            NEED(model.weights == std::vector<float>(500, 0.0f));
            break;
          }
          NEED(model.ticket > last);
          NEED(model.weights == std::vector<float>(500, float(model.version)));
          last = model.ticket;
          if (random() % 3 == 0)
            pause(random, 600);
          NEED_OK(push(rank, last, double(int64_t(1) << (8 * rank))));
        }
        fabric->leave(rank);
        return true;
      }
      Granted granted;
      Collected collected;
      int64_t accepted = 0;
      NEED_OK(grant(rank, true, bound, granted));
      NEED(granted.ranks.size() == 4 && granted.version == 0);
      for (int64_t round = 1; round <= rounds; ++round) {
        Report sum;
        NEED_OK(collect(rank, 2, sum, collected));
        NEED(collected.version == round && collected.ranks.size() == 2);
        accepted += 2;
        double expected = 0;
        int64_t who = 0;
        for (size_t i = 0; i < collected.ranks.size(); ++i) {
          int each = collected.ranks[i];
          NEED(i == 0 || collected.ranks[i - 1] < each);
          NEED(collected.staleness[i] <= bound);
          who |= int64_t(1) << (each - (each > server));
          expected += double(int64_t(1) << (8 * each));
        }
        NEED(who == collected.who && sum.is(expected, 2));
        NEED_OK(grant(rank, false, bound, granted, round));
      }
      NEED(fabric->workers(rank, 0) == 4);
      NEED_OK(fabric->close(rank, 0, soon()));
      NEED(fabric->workers(rank, 0) == 0);
      MailboxCounters counters = fabric->counters(0);
      int64_t collectedInAll = 0, perWorker = 0;
      for (auto [staleness, count] : counters.staleness)
        collectedInAll += count;
      for (int64_t count : counters.acceptedPerWorker)
        perWorker += count;
      NEED(counters.accepted == accepted && collectedInAll == accepted);
      NEED(counters.acceptedPerWorker.size() == 4 && perWorker == accepted);
      return true;
    });
  }
}

TEST_P(Mailbox, OldTicketsAreDroppedAndStaleWorkersRestarted) {
  make(3, {mailOf(0)});
  runAll([&](int rank) {
    Granted granted;
    Collected collected;
    Model model(500);
    Report sum;
    if (rank == 0) {
      NEED_OK(grant(0, true, 0, granted));
      NEED(granted.ranks == std::vector<int>({1, 2}));
      NEED(granted.tickets == std::vector<int64_t>({1, 1}));
      NEED_OK(collect(0, 1, sum, collected));
      NEED(collected.who == 2 && collected.ranks == std::vector<int>({2}));
      NEED(sum.is(20, 1));
      // Rank 1 runs on a model that is now too old: it starts again.
      NEED_OK(grant(0, false, 0, granted, 1));
      NEED(granted.version == 1);
      NEED(granted.ranks == std::vector<int>({2, 1}));
      NEED(granted.tickets == std::vector<int64_t>({2, 2}));
      NEED_OK(meet(0)); // rank 1 pushes with its old ticket, then the new
      NEED_OK(meet(0));
      NEED_OK(collect(0, 2, sum, collected));
      NEED(collected.who == 3 && sum.is(11 + 22, 2));
      NEED(collected.staleness == std::vector<int64_t>({0, 0}));
      MailboxCounters counters = fabric->counters(0);
      NEED(counters.accepted == 3 && counters.restarts == 1);
      NEED(counters.dropped >= 1);
      NEED(counters.acceptedPerWorker == std::vector<int64_t>({1, 2}));
      NEED_OK(fabric->close(0, 0, soon()));
      return true;
    }
    NEED_OK(pull(rank, 0, model));
    if (rank == 2)
      NEED_OK(push(2, model.ticket, 20));
    NEED_OK(meet(rank));
    if (rank == 1)
      NEED_OK(push(1, 1, 10)); // void by now
    NEED_OK(meet(rank));
    NEED_OK(pull(rank, 1, model));
    NEED(model.ticket == 2 && model.version == 1);
    usleep(2000);
    NEED_OK(push(rank, 2, rank * 11));
    NEED_OK(pull(rank, 2, model));
    NEED(model.go == 0);
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Mailbox, UploadsAreJudgedInOrderOfArrival) {
  make(4, {mailOf(0)});
  runAll([&](int rank) {
    Model model(500);
    Granted granted;
    Collected collected;
    Report sum;
    if (rank == 0)
      NEED_OK(grant(0, true, 5, granted));
    else
      NEED_OK(pull(rank, 0, model));
    for (int pusher : {2, 3, 1}) {
      NEED_OK(meet(rank));
      if (rank == pusher)
        NEED_OK(push(rank, 1, rank));
    }
    NEED_OK(meet(rank));
    if (rank == 0) {
      for (int expected : {2, 3, 1}) {
        NEED_OK(collect(0, 1, sum, collected));
        NEED(collected.ranks == std::vector<int>({expected}));
        NEED(sum.is(expected, 1));
        NEED_OK(grant(0, false, 5, granted));
        NEED(granted.ranks == collected.ranks);
      }
      NEED_OK(fabric->close(0, 0, soon()));
      return true;
    }
    NEED_OK(pull(rank, 2, model)); // what a worker leaves behind is dropped
    NEED(model.go == 0);
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Mailbox, AWorkerThatWasRestartedOftenMayFinish) {
  make(3, {mailOf(0, 1)});
  runAll([&](int rank) {
    Model model(500);
    Granted granted;
    Collected collected;
    Report sum;
    if (rank == 2)
      for (int64_t ticket = 0; ticket < 3; ++ticket) {
        NEED_OK(pull(2, ticket, model));
        NEED_OK(push(2, model.ticket, 2));
      }
    if (rank == 0) {
      NEED_OK(grant(0, true, 0, granted));
      for (auto expected : {std::vector<int>({2, 1}), std::vector<int>({2}),
                            std::vector<int>({2})}) {
        NEED_OK(collect(0, 1, sum, collected));
        NEED_OK(grant(0, false, 0, granted));
        NEED(granted.ranks == expected);
      }
      NEED(fabric->counters(0).restarts == 1);
    }
    return true;
  });
}

TEST_P(Mailbox, TheNewestUploadOfAWorkerReplacesTheOlder) {
  make(2, {mailOf(0)});
  runAll([&](int rank) {
    if (rank == 1) {
      Model model(500);
      NEED_OK(pull(1, 0, model));
      for (int i = 1; i <= 5; ++i)
        NEED_OK(push(1, model.ticket, i));
      NEED_OK(meet(1));
      NEED_OK(pull(1, 1, model));
      NEED(model.go == 0);
      NEED_OK(push(1, 2, 9)); // nobody minds
      fabric->leave(1);
      return true;
    }
    Granted granted;
    Collected collected;
    Report sum;
    NEED_OK(grant(0, true, 0, granted));
    NEED_OK(meet(0));
    NEED_OK(collect(0, 1, sum, collected));
    NEED(sum.is(5, 1));
    NEED(fabric->counters(0).dropped == 4);
    NEED(failsWith(collect(0, 1, sum, collected), ErrorCode::Internal,
                   {"'mail'", "not followed by a grant"}));
    NEED_OK(fabric->close(0, 0, soon()));
    NEED(fabric->counters(0).dropped == 5 && fabric->counters(0).accepted == 1);
    return true;
  });
}

TEST_P(Mailbox, OldUploadsCountLessByStaleness) {
  make(3, {mailOf(1)});
  runAll([&](int rank) {
    Model model(500);
    if (rank != 1) {
      NEED_OK(pull(rank, 0, model));
      if (rank == 2)
        NEED_OK(meet(2)); // one version is published meanwhile
      NEED_OK(push(rank, 1, 12));
      if (rank == 0) {
        NEED_OK(pull(0, 1, model));
        NEED_OK(meet(0));
        NEED_OK(push(0, 2, 12));
      }
      NEED_OK(pull(rank, rank == 0 ? 2 : 1, model));
      fabric->leave(rank);
      return model.go == 0;
    }
    Granted granted;
    Collected collected;
    Report sum;
    NEED_OK(grant(1, true, 1, granted));
    NEED_OK(collect(1, 1, sum, collected, true));
    NEED(collected.ranks == std::vector<int>({0}) && sum.is(12, 1));
    NEED_OK(grant(1, false, 1, granted, 1));
    NEED(granted.ranks == std::vector<int>({0}));
    NEED_OK(meet(1));
    NEED_OK(collect(1, 2, sum, collected, true));
    NEED(collected.staleness == std::vector<int64_t>({0, 1}));
    NEED(sum.is(12 + 6, 2)); // the count is not scaled
    std::map<int64_t, int64_t> histogram = {{0, 2}, {1, 1}};
    NEED(fabric->counters(0).staleness == histogram);
    NEED_OK(fabric->close(1, 0, soon()));
    return true;
  });
}

TEST_P(Mailbox, CloseEndsWorkersInAllStates) {
  make(7, {mailOf(0)});
  runAll([&](int rank) {
    Model model(500);
    Granted granted;
    if (rank == 0) {
      NEED_OK(grant(0, true, 5, granted));
      NEED_OK(meet(0));
      usleep(3000);
      fabric->lost(6);
      NEED_OK(fabric->close(0, 0, soon()));
      return true;
    }
    int64_t future = 0;
    if (rank == 6) { // dies
      NEED_OK(meet(6));
      return true;
    }
    if (rank == 5) { // has ended before
      NEED_OK(meet(5));
      fabric->leave(5);
      return true;
    }
    if (rank != 1) // who has not looked at its model yet
      NEED_OK(pull(rank, 0, model));
    if (rank == 2) // waits for the next
      NEED_OK(fabric->startPull(rank, 0, 1, future));
    NEED_OK(meet(rank));
    if (rank == 2) {
      NEED_OK(fabric->await(2, future, model.pulled(), soon()));
    } else if (rank == 3) { // computes, pushes, pulls after the close
      usleep(10000);
      NEED_OK(push(3, 1, 1));
      NEED_OK(pull(3, 1, model));
    } else if (rank == 4) { // has pushed and polls
      NEED_OK(push(4, 1, 1));
      NEED_OK(fabric->startPull(4, 0, 1, future));
      Deadline deadline = soon();
      while (!fabric->done(4, future)) {
        NEED(std::chrono::steady_clock::now() < deadline);
        usleep(200);
      }
      NEED_OK(fabric->await(4, future, model.pulled(), soon()));
    } else if (rank == 1) {
      NEED_OK(pull(1, 1, model)); // ends with the close
      NEED_OK(pull(1, 0, model));
    }
    NEED(model.go == 0 && model.ticket == 0);
    NEED(model.weights == std::vector<float>(500, 0.0f));
    fabric->leave(rank);
    return true;
  });
}

TEST_P(Mailbox, CloseNamesWhoDoesNotLeave) {
  make(3, {mailOf(0)});
  runAll([&](int rank) {
    if (rank == 1)
      fabric->leave(1);
    if (rank == 0)
      NEED(failsWith(fabric->close(0, 0, within(60)), ErrorCode::Communication,
                     {"rank 0: close on channel 'mail'", "rank 2 did not"}));
    return true;
  });
}

TEST_P(Mailbox, AValueOfAnotherShapeIsNamed) {
  make(2, {mailOf(0)});
  runAll([&](int rank) {
    if (rank == 0) {
      Granted granted;
      Collected collected;
      Report other(0, 0, 7);
      NEED_OK(grant(0, true, 0, granted));
      NEED(failsWith(collect(0, 1, other, collected), ErrorCode::Internal,
                     {"collect on channel 'mail'", "2 values of 64 bytes"}));
      return true;
    }
    Model small(3), model(500);
    NEED(failsWith(pull(1, 0, small), ErrorCode::Internal,
                   {"pull on channel 'mail'", "2 values of 20 bytes"}));
    NEED_OK(pull(1, 0, model)); // the grant is still there
    NEED_OK(push(1, model.ticket, 1));
    return true;
  });
}

RB_ALL_TRANSPORTS(Mailbox);

} // namespace
