// Members that are processes: decisions, notices, and who is let in.
#include "launch.h"

#include <sys/stat.h>

using namespace rubato;
using policy::Value;
using std::chrono::milliseconds;

namespace {

TEST(Coordinator, ServesManyProcessesAtOnce) {
  constexpr int members = 4;
  for (uint64_t seed = 0; seed != 3; ++seed) {
    DeskCourse course(members);
    Launch launch(members);
    launch.fork([&](int rank) {
      auto client = join(launch, rank);
      bool good = client && course.run(*client, rank, seed);
      if (client)
        client->leave(rank);
      return good ? 0 : 1;
    });
    ASSERT_TRUE(launch.serveAll());
    course.check({});
    EXPECT_TRUE(launch.lost.empty());
    EXPECT_EQ(launch.left.size(), size_t(members));
  }
}

TEST(Coordinator, LeavesNothingBehind) {
  Launch launch(2);
  struct stat status = {};
  std::string path = launch.coordinator->address();
  ASSERT_EQ(stat(path.substr(0, path.rfind('/')).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, mode_t(0700));
  ASSERT_EQ(launch.scratch.entries(), 1u);
  launch.fork([&](int rank) {
    auto client = join(launch, rank);
    bool ok = false; // until both are there
    bool good =
        client && client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
    if (client)
      client->leave(rank);
    return good ? 0 : 1;
  });
  // As soon as all are connected nobody needs a name any more.
  ASSERT_TRUE(launch.serveComplete());
  EXPECT_EQ(launch.scratch.entries(), 0u);
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0) + launch.code(1), 0);

  Launch early(1);
  early.fork([&](int) { return 0; }); // a child that forgets removes nothing
  ASSERT_TRUE(early.serve([&] { return early.code(0) == 0; }));
  EXPECT_EQ(early.scratch.entries(), 1u);
  early.coordinator.reset();
  EXPECT_EQ(early.scratch.entries(), 0u);
}

TEST(Coordinator, FindsAPlaceForItsSocket) {
  auto addressWith = [](const char *runtime) {
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    std::unique_ptr<Coordinator> made;
    EXPECT_TRUE(
        Coordinator::make(decisionsOf(askingProgram(), 1), {}, {}, made));
    return made ? made->address() : "";
  };
  const char *kept = getenv("XDG_RUNTIME_DIR");
  std::string before = kept ? kept : "";
  ScratchDir scratch;
  std::string own = scratch.file("run");
  ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
  EXPECT_EQ(addressWith(own.c_str()).rfind(own + "/", 0), 0u);
  EXPECT_EQ(addressWith("/nowhere/at/all").rfind("/tmp/rubato-", 0), 0u);
  std::string deep = scratch.file(std::string(100, 'x'));
  ASSERT_EQ(mkdir(deep.c_str(), 0700), 0);
  EXPECT_EQ(addressWith(deep.c_str()).rfind("/tmp/rubato-", 0), 0u);
  if (kept)
    setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
  else
    unsetenv("XDG_RUNTIME_DIR");
}

TEST(Coordinator, RefusesForeignProcesses) {
  Launch launch(2, {}, true);
  auto refused = [&](int rank, const char *why) {
    std::unique_ptr<CoordinatorClient> client;
    Status status = CoordinatorClient::make(launch.coordinator->address(), rank,
                                            quickClient(), {}, client);
    return status.code() == ErrorCode::Communication && mentions(status, why);
  };
  // Nobody has said that this process is a member.
  launch.forkOne(0, [&](int) { return refused(0, "no member") ? 0 : 1; });
  // This one is rank 1 and comes twice, at first in the right way.
  launch.forkOne(1, [&](int) {
    auto client = join(launch, 1);
    bool good = client && refused(1, "has been here before");
    if (client)
      client->leave(1);
    return good ? 0 : 1;
  });
  launch.coordinator->expect(1, launch.pid(1));
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0), 0);
  EXPECT_EQ(launch.code(1), 0);
  EXPECT_TRUE(launch.lost.empty());
  EXPECT_EQ(launch.left, std::set<int>{1});
  EXPECT_FALSE(launch.coordinator->complete());
}

TEST(Coordinator, PassesNoticesOn) {
  Launch launch(3);
  auto *told = static_cast<std::atomic<int> *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
           -1, 0));
  ASSERT_NE(told, MAP_FAILED);
  // Rank 0 dies before the others come; rank 1 is there when the stop is
  // requested, and rank 2 is late.
  launch.fork([&](int rank) {
    if (rank == 0)
      raise(SIGKILL);
    while (rank == 2 && told[0] == 0)
      usleep(1000);
    std::atomic<int> lost{-1}, stop{0};
    ClientEvents events;
    events.onLost = [&](int other, const std::string &why) {
      lost = why == "was shot" ? other : -2;
    };
    events.onStop = [&](int signal) { stop = signal; };
    auto client = join(launch, rank, std::move(events));
    told[rank] = 1;
    for (Deadline end = farAway();
         client && (lost == -1 || stop == 0 || client->stopRequested() == 0) &&
         std::chrono::steady_clock::now() < end;)
      usleep(1000);
    if (client)
      client->leave(rank);
    return lost == 0 && stop == SIGINT ? 0 : 1;
  });
  ASSERT_TRUE(launch.serve([&] { return launch.code(0) == -SIGKILL; }));
  launch.coordinator->lost(0, "was shot");
  EXPECT_EQ(launch.lost.count(0), 1u);
  ASSERT_TRUE(launch.serve([&] { return told[1] != 0; }));
  launch.coordinator->requestStop(SIGINT);
  told[0] = 1;
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(1), 0);
  EXPECT_EQ(launch.code(2), 0);
  EXPECT_EQ(launch.left, (std::set<int>{1, 2}));
  EXPECT_EQ(launch.lost, (std::map<int, std::string>{{0, "was shot"}}));
  munmap(told, 4096);
}

TEST(Coordinator, ADeadlineEndsAWait) {
  Launch launch(2);
  launch.fork([&](int rank) {
    auto client = join(launch, rank);
    if (!client)
      return 1;
    Caller who{rank, 0, 0};
    auto soon = std::chrono::steady_clock::now() + milliseconds(30);
    bool ok = false, good = true;
    Value out[3], rows[] = {int64_t(0), 0.0};
    if (rank == 0) {
      good &= mentions(client->ask(who, Shares, 0, rows, {out, 2}, soon),
                       "deadline");
      // The strand may ask again.
      good &= bool(client->ask(who, Match, Constants, {}, {out, 2}, farAway()));
      // For others nobody asks, and answers have one size.
      good &= client->ask({1, 0, 0}, Match, Constants, {}, {out, 2}, farAway())
                  .code() == ErrorCode::Internal;
      good &= client->ask(who, Match, Constants, {}, out, farAway()).code() ==
              ErrorCode::Internal;
      good &= client->ask(who, Match, 17, {}, out, farAway()).code() ==
              ErrorCode::Internal;
    }
    good &= client->commit(who, 3, 3, ok, farAway()) && ok;
    client->leave(rank);
    return good ? 0 : 1;
  });
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0), 0);
  EXPECT_EQ(launch.code(1), 0);
}

TEST(Coordinator, DoesNotBlameMembersForItsOwnPauses) {
  CoordinatorOptions options;
  options.lease = milliseconds(700);
  Launch launch(2, options);
  launch.fork([&](int rank) {
    auto client = join(launch, rank);
    if (!client)
      return 1;
    usleep(20000);
    // Stopped with the launcher, as by the terminal.
    kill(getpid(), SIGSTOP);
    bool ok = false;
    bool good = client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
    client->leave(rank);
    return good ? 0 : 1;
  });
  ASSERT_TRUE(launch.serve([&] {
    int stopped = 0;
    for (int rank = 0; rank != 2; ++rank) {
      siginfo_t info = {};
      waitid(P_PID, static_cast<id_t>(launch.pid(rank)), &info,
             WSTOPPED | WNOHANG | WNOWAIT);
      stopped += info.si_pid != 0;
    }
    return stopped == 2;
  }));
  launch.coordinator->step(milliseconds(0)); // the last they have said
  usleep(900000);
  launch.coordinator->step(milliseconds(0));
  for (int rank = 0; rank != 2; ++rank)
    kill(launch.pid(rank), SIGCONT);
  ASSERT_TRUE(launch.serveAll());
  EXPECT_TRUE(launch.lost.empty());
  EXPECT_EQ(launch.left.size(), 2u);
}

TEST(Coordinator, HearsHeartbeatsOfThoseWhoSayNothing) {
  CoordinatorOptions options;
  options.lease = milliseconds(500);
  Launch launch(2, options);
  launch.fork([&](int rank) {
    auto client = join(launch, rank);
    if (!client)
      return 1;
    bool ok = false;
    if (rank == 1)
      usleep(900000);
    bool good = client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
    client->leave(rank);
    return good ? 0 : 1;
  });
  ASSERT_TRUE(launch.serveAll());
  EXPECT_TRUE(launch.lost.empty());
  EXPECT_EQ(launch.code(0) + launch.code(1), 0);
}

TEST(Coordinator, GivesUpWhoNeverConnects) {
  CoordinatorOptions options;
  options.connectWithin = milliseconds(50);
  Launch launch(1, options);
  launch.fork([&](int) {
    pause();
    return 0;
  });
  ASSERT_TRUE(launch.serve([&] { return !launch.lost.empty(); }));
  EXPECT_EQ(launch.lost[0], "has not connected within 0.05 s");
  EXPECT_TRUE(launch.coordinator->complete());
  EXPECT_EQ(launch.scratch.entries(), 0u);
}

} // namespace
