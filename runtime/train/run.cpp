#include "train/run.h"

#include "launch/job.h"
#include "launch/prepare.h"
#include "launch/trace.h"
#include "replay/replay.h"
#include "train/config.h"

#include <cstdio>
#include <cstring>

using namespace rubato;

namespace {

/// Both need the same files, and are found wrong before large ones are read.
Status prepare(Job &job) {
  RB_TRY(castRoles(job));
  if (usesCursor(job.unit.program))
    RB_TRY(planQuanta(job.unit, job.options, job.plan));
  RB_TRY(loadData(job.unit, job.options, job.train, job.eval));
  return makePlan(job.unit, job.options, job.train.samples, job.plan);
}

Status train(const Unit &unit, TrainOptions &options, int &code) {
  RB_TRY(checkOutputs(unit, options));
  RB_TRY(checkOutput("--record", options.record));
  if (!options.dumpGradients.empty()) {
    if (!options.record.empty())
      return {ErrorCode::Usage, "--dump-gradients trains nothing that --record "
                                "could record; give one of them"};
    options.workers = 1; // one micro-batch of one member
    options.globalBatch = 0;
  }
  Job job(unit, options);
  RB_TRY(prepare(job));
  return launch(job, code);
}

Status printConfig(const Unit &unit, const TrainOptions &options) {
  TrainPlan plan;
  bool hasData = !options.train.inputs.empty();
  if (hasData) {
    Dataset train, eval;
    RB_TRY(loadData(unit, options, train, eval));
    RB_TRY(makePlan(unit, options, train.samples, plan));
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
