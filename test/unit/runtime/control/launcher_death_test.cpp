// A launcher that is killed: its members notice, and clear up after it.
#include "launch.h"

using namespace rubato;
using policy::Value;
using std::chrono::milliseconds;

namespace {

/// The launcher is killed; `connecting` of its three members have connected.
void killTheLauncher(int connecting) {
  struct Shared {
    std::atomic<int> ready, noticed, told;
    std::atomic<pid_t> pids[3];
  };
  auto *shared = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                            PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  ScratchDir scratch;
  pid_t launcher = fork();
  if (launcher == 0) {
    CoordinatorOptions options;
    options.directory = scratch.file("");
    options.directory.pop_back();
    std::unique_ptr<Coordinator> coordinator;
    if (!Coordinator::make(decisionsOf(askingProgram(), 3), options, {},
                           coordinator))
      _exit(1);
    for (int rank = 0; rank != 3; ++rank) {
      pid_t pid = fork();
      if (pid == 0) {
        alarm(60);
        if (rank >= connecting)
          _exit(0);
        coordinator->forget();
        ClientEvents events;
        events.onGone = [&](const Status &) { ++shared->told; };
        std::unique_ptr<CoordinatorClient> client;
        if (!CoordinatorClient::make(coordinator->address(), rank,
                                     quickClient(), std::move(events), client))
          _exit(1);
        ++shared->ready;
        Value out[3], rows[] = {int64_t(0), 0.0};
        // The others wait for the last one, which does not ask.
        while (rank == 2 && client->state())
          usleep(1000);
        Status status =
            client->ask({rank, 0, 0}, Shares, 0, rows, {out, 2}, farAway());
        bool good = status.code() == ErrorCode::Communication &&
                    mentions(status, "the launcher is gone");
        // So does everything afterwards, without waiting.
        status = client->ask({rank, 0, 0}, Match, Next, {}, out, farAway());
        good &= mentions(status, "the launcher is gone");
        client->contributed(rank);
        client->leave(rank);
        client.reset();
        shared->noticed += good ? 1 : 100;
        _exit(0);
      }
      shared->pids[rank] = pid;
      coordinator->expect(rank, pid);
    }
    while (true)
      coordinator->step(milliseconds(5));
  }
  auto until = [](auto holds) {
    for (Deadline end = farAway();
         !holds() && std::chrono::steady_clock::now() < end;)
      usleep(1000);
    return holds();
  };
  EXPECT_TRUE(until([&] { return shared->ready == connecting; }));
  EXPECT_EQ(scratch.entries(), connecting == 3 ? 0u : 1u);
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  EXPECT_TRUE(until([&] { return shared->noticed >= connecting; }));
  EXPECT_EQ(shared->noticed, connecting);
  EXPECT_EQ(shared->told, connecting);
  EXPECT_EQ(scratch.entries(), 0u);
  munmap(shared, sizeof(Shared));
}

TEST(LauncherDeath, IsNoticedByMembers) { killTheLauncher(3); }

TEST(LauncherDeath, LeavesNothingThatMembersDoNotRemove) { killTheLauncher(2); }

} // namespace
