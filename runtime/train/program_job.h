// A run of a program: what the launcher prepares, what each member does with
// it, and what is told of it.
#pragma once

#include "control/coordinator.h"
#include "data/sample_queue.h"
#include "fabric/fabric.h"
#include "program/member.h"
#include "program/real_environment.h"
#include "telemetry/progress.h"
#include "train/eval_board.h"
#include "train/job.h"

namespace rubato {

struct ProgramJob {
  ProgramJob(const Unit &unit, const TrainOptions &options)
      : unit(unit), options(options) {}

  const Unit &unit; // with a program
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
  std::chrono::milliseconds deadline() const {
    return std::chrono::milliseconds(
        static_cast<int64_t>(options.deadline * 1000) + 1);
  }
  const RoleSpec &roleOf(int rank) const {
    return unit.program
        .roles[static_cast<size_t>(roles[static_cast<size_t>(rank)])];
  }
};

/// Trains a unit with a program. Prints progress, errors and the summary.
Status trainProgram(ProgramJob &job, int &code);

/// One member from beginning to end, in its own process or thread.
Status runMember(ProgramJob &job, int rank);

/// Who runs what and who has a model: fills in members, roles and evaluators.
Status castRoles(ProgramJob &job);

/// One of the evaluators: adds its share of an evaluation. After
/// `Member::model`.
Status evaluateShare(ProgramJob &job, Member &member, EvalShare &share);
/// The evaluation that the shares of all evaluators make.
EvalRecord addShares(const ProgramJob &job,
                     const std::function<const EvalShare &(int rank)> &shareOf);
/// The last evaluation, and the files that the options want of its model.
Status evaluateModel(ProgramJob &job, Member &member);
Status writeModel(ProgramJob &job, Member &member);
/// Samples in the model of a member as its program counts them.
int64_t samplesSeen(ProgramJob &job, Member &member);

/// How far members are from each other: the channel that this takes, after
/// those of the program, and the measurement, which all members do together.
void addConsensusChannel(const ProgramJob &job,
                         std::vector<ChannelSpec> &channels);
Status measureConsensus(ProgramJob &job, Member &member);

/// Bytes of the flat parameters.
size_t modelBytes(const Unit &unit);

/// What the launcher tells while members run and in the end.
class ProgramReport {
public:
  explicit ProgramReport(ProgramJob &job);
  Status open();
  /// Looks what members have done; tells it at most five times a second.
  void tick();
  /// After all have ended well.
  Status finish();

private:
  double seconds() const;
  void interval();
  void tell(const EvalRecord &record);
  void evaluation();
  std::string summaryLine() const;
  void summarise();
  using Rows = std::vector<std::pair<std::string, std::string>>;
  /// How members worked together: what applies to the program.
  void tellTogether(Rows &rows) const;
  std::string copiedText() const;
  void warn() const;
  std::vector<int> workers() const; // ranks that computed gradients

  ProgramJob &job;
  Metrics metrics;
  Progress progress;
  RoundRecord last; // its round counts intervals
  double lossSum = 0;
  EvalRecord evaluated;
};

} // namespace rubato
