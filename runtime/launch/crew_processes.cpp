// Members as processes: forked, watched, and ended together.
//
// They are forked without exec before any thread exists, so data, group and
// shared state are simply there. A member reports its end through its slot in
// shared memory; the launcher prints one error, the first cause.
#include "launch/crew.h"
#include "launch/log_pipes.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rubato;

namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  pid_t pid = -1;
  bool running = false;
  bool killedByUs = false;
  int waitStatus = 0;
};

[[noreturn]] void workerProcess(const Crew &crew, int rank, pid_t launcher) {
  // No orphan outlives a killed launcher; it may be gone already.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(static_cast<int>(ErrorCode::Communication));
  Status status = crew.run(rank);
  crew.slots[rank].finish(status);
  std::fflush(nullptr);
  _exit(static_cast<int>(status.code()));
}

class Launcher {
public:
  explicit Launcher(const Crew &crew)
      : crew(crew), children(static_cast<size_t>(crew.members)) {}

  int run() {
    Status status = start();
    if (!status)
      end(-1);
    else
      watch();
    logs.drain();
    if (!status) {
      std::fprintf(stderr, "error: %s\n", status.message().c_str());
      return static_cast<int>(status.code());
    }
    return report();
  }

private:
  Status start() {
    std::fflush(nullptr); // or children write the buffers once more
    pid_t self = getpid();
    for (int rank = 0; rank < crew.members; ++rank) {
      // One keeps our streams: its progress line belongs to the terminal.
      bool piped = rank != crew.foreground;
      if (piped)
        RB_TRY(logs.open(rank));
      pid_t pid = fork();
      if (pid == 0) {
        if (piped)
          logs.redirect();
        logs.closeAll();
        workerProcess(crew, rank, self);
      }
      if (piped)
        logs.closeWriter();
      if (pid < 0)
        return Status::user(std::string("cannot start a worker: ") +
                            std::strerror(errno) + "; try fewer --workers");
      children[static_cast<size_t>(rank)].pid = pid;
      children[static_cast<size_t>(rank)].running = true;
      if (crew.started)
        crew.started(rank, pid);
    }
    return Status::ok();
  }

  static constexpr std::chrono::seconds grace{3};

  /// Until all have ended; from the first failure on, not much longer.
  void watch() {
    Clock::time_point killAt = Clock::time_point::max();
    while (anyRunning()) {
      constexpr std::chrono::milliseconds turn{20};
      if (crew.wait)
        crew.wait(turn);
      logs.forward(crew.wait ? std::chrono::milliseconds(0) : turn);
      for (size_t rank = 0; rank < children.size(); ++rank)
        if (reap(rank) && failed(rank) && firstFailure < 0) {
          firstFailure = static_cast<int>(rank);
          crew.abort(firstFailure);
          killAt = Clock::now() + grace;
        }
      if (Clock::now() > killAt)
        killAll();
    }
  }

  /// Ends what was started when not all could be.
  void end(int lost) {
    crew.abort(lost);
    killAll();
    for (size_t rank = 0; rank < children.size(); ++rank)
      if (children[rank].running)
        waitpid(children[rank].pid, &children[rank].waitStatus, 0);
  }

  void killAll() {
    for (Child &child : children)
      if (child.running) {
        child.killedByUs = true;
        kill(child.pid, SIGKILL);
      }
  }

  bool anyRunning() const {
    return std::any_of(children.begin(), children.end(),
                       [](const Child &child) { return child.running; });
  }

  /// Whether the worker has ended just now.
  bool reap(size_t rank) {
    Child &child = children[rank];
    if (!child.running)
      return false;
    pid_t ended = waitpid(child.pid, &child.waitStatus, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
      return false;
    child.running = false;
    return true;
  }

  bool died(size_t rank) const {
    const Child &child = children[rank];
    return !child.killedByUs &&
           (WIFSIGNALED(child.waitStatus) || !crew.slots[rank].finished.load());
  }

  bool failed(size_t rank) const {
    return died(rank) || crew.slots[rank].code != 0;
  }

  /// The cause that explains the others: a death before a worker's own error,
  /// that before a worker that only lost its peers.
  int cause() const {
    if (died(static_cast<size_t>(firstFailure)))
      return firstFailure;
    for (size_t rank = 0; rank < children.size(); ++rank)
      if (died(rank))
        return static_cast<int>(rank);
    int first = crew.failed ? crew.failed->load() : -1;
    return causeOf(crew.slots, crew.members, first < 0 ? firstFailure : first);
  }

  int report() const {
    if (firstFailure < 0)
      return 0;
    int rank = cause();
    auto index = static_cast<size_t>(rank);
    if (died(index)) {
      int status = children[index].waitStatus;
      std::string how = WIFSIGNALED(status)
                            ? "was killed by signal " +
                                  std::to_string(WTERMSIG(status)) + " (" +
                                  strsignal(WTERMSIG(status)) + ")"
                            : "ended by itself with code " +
                                  std::to_string(WEXITSTATUS(status));
      const char *remedy =
          WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
              ? "; if nobody killed it, memory ran out: try fewer --workers"
              : "";
      std::fprintf(stderr, "error: worker of rank %d %s%s; %s%s\n", rank,
                   how.c_str(), waits(rank).c_str(), others().c_str(), remedy);
      return static_cast<int>(ErrorCode::Communication);
    }
    return reportError(crew.slots[rank], rank);
  }

  /// "; rank 0 waited for it in all_reduce on @grads (round 17)"
  std::string waits(int lost) const {
    if (!crew.waited)
      return "";
    std::vector<Waited> all;
    for (int rank = 0; rank < crew.members; ++rank)
      if (rank != lost)
        for (Waited &each : crew.waited(rank, lost))
          all.push_back(std::move(each));
    return "; " + describeWaits(all);
  }

  std::string others() const {
    std::string forced;
    for (size_t rank = 0; rank < children.size(); ++rank)
      if (children[rank].killedByUs)
        forced += (forced.empty() ? "" : ", ") + std::to_string(rank);
    if (forced.empty())
      return "the others were ended";
    return "the others were ended, rank " + forced + " by force after " +
           std::to_string(grace.count()) + " s";
  }

  const Crew &crew;
  std::vector<Child> children;
  LogPipes logs;
  int firstFailure = -1;
};

} // namespace

int rubato::runProcesses(const Crew &crew) { return Launcher(crew).run(); }
