// A simulated run from the command line to its files.
#include "simulate/simulate.h"

#include "cli/option_values.h"
#include "launch/prepare.h"
#include "launch/text_file.h"
#include "sim/cluster.h"
#include "sim/cost_table.h"
#include "simulate/cells.h"
#include "simulate/job.h"
#include "simulate/scatter.h"
#include "state/dump.h"
#include "state/export_onnx.h"
#include "support/atomic_file.h"
#include "support/read_file.h"

#include <climits>
#include <cmath>
#include <cstring>
#include <malloc.h>

using namespace rubato;

namespace {

class SimulatedRun {
public:
  SimulatedRun(const Unit &unit, const SimulateOptions &options)
      : job(unit, options), options(options) {}

  Status run(int &code);

private:
  Status chooseMembers();
  Status makeCosts();
  Status makeEnvironment();
  Status makeCrew();
  Status makeObserver();
  Status runCrew();
  Status trainAll();
  void look(int64_t time);
  void observe(int64_t time);
  int64_t samplesIn(int rank) const;
  Status writeModels();
  Status writeModel(int rank);
  Status tell();

  SimulateJob job;
  const SimulateOptions &options;
  sim::Cluster cluster;
  std::unique_ptr<ModelObserver> observer;
  TextFile log, metrics;
  Status looking;
  std::optional<ProcessorMeter::Counting> counting;
  int hits = 0; // observations in a row that reach the target
};

/// As many workers as asked for, or as the cluster has; then the roles.
Status SimulatedRun::chooseMembers() {
  job.train = options.train;
  if (!options.cluster.empty())
    RB_TRY(sim::readCluster(options.cluster, cluster));
  auto listed = static_cast<int64_t>(cluster.workers.size());
  job.train.workers = options.workers.value_or(listed);
  const ProgramSpec &program = job.unit.program;
  int64_t members = 0;
  for (const RoleSpec &role : program.roles)
    members += role.count < 0 ? job.train.workers : role.count;
  constexpr int64_t most = 1024;
  if (members > most)
    return usage("--workers: at most 1024 members can be simulated");
  job.members = static_cast<int>(members);
  // The first that has a model; where no role says, the first that computes.
  std::vector<int> roles = program.rolesOfRanks(job.members);
  for (int pass = 0; pass < 2; ++pass)
    for (int rank = 0; rank < job.members; ++rank) {
      const RoleSpec &role =
          program.roles[static_cast<size_t>(roles[static_cast<size_t>(rank)])];
      if (pass == 0 ? role.model >= 0 : role.count < 0) {
        job.leader = rank;
        return Status::ok();
      }
    }
  return Status::ok();
}

Status SimulatedRun::makeCosts() {
  uint64_t seed = options.seedOfTimes();
  if (!options.cluster.empty()) {
    RB_TRY(sim::checkUplinks(cluster.uplinks, job.members)); // names the line
    std::unique_ptr<sim::ClusterCosts> costs;
    RB_TRY(sim::ClusterCosts::make(cluster, job.unit.program, job.members, seed,
                                   costs)
               .annotate(options.cluster));
    job.costs = std::move(costs);
    return Status::ok();
  }
  std::string text;
  if (!readFile(options.cost, text))
    return Status::user("--cost " + options.cost +
                        ": cannot be read; does it exist?");
  auto table = std::make_unique<sim::CostTable>(seed);
  RB_TRY(table->read(text, options.cost));
  RB_TRY(sim::checkUplinks(table->uplinks(), job.members));
  job.costs = std::move(table);
  return Status::ok();
}

Status SimulatedRun::makeEnvironment() {
  sim::SimSetup setup{.spec = job.unit.program};
  setup.members = job.members;
  setup.seed = job.train.seed;
  setup.costs = job.costs.get();
  setup.samples = job.data.samples;
  setup.batch = job.unit.quantum;
  setup.quanta = job.plan.quanta;
  setup.shuffle = job.train.shuffle;
  setup.replacement = options.replacement;
  setup.rounds = options.rounds;
  if (job.train.steps && !usesCursor(job.unit.program))
    setup.rounds = *job.train.steps;
  if (!options.log.empty()) {
    RB_TRY(log.open("--log", options.log));
    setup.log = [this](std::string_view line) {
      if (options.logCells)
        log.write(lineWithCells(line, job.unit, job.crew));
      else
        log.write(line);
    };
  }
  RB_TRY(sim::SimEnvironment::make(setup, job.environment));
  constexpr size_t spansOfMember = 4000;
  job.watch = std::make_unique<WatchedEnvironment>(
      *job.environment, job.members,
      options.report.empty() ? 0 : spansOfMember);
  if (job.train.seconds)
    job.watch->seconds = *job.train.seconds;
  job.watch->stop = &job.shared.stop;
  return Status::ok();
}

Status SimulatedRun::makeCrew() {
  RB_TRY(Memory::privateMemory(
      std::max<int64_t>(job.unit.regionBytes[RB_SCRATCH], 1),
      "scratch memory of all members", job.scratch));
  SpendingBlock spending(Spending::Memory);
  for (int rank = 0; rank < job.members; ++rank) {
    std::unique_ptr<Member> &member = job.crew.emplace_back();
    RB_TRY(Member::make({.unit = job.unit,
                         .environment = *job.watch,
                         .rank = rank,
                         .members = job.members,
                         .data = &job.data,
                         .scratch = job.scratch.data()},
                        member));
    member->set("budget", job.plan.budget);
    if (job.train.lr)
      member->set("base-lr", *job.train.lr);
  }
  return Status::ok();
}

Status SimulatedRun::makeObserver() {
  RB_TRY(ModelObserver::make(job.unit, job.crew, job.leader, job.eval,
                             job.scratch.data(), observer));
  if (!options.observe)
    return Status::ok();
  constexpr double perSecond = 1e9, longest = 9e9;
  int64_t period =
      std::llround(std::min(*options.observe, longest) * perSecond);
  if (period < 1)
    return usage("--observe: a nanosecond is the shortest time");
  job.environment->observe(period, [this](int64_t time) { look(time); });
  return Status::ok();
}

/// A point of the grid.
void SimulatedRun::look(int64_t time) {
  if (!looking || job.reached)
    return;
  // Not of the run: it would be the same without.
  ProcessorMeter looked;
  ProcessorMeter *running = std::exchange(ProcessorMeter::present, nullptr);
  {
    ProcessorMeter::Counting counting(looked);
    observe(time);
  }
  ProcessorMeter::present = running;
  if (running)
    running->leaveOut(looked.total());
}

void SimulatedRun::observe(int64_t time) {
  Observation seen;
  seen.seconds = static_cast<double>(time) * 1e-9;
  seen.seen = job.watch->samples.upTo(time);
  seen.bytes = job.watch->bytes.upTo(time);
  looking = observer->evaluate(seen.model);
  if (!looking) {
    job.environment->requestStop();
    return;
  }
  seen.consensus = observer->consensus();
  metrics.write(metricsLine(seen));
  if (!options.train.quiet) {
    std::printf("%.6g s  %lld samples  evaluation loss %.4f", seen.seconds,
                static_cast<long long>(seen.seen), seen.model.loss);
    if (seen.model.hasAccuracy)
      std::printf("  accuracy %.4f", seen.model.accuracy());
    std::printf("\n");
    std::fflush(stdout);
  }
  job.observations.push_back(seen);
  constexpr int inARow = 3;
  hits = options.target && seen.model.loss <= *options.target ? hits + 1 : 0;
  if (hits < inARow)
    return;
  job.reached = job.observations[job.observations.size() - inARow].seconds;
  job.untilTarget = job.environment->statistics();
  job.environment->requestStop();
}

Status SimulatedRun::trainAll() {
  std::vector<sim::MemberFunctions> functions;
  for (const std::unique_ptr<Member> &each : job.crew) {
    Member *member = each.get();
    const RoleSpec &role = member->role();
    sim::MemberFunctions &parts = functions.emplace_back();
    if (role.init >= 0 || options.scatter)
      parts.init = [this, member] {
        RB_TRY(member->init());
        if (options.scatter)
          scatter(job.unit, *member, *options.scatter, job.train.seed);
        return Status::ok();
      };
    for (size_t i = 0; i != role.strands.size(); ++i)
      parts.strands.push_back(
          [member, i] { return member->strand(static_cast<int>(i)); });
    if (role.drain >= 0)
      parts.drain = [member] { return member->drain(); };
    if (role.model >= 0)
      parts.model = [member] { return member->model(); };
  }
  sim::Simulation simulation(*job.environment, std::move(functions));
  RB_TRY(simulation.run());
  counting.reset();
  RB_TRY(std::move(looking).annotate("observation"));
  job.statistics = job.environment->statistics();
  job.inModel = samplesIn(job.leader);
  // Drains often end in an average, so what was seen before tells more.
  job.consensus = job.observations.empty() ? observer->consensus()
                                           : job.observations.back().consensus;
  // Where the run ended between two points of the grid, nobody looks further.
  job.environment->observe(INT64_MAX / 2, [](int64_t) {});
  return simulation.runModels();
}

/// Samples in a member's model as its program counts them.
int64_t SimulatedRun::samplesIn(int rank) const {
  int64_t seen = job.watch->samples.total();
  if (const Cell *cell = job.unit.cell("seen"); cell && cell->dtype == RB_I64)
    std::memcpy(&seen,
                job.crew[static_cast<size_t>(rank)]->hostAddress(cell->place),
                sizeof seen);
  return seen;
}

Status SimulatedRun::writeModel(int rank) {
  const void *flat =
      job.crew[static_cast<size_t>(rank)]->hostAddress(job.unit.parameters);
  std::string path = job.train.dumpParameters;
  if (size_t wildcard = path.find("%r"); wildcard != path.npos)
    path.replace(wildcard, 2, std::to_string(rank));
  return dumpSlots(job.unit, flat, path,
                   {{"samples", std::to_string(samplesIn(rank))}});
}

Status SimulatedRun::writeModels() {
  Member &leader = *job.crew[static_cast<size_t>(job.leader)];
  if (job.eval.samples > 0)
    RB_TRY(evaluateAll(job.unit, leader, job.eval, job.evaluated));
  if (!job.train.save.empty())
    RB_TRY(saveOnnx(job.unit, leader.hostAddress(job.unit.parameters),
                    job.train.save));
  if (job.train.dumpParameters.empty())
    return Status::ok();
  bool all = job.train.dumpParameters.find("%r") != std::string::npos;
  for (int rank = 0; rank < job.members; ++rank)
    if (rank == job.leader ||
        (all && &job.crew[static_cast<size_t>(rank)]->role() == &leader.role()))
      RB_TRY(writeModel(rank));
  return Status::ok();
}

Status SimulatedRun::tell() {
  SimulateSummary summary = summarise(job);
  metrics.write(metricsLine(job, summary));
  RB_TRY(metrics.close());
  RB_TRY(log.close());
  if (!options.report.empty()) {
    std::string page = reportPage(job, summary);
    RB_TRY(writeFileAtomically(options.report, {{page.data(), page.size()}}));
  }
  Progress(stdout, job.train.quiet).summary(summary.rows);
  if (options.target && job.reached)
    std::printf("target %g reached at %.6g s\n", *options.target, *job.reached);
  else if (options.target)
    std::printf("target %g not reached\n", *options.target);
  for (const std::string &warning : summary.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return Status::ok();
}

/// Values on their way come and go by the million; their memory shall stay.
void keepMemory() {
  constexpr int large = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/// The members from their making to their end, and what that costs.
Status SimulatedRun::runCrew() {
  counting.emplace(job.meter);
  RB_TRY(makeCrew());
  RB_TRY(makeObserver());
  stopOnSignals(job.shared.stop);
  return trainAll();
}

Status SimulatedRun::run(int &code) {
  keepMemory();
  RB_TRY(checkOutputs(job.unit, options.train));
  RB_TRY(checkOutput("--log", options.log));
  RB_TRY(checkOutput("--report", options.report));
  RB_TRY(chooseMembers());
  RB_TRY(makeCosts());
  RB_TRY(loadData(job.unit, options.train, job.data, job.eval));
  RB_TRY(makePlan(job.unit, job.train, job.data.samples, job.plan,
                  options.replacement));
  // Rounds alone: no samples end the run, as in the interpreter.
  if (options.rounds && !job.train.epochs)
    job.plan.budget = int64_t{1} << 60;
  if (!options.train.metrics.empty())
    RB_TRY(metrics.open("--metrics", options.train.metrics));
  RB_TRY(makeEnvironment());
  RB_TRY(runCrew());
  RB_TRY(writeModels());
  RB_TRY(tell());
  job.shared.stoppedEarly.store(1);
  code = endStopped(job.train, job.shared, code);
  return Status::ok();
}

} // namespace

Status rubato::simulate(const Unit &unit, const char *program, int argc,
                        char **argv, int &code) {
  SimulateOptions options;
  RB_TRY(parseSimulateOptions(unit, argc, argv, options));
  if (options.help) {
    std::fputs(simulateHelpText(program).c_str(), stdout);
    return Status::ok();
  }
  return SimulatedRun(unit, options).run(code);
}
