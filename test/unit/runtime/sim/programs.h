// Programs by hand: what a compiled program of docs/algorithms asks of its
// environment, as functions over it.
#pragma once

#include "quadratic.h"
#include "sim/simulation.h"

#include <limits>
#include <memory>

namespace rubato::sim::test {

/// One member's cells, and what its strands carry from round to round.
struct Cells {
  Vector w = {}, xt = {}, wprev = {}, model = {};
  int64_t seen = 0, budget = 1000;
  float baseLr = 0.1f;
  double last = 0, dt = 0, eta = 0, etaGraph = 0, alpha = 0;
  int64_t gradients = 0, averagings = 0, members = 0;
  int64_t measuredSamples = 0;
  double measuredSeconds = 0;
  FutureHandle carried = 0;
  int64_t first = 0; // of a server: uploads that close a round
  // What is compiled in.
  int64_t batch = 2;
  int64_t bRef = 0;        // of abs-sgd; 0: a micro-batch of every member
  bool dataByRank = false; // every sample of rank r is r + 1
};

/// One strand's view of the world, with short names.
struct Self {
  Environment &env;
  Caller who;
  std::shared_ptr<Cells> cells;

  /// Cells that a sibling may change.
  Status read();
  Status update(const char *names, const std::function<void()> &body);
  /// The next micro-batch and its gradient at `w`.
  Status gradient(const Vector &w, const BatchRequest &request,
                  Gradient &total);
  void work(const char *name);
  double now() { return env.now(who); }

  /// Bodies until the future is done, as gsync.repeat counts them; a future of
  /// -1: no future.
  Status repeat(FutureHandle until, int64_t atLeast, int64_t atMost,
                const std::function<Status(int64_t)> &body, int64_t &count);
  /// Runs rounds until one says that there is no other.
  Status rounds(const std::function<Status(bool &)> &round);
};

inline constexpr FutureHandle kNoFuture = -1;
inline constexpr int64_t kNoBound = std::numeric_limits<int64_t>::max();

struct Program {
  ProgramSpec spec;
  /// Makes the functions of a member.
  std::function<MemberFunctions(Environment &, int rank,
                                std::shared_ptr<Cells>)>
      member;
};

Program allReduce();
Program absSgd();
Program dynamicSgd();
Program lbBsp();
Program adaptiveSgd();
Program a2cid2();
struct StalenessProgram {
  int64_t steps = 3;
  bool leased = true, byStaleness = true;
  std::vector<policy::NamedSetting> rule;
};
Program boundedStaleness(const StalenessProgram &options = {});

/// A run of a program: its environment, cells and log.
struct SimRun {
  Program program;
  std::unique_ptr<SimEnvironment> env;
  std::vector<std::shared_ptr<Cells>> cells;
  std::string log;
  bool quiet = false; // no log at all

  /// Without a log in `setup` it is kept here.
  Status start(SimSetup setup, const Cells &first = {});
  /// To the end, and then the models of those who have one.
  Status run();
};

} // namespace rubato::sim::test
