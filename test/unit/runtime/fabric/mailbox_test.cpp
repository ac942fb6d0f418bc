// Rounds of a mailbox over every transport: who is collected, dropped and
// restarted. Rank 0 is the server unless said otherwise.
#include "mailbox_members.h"

using namespace rubato;

namespace {

class MailboxRounds : public Mailbox {};

TEST_P(MailboxRounds, ManyRoundsOfSomeOfTheWorkers) {
  for (int server : {0, 2}) {
    make(5, {mailOf(server)});
    runAll([&](int rank) {
      constexpr int64_t rounds = 60, bound = 2;
      constexpr size_t large = 50000; // long to copy: never half of it
      std::mt19937 random(unsigned(rank + 1));
      if (rank != server) {
        Model model(large);
        int64_t last = 0;
        for (;;) {
          NEED_OK(pull(rank, last, model));
          if (!model.go) {
            NEED(model.ticket == 0 && model.version == 0);
            NEED(model.weights == std::vector<float>(large, 0.0f));
            break;
          }
          NEED(model.ticket > last);
          NEED(model.weights ==
               std::vector<float>(large, float(model.version)));
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
      NEED_OK(grant(rank, true, bound, granted, 0, large));
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
        NEED_OK(grant(rank, false, bound, granted, round, large));
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

TEST_P(MailboxRounds, OldTicketsAreDroppedAndStaleWorkersRestarted) {
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

TEST_P(MailboxRounds, UploadsAreJudgedInOrderOfArrival) {
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

TEST_P(MailboxRounds, AWorkerThatWasRestartedOftenMayFinish) {
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

TEST_P(MailboxRounds, TheNewestUploadOfAWorkerReplacesTheOlder) {
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

RB_ALL_TRANSPORTS(MailboxRounds);

} // namespace
