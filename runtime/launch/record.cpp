// The log of a run: its header, and the streams of all members in one file.
#include "launch/record.h"

#include "launch/record_header.h"
#include "program/recording_environment.h"
#include "program/run_log.h"

#include <cstdio>
#include <unistd.h>

using namespace rubato;

static Json runJson(const Job &job) {
  const TrainOptions &options = job.options;
  Json run = {{"workers", options.workers},
              {"members", job.members},
              {"seed", options.seed},
              {"shuffle", options.shuffle},
              {"budget", job.plan.budget},
              {"global-batch", job.plan.globalBatch},
              {"fabric", job.threads() ? "threads" : "processes"}};
  if (options.lr)
    run["lr"] = *options.lr;
  if (options.epochs)
    run["epochs"] = *options.epochs;
  if (options.steps)
    run["steps"] = *options.steps;
  if (options.seconds)
    run["time"] = *options.seconds;
  for (auto [rank, factor] : options.slow)
    run["slow"][std::to_string(rank)] = factor;
  return run;
}

Status rubato::recordHeader(const Job &job, int code, std::string &header) {
  Json data = Json::array();
  for (const DataPrint &print : printsOf(job.unit, job.train))
    data.push_back({{"option", print.option},
                    {"name", print.name},
                    {"file", print.file},
                    {"samples", print.samples},
                    {"bytes", print.bytes},
                    {"checksum", print.checksum}});
  std::string executable;
  RB_TRY(executablePrint(executable));
  Json json = {{"producer", job.unit.producer},
               {"model", job.unit.model},
               {"compiled", job.unit.options},
               {"unit", unitPrint(job.unit)},
               {"executable", executable},
               {"run", runJson(job)},
               {"data", data},
               {"transforms", transformsJson(job.options.train)},
               {"code", code}};
  // File names need not be UTF-8; replace what is not.
  header = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return Status::ok();
}

static Status writeRecord(const Job &job, int code) {
  RunLog log;
  RB_TRY(recordHeader(job, code, log.header));
  std::vector<std::shared_ptr<Mapping>> files;
  for (int rank = 0; rank < job.members; ++rank) {
    auto strands = static_cast<int>(job.roleOf(rank).strands.size());
    for (int strand = 0; strand <= strands; ++strand) {
      std::string path = streamPath(job.options.record, rank, strand);
      // What has no events is an empty file; of a run that failed some may not
      // be there at all.
      std::shared_ptr<Mapping> file;
      RunStream stream{rank, strand, {}};
      if (Mapping::file(path, file))
        stream.events = {file->data(), file->size()};
      files.push_back(std::move(file));
      log.streams.push_back(stream);
      unlink(path.c_str());
    }
  }
  return writeRunLog(job.options.record, log).annotate("--record");
}

int rubato::endRecord(const Job &job, int code) {
  Status status = writeRecord(job, code);
  if (status)
    return code;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return code != 0 ? code : static_cast<int>(status.code());
}
