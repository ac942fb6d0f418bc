// What members see when others die, leave, are late, or the run is aborted,
// over every transport.
#include "transports.h"

using namespace rubato;

namespace {

class Loss : public Transports {
protected:
  void makeAll(int members) {
    make(members, {{"grads", ChannelSpec::Kind::Collective, 4000, -1, 0},
                   {"pairs", ChannelSpec::Kind::Pair, 4000, -1, 0},
                   {"mail", ChannelSpec::Kind::Mailbox, 4000, 0, 0}});
  }

  Status reduce(int rank, Deadline deadline) {
    std::vector<float> values(100, 1.0f);
    Part parts[] = {partOf(values)};
    int64_t future = 0;
    RB_TRY(fabric->startAllReduce(rank, 0, parts, future));
    return fabric->await(rank, future, parts, deadline);
  }
  Status exchange(int rank, int peer, int64_t tag, Deadline deadline) {
    std::vector<float> values(100, 1.0f);
    Part parts[] = {partOf(values)};
    int64_t future = 0;
    RB_TRY(fabric->startExchange(rank, 1, peer, tag, parts, future));
    return fabric->await(rank, future, parts, deadline);
  }
  Status pull(int rank, int64_t after, Deadline deadline) {
    std::vector<float> values(100);
    int64_t ticket = 0, go = 0, future = 0;
    Part parts[] = {partOf(values), partOf(ticket), partOf(go)};
    RB_TRY(fabric->startPull(rank, 2, after, future));
    return fabric->await(rank, future, parts, deadline);
  }
  Status collect(Deadline deadline, int64_t first, Collected &collected) {
    std::vector<float> values(100);
    Part parts[] = {partOf(values)};
    return fabric->collect(0, 2, first, false, parts, collected, deadline);
  }
  Status grant(bool toAll) {
    std::vector<float> values(100);
    Part parts[] = {partOf(values)};
    Granted granted;
    return fabric->grant(0, 2, toAll, 9, parts, granted);
  }
  Status push(int rank, int64_t ticket) {
    std::vector<float> values(100, 1.0f);
    Part parts[] = {partOf(values)};
    return fabric->push(rank, 2, ticket, parts);
  }
};

TEST_P(Loss, NobodyIsLateWhileAllAreHeldUp) {
  makeAll(2);
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  fabric->excuse([end] { return std::chrono::steady_clock::now() < end; });
  runAll([&](int rank) {
    auto now = std::chrono::steady_clock::now;
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      return bool(reduce(rank, soon()));
    }
    NEED_OK(reduce(rank, now() + std::chrono::milliseconds(20)));
    // Afterwards it counts again.
    Status late = exchange(rank, 1, 7, now() + std::chrono::milliseconds(20));
    return !late && now() >= end;
  });
}

TEST_P(Loss, ACollectiveFailsForGoodAndNamesTheLost) {
  makeAll(4);
  runAll([&](int rank) {
    NEED_OK(reduce(rank, soon()));
    if (rank == 3)
      return true; // dies
    if (rank == 2) {
      usleep(10000);
      fabric->lost(3);
    }
    std::string me = "rank " + std::to_string(rank) +
                     ": all-reduce 2 on "
                     "channel 'grads': rank 3 is gone; its own log says why";
    NEED(failsWith(reduce(rank, soon()), ErrorCode::Communication,
                   {me.c_str()}));
    NEED(!reduce(rank, soon()));
    NEED(failsWith(fabric->barrier(rank, soon()), ErrorCode::Communication,
                   {"barrier 1", "rank 3 is gone"}));
    return true;
  });
}

TEST_P(Loss, WhatTheLostHadPostedCounts) {
  makeAll(3);
  runAll([&](int rank) {
    std::vector<float> values(100, 1.0f);
    Part parts[] = {partOf(values)};
    int64_t future = 0;
    if (rank == 2)
      NEED_OK(fabric->startAllReduce(2, 0, parts, future));
    NEED_OK(fabric->barrier(rank, soon()));
    if (rank == 2)
      return true;
    fabric->lost(2);
    NEED_OK(fabric->startAllReduce(rank, 0, parts, future));
    NEED_OK(fabric->await(rank, future, parts, soon()));
    NEED(values == std::vector<float>(100, 3.0f));
    return true;
  });
}

TEST_P(Loss, WhoHasLeftIsNotWaitedFor) {
  makeAll(3);
  runAll([&](int rank) {
    if (rank == 2) {
      fabric->leave(2);
      fabric->lost(2); // its process has ended: no news
      return true;
    }
    NEED_OK(fabric->barrier(rank, soon()));
    NEED(failsWith(reduce(rank, soon()), ErrorCode::Communication,
                   {"rank 2 has ended"}));
    Status status = exchange(rank, 2, 1, soon());
    NEED(isAgain(status));
    return true;
  });
}

TEST_P(Loss, AnExchangeIsToBeDoneAgain) {
  makeAll(4);
  runAll([&](int rank) {
    if (rank == 3)
      return true; // dies
    if (rank == 2) {
      usleep(5000);
      fabric->lost(3);
    }
    for (int64_t tag = 0; tag < 20; ++tag) { // also when it is known
      Status status = exchange(rank, 3, tag, soon());
      NEED(failsWith(status, ErrorCode::Again,
                     {"exchange with rank 3", "'pairs'", "is gone"}));
      NEED(isAgain(status));
    }
    if (rank < 2) // the others go on
      NEED_OK(exchange(rank, 1 - rank, 7, soon()));
    return true;
  });
}

TEST_P(Loss, AMailboxGoesOnWithTheOthers) {
  makeAll(4);
  runAll([&](int rank) {
    Collected collected;
    if (rank == 0) {
      NEED_OK(grant(true));
      NEED_OK(collect(soon(), 3, collected)); // rank 3 dies meanwhile
      NEED(collected.ranks == std::vector<int>({1, 2}));
      NEED(fabric->workers(0, 2) == 2);
      NEED_OK(grant(false));
      NEED(failsWith(
          collect(soon(), 3, collected), ErrorCode::Communication,
          {"rank 0: collect on channel 'mail'", "every worker is gone"}));
      NEED_OK(fabric->close(0, 2, soon()));
      return true;
    }
    NEED_OK(pull(rank, 0, soon()));
    if (rank == 3) {
      usleep(5000);
      fabric->lost(3);
      return true;
    }
    NEED_OK(push(rank, 1));
    NEED_OK(pull(rank, 1, soon()));
    fabric->lost(rank);
    return true;
  });
}

TEST_P(Loss, PullsFailWithoutAServer) {
  makeAll(3);
  runAll([&](int rank) {
    if (rank == 0) {
      NEED_OK(grant(true));
      usleep(5000);
      fabric->lost(0);
      return true;
    }
    NEED_OK(pull(rank, 0, soon())); // granted before it died
    NEED(failsWith(pull(rank, 1, soon()), ErrorCode::Communication,
                   {"pull on channel 'mail'", "rank 0 is gone"}));
    return true;
  });
}

TEST_P(Loss, DeadlinesNameWhomTheyWaitFor) {
  makeAll(3);
  runAll([&](int rank) {
    if (rank == 2)
      return true; // does nothing at all
    NEED(failsWith(fabric->barrier(rank, within(20)), ErrorCode::Communication,
                   {"barrier 1", "2 did not answer"}));
    NEED(failsWith(reduce(rank, within(20)), ErrorCode::Communication,
                   {"all-reduce 1 on channel 'grads'", "2 did not answer"}));
    NEED(failsWith(exchange(rank, 2, 1, within(20)), ErrorCode::Communication,
                   {"exchange with rank 2", "rank 2 did not answer"}));
    if (rank == 1) {
      NEED(failsWith(pull(1, 50, within(20)), ErrorCode::Communication,
                     {"pull", "rank 0 did not answer"}));
      return true;
    }
    Collected collected;
    NEED_OK(grant(true));
    NEED(failsWith(collect(within(20), 1, collected), ErrorCode::Communication,
                   {"collect", "ranks 1, 2 did not answer"}));
    return true;
  });
}

TEST_P(Loss, AbortEndsEveryWaitAndLaterCalls) {
  makeAll(6);
  Deadline never = std::chrono::steady_clock::now() + std::chrono::hours(1);
  runAll([&](int rank) {
    Status status;
    Collected collected;
    if (rank == 5) {
      usleep(20000);
      fabric->abort();
      status = fabric->barrier(5, never);
    } else if (rank == 0) {
      NEED_OK(grant(true));
      status = collect(never, 1, collected);
    } else if (rank == 1) {
      status = reduce(1, never);
    } else if (rank == 2) {
      status = exchange(2, 3, 1, never);
    } else if (rank == 3) {
      status = pull(3, 1, never);
    } else {
      status = fabric->barrier(4, never);
    }
    NEED(failsWith(status, ErrorCode::Communication, {"ended from outside"}));
    NEED(!reduce(rank, never) && !exchange(rank, (rank + 1) % 6, 2, never));
    return true;
  });
}

RB_ALL_TRANSPORTS(Loss);

} // namespace
