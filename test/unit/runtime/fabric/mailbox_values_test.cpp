// Values in a mailbox over every transport, and its close.
#include "mailbox_members.h"

using namespace rubato;

namespace {

class MailboxValues : public Mailbox {};

TEST_P(MailboxValues, AGrantKeepsItsValuesUntilTheyAreReplaced) {
  make(4, {mailOf(0)});
  runAll([&](int rank) {
    constexpr int64_t rounds = 12;
    Model model(500);
    Granted granted;
    Collected collected;
    Report sum;
    if (rank == 0) {
      NEED_OK(grant(0, true, 50, granted, 100));
      for (int64_t round = 1; round <= rounds; ++round) {
        NEED_OK(collect(0, 1, sum, collected));
        NEED_OK(grant(0, false, 50, granted, 100 + round));
      }
    }
    if (rank == 2)
      for (int64_t ticket = 0; ticket < rounds; ++ticket) {
        NEED_OK(pull(2, ticket, model));
        NEED(model.version == 100 + ticket);
        NEED_OK(push(2, model.ticket, 1));
      }
    NEED_OK(meet(rank));
    if (rank == 1 || rank == 3) { // only now, and twice
      for (int i = 0; i < 2; ++i) {
        NEED_OK(pull(rank, 0, model));
        NEED(model.ticket == 1 && model.version == 100);
        NEED(model.weights == std::vector<float>(500, 100.0f));
      }
    }
    return true;
  });
}

TEST_P(MailboxValues, OldUploadsCountLessByStaleness) {
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

TEST_P(MailboxValues, CloseEndsWorkersInAllStates) {
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

TEST_P(MailboxValues, CloseNamesWhoDoesNotLeave) {
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

TEST_P(MailboxValues, AValueOfAnotherShapeIsNamed) {
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

RB_ALL_TRANSPORTS(MailboxValues);

} // namespace
