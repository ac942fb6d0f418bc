// A cluster in virtual time: what surrounds the strands of n virtual members in
// one process.
//
// The semantics, the times and the log are those of rubato-interp with
// `--schedule time` (docs/interpreter.md); the interpreter is the judge. Nobody
// dies here. Calls come from the fibers that a Simulation starts.
#pragma once

#include "environment/environment.h"
#include "sim/costs.h"
#include "sim/event_log.h"
#include "sim/samples.h"
#include "sim/statistics.h"
#include "unit/spec.h"

#include <functional>
#include <memory>

namespace rubato::sim {

class Collectives;
class Decisions;
class Mailbox;
class Meetings;
class Pairs;
class Stage;
class Votes;

struct SimSetup {
  const ProgramSpec &spec; // outlives the environment
  int members = 1;         // of all roles together
  uint64_t seed = 0;
  Costs *costs = nullptr; // outlives the environment
  int64_t samples = 64;   // of the data set
  int64_t batch = 1;      // a quantum: samples of a micro-batch
  int64_t quanta = 1;     // micro-batches of a member in a round
  bool shuffle = false;
  bool replacement = false; // samples are drawn, not dealt
  /// Members are asked to stop in this round of their first strand; 0: never.
  int64_t rounds = 0;
  EventLog::Sink log = {};
  size_t stackBytes = size_t{256} * 1024; // of a strand
  /// Gives up after so many visible steps of all members.
  int64_t maxSteps = INT64_MAX;
};

class SimEnvironment final : public Environment {
public:
  static Status make(const SimSetup &setup,
                     std::unique_ptr<SimEnvironment> &environment);
  ~SimEnvironment() override;

  /// Calls back on a grid of virtual time (nanoseconds), from 0 on: outside of
  /// all strands, when everything up to then has happened. The callback may ask
  /// for a stop; nothing else that it does changes the run.
  void observe(int64_t period, std::function<void(int64_t time)> callback);
  /// Asks all members to stop, as a signal would.
  void requestStop();
  int64_t time() const; // nanoseconds
  /// Complete once the run is over.
  const Statistics &statistics() const;
  const Samples &stream() const { return *samples; }

  // Environment.
  bool keepsBlocks() const override { return true; }
  bool takesTurns() const override { return true; }
#define METHOD(result, name, params, args) result name params override;
#include "environment/environment_methods.def"

private:
  friend class Simulation;
  explicit SimEnvironment(const SimSetup &setup);

  Status prepare();
  Strand &strandOf(const Caller &who);
  Status visible(Strand &strand);
  /// A strand looks at a future at the end of its work, or where restarts take
  /// effect at once when a model arrives that makes the work void.
  Status poll(Strand &strand, FutureHandle handle);
  Status boxOf(Strand &strand, const char *operation, int channel,
               Mailbox *&box);
  /// A member has ended.
  void leave(int rank);

  SimSetup setup;
  std::unique_ptr<Stage> stage;
  std::unique_ptr<Samples> samples;
  std::unique_ptr<Collectives> collectives;
  std::unique_ptr<Pairs> pairs;
  std::vector<std::unique_ptr<Mailbox>> mailboxes; // by channel; others null
  std::unique_ptr<Meetings> meetings;
  std::unique_ptr<Votes> votes;
  std::unique_ptr<Decisions> decisions;
};

} // namespace rubato::sim
