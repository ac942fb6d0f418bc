#include "train/run.h"

#include "program/synchronous.h"
#include "train/config.h"
#include "train/job.h"
#include "train/prepare.h"
#include "train/program_job.h"
#include "train/replay.h"
#include "train/trace.h"

#include <cstdio>
#include <cstring>
#include <new>

using namespace rubato;

namespace {

/// Puts the shared state and one slot per worker into memory that forked
/// workers share.
Status makeShared(Job &job, std::shared_ptr<Mapping> &memory) {
  auto members = static_cast<size_t>(job.members());
  constexpr size_t head = (sizeof(SharedState) + alignof(WorkerSlot) - 1) /
                          alignof(WorkerSlot) * alignof(WorkerSlot);
  RB_TRY(Mapping::anonymous(head + members * sizeof(WorkerSlot),
                            "state of the workers", memory));
  job.shared = new (memory->data()) SharedState;
  for (size_t i = 0; i < members; ++i) {
    auto *slot =
        new (memory->data() + head + i * sizeof(WorkerSlot)) WorkerSlot;
    if (i == 0)
      job.slots = slot;
  }
  return Status::ok();
}

/// Synchronous rounds run as a program where an option is for programs only.
bool runsAsProgram(const Unit &unit, const TrainOptions &options) {
  if (!options.dumpGradients.empty())
    return false;
  return !unit.program.empty() || options.seconds || !options.slow.empty() ||
         options.fabric || options.link || !options.record.empty();
}

Status trainAsProgram(const Unit &unit, const TrainOptions &options,
                      int &code) {
  RB_TRY(checkOutputs(unit, options));
  RB_TRY(checkOutput("--record", options.record));
  Unit program = unit;
  if (unit.program.empty())
    RB_TRY(asProgram(unit, program));
  ProgramJob job(program, options);
  RB_TRY(loadData(unit, options, job.train, job.eval));
  return trainProgram(job, code);
}

Status train(const Unit &unit, TrainOptions &options, int &code) {
  if (runsAsProgram(unit, options))
    return trainAsProgram(unit, options, code);
  if (!options.dumpGradients.empty() && !options.record.empty())
    return {ErrorCode::Usage, "--dump-gradients trains nothing that --record "
                              "could record; give one of them"};
  if (!options.dumpGradients.empty() && !unit.code->gradient)
    return {ErrorCode::Unsupported,
            "--dump-gradients: this executable has no gradient by itself; "
            "compile the model with the synchronous algorithm"};
  if (!options.dumpGradients.empty()) {
    options.workers = 1; // one micro-batch of one member
    options.globalBatch = 0;
  }
  RB_TRY(checkOutputs(unit, options));
  Job job{unit, options, {}, {}, {}};
  RB_TRY(planQuanta(unit, options, job.plan)); // before large files are read
  RB_TRY(loadData(unit, options, job.train, job.eval));
  if (options.dumpGradients.empty())
    RB_TRY(makePlan(unit, options, job.train.samples, job.plan));
  std::shared_ptr<Mapping> memory;
  RB_TRY(makeShared(job, memory));
  std::unique_ptr<Group> group;
  RB_TRY(Group::create(job.members(), unit.regionBytes[RB_SHARED],
                       unit.regionBytes[RB_RESULT], group));
  job.group = group.get();
  stopOnSignals(job.shared->stop);
  code = runWorkers(job);
  return Status::ok();
}

Status printConfig(const Unit &unit, const TrainOptions &options) {
  TrainPlan plan;
  bool hasData = !options.train.inputs.empty();
  if (hasData) {
    Dataset train, eval;
    RB_TRY(loadData(unit, options, train, eval));
    RB_TRY((unit.program.empty() ? makePlan : makeProgramPlan)(
        unit, options, train.samples, plan));
  }
  std::fputs(configText(unit, options, hasData ? &plan : nullptr).c_str(),
             stdout);
  return Status::ok();
}

Status dispatch(const rb_unit &unitCode, int argc, char **argv,
                Commands commands, int &code) {
  Unit unit;
  TrainOptions options;
  RB_TRY(loadUnit(unitCode, unit));
  if (argc > 1 && std::strcmp(argv[1], "replay") == 0)
    return replay(unit, argc, argv, commands);
  for (const Command &command : commands)
    if (argc > 1 && std::strcmp(argv[1], command.name) == 0)
      return command.run(unit, argv[0], argc - 1, argv + 1, code);
  if (argc > 1 && std::strcmp(argv[1], "simulate") == 0)
    return {ErrorCode::Unsupported,
            "this executable holds no simulator: it was compiled with "
            "--no-simulator; compile the model again without that option"};
  RB_TRY(parseOptions(unit, argc, argv, options));
  if (options.help) {
    std::string program = argc > 0 ? argv[0] : "train";
    std::fputs(helpText(unit, program, commands).c_str(), stdout);
    return Status::ok();
  }
  if (options.version) {
    std::printf("%s, model %s, ABI %u\n", unit.producer.c_str(),
                unit.model.c_str(), unitCode.abi);
    return Status::ok();
  }
  if (options.printConfig)
    return printConfig(unit, options);
  if (options.device == DeviceKind::Trace && !unit.program.empty())
    return {ErrorCode::Unsupported,
            "--device trace prints the one round of synchronous algorithms; "
            "this executable holds a program of several parts"};
  if (options.device == DeviceKind::Trace)
    return traceRound(unit, options);
  return train(unit, options, code);
}

} // namespace

int rubato::runTraining(const rb_unit &code, int argc, char **argv,
                        Commands commands) {
  int exitCode = 0;
  Status status = dispatch(code, argc, argv, commands, exitCode);
  std::fflush(stdout);
  if (status)
    return exitCode;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return static_cast<int>(status.code());
}
