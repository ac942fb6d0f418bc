// The environment of a real run: values over the fabric, decisions at the
// desk, the wall clock.
//
// One object serves all members of a process. It is made before workers are
// forked; what they share lies in memory that the caller gives.
#pragma once

#include "control/desk.h"
#include "data/cursor.h"
#include "data/sample_order.h"
#include "data/sample_queue.h"
#include "environment/environment.h"
#include "fabric/fabric.h"
#include "program/delay_guard.h"
#include "program/meeting.h"
#include "program/member_policies.h"
#include "program/open_futures.h"
#include "program/round_board.h"
#include "program/statistics.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace rubato {

struct RealSetup {
  const ProgramSpec &program;
  int members = 1;
  int rank = -1; // the one member of this process; -1: all are
  Fabric &fabric;
  Desk &desk;
  SampleOrder order;
  int64_t quantum = 1;                    // samples of a micro-batch
  int64_t globalBatch = 1;                // samples of a round by cursor
  int64_t quanta = 1;                     // micro-batches of a member in it
  SampleQueue *queue = nullptr;           // of all members
  MemberStatistics *statistics = nullptr; // one of each member
  RoundBoard *rounds = nullptr; // likewise; null: nobody asks for rounds
  const std::atomic<int> *stop = nullptr; // not 0: stop is requested
  int64_t steps = 0;                      // rounds of a strand; 0: no limit
  double seconds = std::numeric_limits<double>::infinity(); // of training
  std::vector<double> slow; // factor of each member's gradients; missing: 1
  std::string learningRate; // for messages: "0.1"
  std::chrono::milliseconds deadline{60000};    // of every wait for others
  std::chrono::steady_clock::time_point begin = // of training
      std::chrono::steady_clock::now();
  /// Nanoseconds in which others stood still and this member did not: they are
  /// no time of training. May be null.
  const std::atomic<int64_t> *standstill = nullptr;
  int cores = 0; // of all members together; 0: those of this process
  /// What is to be done at a boundary that another round follows; may be none.
  std::function<Status(const Caller &who)> boundary = {};
};

class RealEnvironment final : public Environment {
public:
  static Status make(const RealSetup &setup,
                     std::unique_ptr<RealEnvironment> &environment);

  /// The training clock stands still in between.
  void pause();
  void resume();
  int64_t nanoseconds() const; // of training

  /// The strands of a member begin, and have ended.
  void began(int rank);
  void ended(int rank);
  /// A strand of this member failed: its siblings wait for it no longer.
  void abandon(int rank);

  bool keepsBlocks() const override { return true; }
#define METHOD(result, name, params, args) result name params override;
#include "environment/environment_methods.def"

private:
  using Clock = std::chrono::steady_clock;

  /// Places from the queue that a strand may have to give back.
  struct Held {
    int channel = -1;    // whose next reduction takes them for good
    int64_t ticket = -1; // of a lease
    std::vector<int64_t> places;
  };
  /// Used by the strand's own thread only.
  struct StrandState {
    explicit StrandState(const CursorShape &shape) : cursor(shape) {}
    Cursor cursor;
    bool consumed = true; // the vote of the present round
    int arriving = -1;    // the channel of the last sum
    std::vector<Held> held;
    int64_t computed = 0;        // samples of the present round
    bool dealt = false;          // works on rows that a policy dealt
    Clock::time_point gradient;  // began
    Clock::time_point stretched; // up to here it was slowed down
    bool computing = false;      // inside a gradient
    double wrong = 0;            // a loss that is not finite
    RoundShare share;            // of rounds that were not told yet
  };
  struct MemberState {
    std::vector<StrandState> strands; // and one for init, drain and model
    std::unique_ptr<std::mutex[]> locks;
    std::vector<std::unique_ptr<Meeting>> meetings;
    std::unique_ptr<MemberPolicies> policies;
    std::unique_ptr<OpenFutures> futures;
    std::unique_ptr<DelayGuard> guard;
  };

  explicit RealEnvironment(const RealSetup &setup)
      : setup(setup), begin(setup.begin),
        crowded(setup.members >
                (setup.cores > 0 ? setup.cores : allowedCpus())) {}
  Status makeMember(int rank, const std::vector<int> &roles);
  MemberState &memberOf(const Caller &who) {
    return members_[static_cast<size_t>(who.rank)];
  }
  StrandState &strandOf(const Caller &who) {
    return memberOf(who).strands[static_cast<size_t>(who.strand)];
  }
  MemberStatistics &statisticsOf(const Caller &who) {
    return setup.statistics[who.rank];
  }
  /// Init, drain and model have the note after the last that a strand can have.
  WaitNote &noteOf(const Caller &who) {
    return statisticsOf(who).waits[who.round < 0 ? maxStrands : who.strand];
  }
  template <typename Fn>
  Status waits(const Caller &who, Call what, int index, Fn call) {
    return noted(noteOf(who), what, index, -1, who.round, call);
  }
  Deadline deadline() const { return Clock::now() + setup.deadline; }
  Status takeFromQueue(StrandState &strand, const BatchRequest &request,
                       std::span<int64_t> rows, int64_t &count);
  void stretch(const Caller &who);
  void countDelay(const Caller &who, const OpenFuture &future);
  Status giveBack(StrandState &strand, int64_t ticketsBelow);

  RealSetup setup;
  std::vector<MemberState> members_;
  Clock::time_point begin;
  bool crowded;                        // more members than cores
  std::atomic<int64_t> paused{0};      // nanoseconds in all
  std::atomic<int64_t> pausedSince{0}; // 0: runs
};

} // namespace rubato
