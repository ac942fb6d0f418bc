// A launcher for tests: forks members, serves them, and notes what it is told.
#pragma once

#include "common/scratch_dir.h"
#include "control/client.h"
#include "control/coordinator.h"
#include "desk_course.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace rubato {

/// Beats fast and waits long enough for any noisy machine.
inline ClientOptions quickClient() {
  return {std::chrono::milliseconds(20), std::chrono::seconds(30)};
}

class Launch {
public:
  explicit Launch(int members, CoordinatorOptions options = {},
                  bool unexpected = false)
      : members(members), unexpected(unexpected) {
    options.directory = scratch.file("");
    options.directory.pop_back();
    CoordinatorEvents events;
    events.onLost = [this](int rank, const std::string &why) {
      EXPECT_TRUE(lost.emplace(rank, why).second);
    };
    events.onBye = [this](int rank) { EXPECT_TRUE(left.insert(rank).second); };
    Status status = Coordinator::make(decisionsOf(askingProgram(), members),
                                      options, std::move(events), coordinator);
    EXPECT_TRUE(status) << status.message();
  }
  ~Launch() {
    for (pid_t pid : children)
      if (pid > 0 && kill(pid, SIGKILL) == 0)
        waitpid(pid, nullptr, 0);
  }

  /// Forks all members; each ends with what its body returns.
  template <typename Body> void fork(Body body) {
    for (int rank = 0; rank != members; ++rank)
      forkOne(rank, body);
  }
  template <typename Body> void forkOne(int rank, Body body) {
    pid_t launcher = getpid(), pid = ::fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != launcher)
        _exit(99);
      coordinator->forget();
      _exit(body(rank));
    }
    children.push_back(pid);
    codes.push_back(-1);
    if (!unexpected)
      coordinator->expect(rank, pid);
  }

  /// Serves until something holds; false if it takes forever.
  template <typename Until> bool serve(Until until) {
    for (Deadline end = farAway(); !until();) {
      if (std::chrono::steady_clock::now() > end)
        return false;
      coordinator->step(std::chrono::milliseconds(5));
      reap();
    }
    return true;
  }
  /// Serves until all members have ended, and reads their last words.
  bool serveAll() {
    bool ended = serve([&] {
      for (pid_t pid : children)
        if (pid > 0)
          return false;
      return true;
    });
    coordinator->step(std::chrono::milliseconds(0));
    return ended;
  }
  bool serveComplete() {
    return serve([&] { return coordinator->complete(); });
  }

  pid_t pid(int rank) const { return children[static_cast<size_t>(rank)]; }
  /// The exit code of a member, or minus the signal that ended it.
  int code(int rank) const { return codes[static_cast<size_t>(rank)]; }

  ScratchDir scratch; // holds the directory of the socket
  std::unique_ptr<Coordinator> coordinator;
  std::map<int, std::string> lost;
  std::set<int> left;

private:
  void reap() {
    for (size_t i = 0; i != children.size(); ++i) {
      int status = 0;
      if (children[i] <= 0 || waitpid(children[i], &status, WNOHANG) <= 0)
        continue;
      children[i] = 0;
      codes[i] = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
  }

  int members;
  bool unexpected;
  std::vector<pid_t> children;
  std::vector<int> codes;
};

/// Connects a member; null if that failed.
inline std::unique_ptr<CoordinatorClient> join(Launch &launch, int rank,
                                               ClientEvents events = {}) {
  std::unique_ptr<CoordinatorClient> client;
  Status status =
      CoordinatorClient::make(launch.coordinator->address(), rank,
                              quickClient(), std::move(events), client);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return client;
}

inline bool mentions(const Status &status, const std::string &text) {
  bool found = !status && status.message().find(text) != std::string::npos;
  if (!found)
    std::fprintf(stderr, "\"%s\" is not in \"%s\"\n", text.c_str(),
                 status.message().c_str());
  return found;
}

} // namespace rubato
