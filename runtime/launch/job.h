// A job: what the launcher prepares, what each member does with it, and what is
// told of it.
#pragma once

#include "control/coordinator.h"
#include "data/sample_queue.h"
#include "fabric/fabric.h"
#include "launch/placement.h"
#include "launch/plan.h"
#include "launch/worker_slot.h"
#include "program/member.h"
#include "program/real_environment.h"
#include "support/shared_ring.h"
#include "telemetry/progress.h"

namespace rubato {

/// Shared by the launcher and its workers.
struct SharedState {
  std::atomic<int> failed{-1};      // the member of a program that failed first
  std::atomic<int> stop{0};         // the signal that asked to stop
  std::atomic<int> stoppedEarly{0}; // and the run did, before its budget
  // Of a program, in the end: how far members are from each other, and samples
  // in the model. Negative: not known.
  std::atomic<double> consensus{-1};
  std::atomic<int64_t> inModel{-1};
  // Evaluations in the middle of a program's run: members that compute one now,
  // when the last of them was done (of the steady clock), and how long a server
  // was at it while its workers went on; nanoseconds.
  std::atomic<int> evaluating{0};
  std::atomic<int64_t> evaluatedAt{0};
  std::atomic<int64_t> serverEvaluations{0};
};

/// Evaluations in the middle of a run, from the member that leads them.
using EvalBoard = SharedRing<EvalRecord, 16>;

struct Job {
  Job(const Unit &unit, const TrainOptions &options)
      : unit(unit), options(options) {}

  const Unit &unit;
  const TrainOptions &options;
  TrainPlan plan;
  Dataset train, eval; // eval without samples: no evaluation
  int members = 1;
  std::vector<int> roles;      // of each rank
  std::vector<int> evaluators; // ranks that have a model, the leader first
  Cores cores;                 // of this run
  std::vector<Cores> places;   // of each rank; see train/placement.h

  // In memory that forked members share.
  SharedState *shared = nullptr;
  WorkerSlot *slots = nullptr;
  MemberStatistics *statistics = nullptr;
  EvalBoard *board = nullptr;
  RoundBoard *rounds = nullptr; // one of each member; null: rounds are its own
  SampleQueue *queue = nullptr;
  std::unique_ptr<Fabric> fabric;

  // The desk: one for all threads, or what processes connect to.
  std::unique_ptr<Desk> desk;
  std::unique_ptr<Coordinator> coordinator;
  std::chrono::steady_clock::time_point begin;

  bool threads() const {
    return options.fabric.value_or(FabricKind::Processes) ==
           FabricKind::Threads;
  }
  /// One member runs in the launcher's own thread: nothing is started, and
  /// nobody watches.
  bool alone() const { return members == 1 && !options.fabric; }
  std::chrono::milliseconds deadline() const {
    return std::chrono::milliseconds(
        static_cast<int64_t>(options.deadline * 1000) + 1);
  }
  const RoleSpec &roleOf(int rank) const {
    return unit.program
        .roles[static_cast<size_t>(roles[static_cast<size_t>(rank)])];
  }
};

/// Runs all members: as processes, as threads, or the only one here. Prints
/// progress, errors and the summary.
Status launch(Job &job, int &code);

/// One member from beginning to end, in its own process or thread. `tick` is
/// called between its rounds; may be none.
Status runMember(Job &job, int rank, const std::function<void()> &tick = {});

/// Who runs what and who has a model: fills in members, roles and evaluators.
Status castRoles(Job &job);

/// One of the evaluators: adds its share of an evaluation. After
/// `Member::model`.
Status evaluateShare(Job &job, Member &member, EvalShare &share);
/// The evaluation that the shares of all evaluators make.
EvalRecord addShares(const Job &job,
                     const std::function<const EvalShare &(int rank)> &shareOf);
/// The last evaluation, and the files that the options want of its model.
Status evaluateModel(Job &job, Member &member);
Status writeModel(Job &job, Member &member);
/// --dump-gradients: of the first micro-batch, as it lies in the files.
Status writeGradient(Job &job, Member &member);
/// Samples in the model of a member as its program counts them.
Status samplesSeen(Job &job, Member &member, int64_t &samples);

/// How far members are from each other: the channel that this takes, after
/// those of the program, and the measurement, which all members do together.
void addConsensusChannel(const Job &job, std::vector<ChannelSpec> &channels);
Status measureConsensus(Job &job, Member &member);

/// Bytes of the flat parameters.
size_t modelBytes(const Unit &unit);

/// Whether all members run one strand, and its rounds together.
bool sharesRounds(const ProgramSpec &program);

/// The end of every run: joins the timelines of members; says that a signal
/// stopped it. Both take and return the exit code.
int endTimeline(const TrainOptions &options, int members, int code);
int endStopped(const TrainOptions &options, const SharedState &shared,
               int code);

/// From now on SIGINT and SIGTERM set `stop`; the second one kills.
void stopOnSignals(std::atomic<int> &stop);

/// What the launcher tells while members run and in the end.
class RunReport {
public:
  explicit RunReport(Job &job);
  Status open();
  /// Looks what members have done; tells it at most five times a second.
  void tick();
  /// After all have ended well.
  Status finish();

private:
  double seconds() const;
  void interval();
  void rounds(int64_t until);
  void tellProgress(int64_t seen, double loss, double at);
  void tell(const EvalRecord &record);
  void evaluation();
  std::string summaryLine() const;
  void summarise();
  using Rows = std::vector<std::pair<std::string, std::string>>;
  /// How members worked together: what applies to the program.
  void tellTogether(Rows &rows) const;
  std::string copiedText() const;
  std::string earlyText() const;
  void warn() const;
  std::vector<int> workers() const; // ranks that computed gradients

  Job &job;
  Metrics metrics;
  Progress progress;
  RoundRecord last; // its round counts intervals where rounds are members' own
  std::vector<RoundShare> pending; // of each member, since the last round told
  double lossSum = 0;
  EvalRecord evaluated;
};

} // namespace rubato
