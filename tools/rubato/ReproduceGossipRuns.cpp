// Compiling and simulating rings of gossip.
#include "ReproduceGossip.h"

#include "rubato/Driver/Compiler.h"
#include "rubato/Support/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace llvm;

static const std::pair<StringRef, StringRef> kClusters[] = {
#include "ClusterFiles.inc"
};

static std::string number(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.9g", value);
  return text;
}

double GossipRun::decay() const {
  constexpr double floor = 1e-12;
  std::vector<std::pair<double, double>> above;
  for (auto [at, distance] : points)
    if (distance > floor)
      above.emplace_back(at, std::log(distance));
  if (above.empty())
    return std::nan("");
  double half = above.back().first / 2, n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (auto [at, value] : above)
    if (at > half) {
      n += 1;
      x += at;
      y += value;
      xx += at * at;
      xy += at * value;
    }
  return -(n * xy - x * y) / (n * xx - x * x);
}

double GossipRun::steady(int64_t burnIn) const {
  double sum = 0, count = 0;
  for (auto [at, distance] : points)
    if (at > static_cast<double>(burnIn)) {
      sum += distance;
      count += 1;
    }
  constexpr double effective = kGossipStep / (1 - kGossipMomentum);
  return sum / count / (effective * effective);
}

std::string GossipRuns::inside(const std::string &name) const {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

std::string GossipRuns::trainerOf(const GossipTrainer &trainer) const {
  return inside(
      "train-" + std::string(trainer.accelerated ? "a2cid2" : "gossip") +
      "-rate=" + number(trainer.rate) + (trainer.repeats ? "-repeats" : ""));
}

Error GossipRuns::compileTrainer(const GossipTrainer &trainer) {
  std::string output = trainerOf(trainer);
  if (sys::fs::exists(output))
    return Error::success();
  rubato::Compilation job;
  job.options.batch = 1;
  job.options.loss = "mse";
  job.options.momentum = kGossipMomentum;
  job.options.algorithm = trainer.accelerated ? "a2cid2" : "gossip";
  job.options.algorithmOptions = {
      "topology=ring", "rate=" + number(trainer.rate),
      std::string("repeats=") + (trainer.repeats ? "true" : "false")};
  job.input = task.model;
  job.output = output;
  job.linkFiles = linkFiles;
  mlir::DialectRegistry registry;
  rubato::registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::TimingScope timing;
  if (rubato::compile(context, job, timing))
    return createStringError("cannot compile '" + output + "'; see above");
  return Error::success();
}

Error GossipRuns::prepare(const std::vector<GossipRun> &runs) {
  Expected<Quadratic> written = writeQuadratic(folder);
  if (!written)
    return written.takeError();
  task = *written;
  for (auto [name, text] : kClusters)
    if (name == "ring") {
      std::error_code code;
      raw_fd_ostream file(inside("ring.toml"), code);
      if (code)
        return createStringError("cannot write into '" + folder +
                                 "': " + code.message());
      file << text;
    }
  for (const GossipRun &run : runs)
    if (Error error = compileTrainer(run.trainer))
      return error;
  return Error::success();
}

Error GossipRuns::simulate(GossipRun &run, size_t index) {
  std::string output = inside("run-" + std::to_string(index) + ".txt");
  std::string metrics = inside("run-" + std::to_string(index) + ".jsonl");
  // A gradient takes a second.
  constexpr double often = 1, seldom = 10;
  std::vector<std::string> arguments = {
      trainerOf(run.trainer),
      "simulate",
      inside("ring.toml"),
      "--workers",
      std::to_string(run.members),
      "--input",
      task.inputs,
      "--label",
      task.labels,
      "--eval-input",
      task.evalInputs,
      "--eval-label",
      task.evalLabels,
      "--observe",
      number(run.apart ? often : seldom),
      "--rounds",
      std::to_string(run.steps),
      "--seed",
      std::to_string(run.seed),
      "--lr",
      number(run.apart ? 0 : Quadratic::rate(kGossipStep)),
      "--metrics",
      metrics,
      "--quiet"};
  if (run.apart)
    llvm::append_range(arguments, std::vector<std::string>{"--scatter", "1"});
  SmallVector<StringRef> argv(arguments.begin(), arguments.end());
  std::string message;
  int code =
      sys::ExecuteAndWait(argv[0], argv, std::nullopt,
                          {StringRef(""), output, output}, 0, 0, &message);
  ErrorOr<std::unique_ptr<MemoryBuffer>> said = MemoryBuffer::getFile(output);
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(metrics);
  sys::fs::remove(output);
  sys::fs::remove(metrics);
  if (code || !file)
    return createStringError(
        "a run ended with " + Twine(code) + ": " + message +
        (said ? (*said)->getBuffer().trim() : StringRef()) +
        "\nthe command was: " + join(arguments, " "));
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    if (!value)
      return value.takeError();
    const json::Object *object = value->getAsObject();
    if (!object || object->get("summary"))
      continue;
    std::optional<double> seen = object->getNumber("seen");
    std::optional<double> distance = object->getNumber("consensus");
    if (seen && distance && *seen > 0)
      run.points.emplace_back(*seen / static_cast<double>(run.members),
                              *distance);
  }
  return Error::success();
}

Error GossipRuns::run(std::vector<GossipRun> &runs) {
  bool shown = sys::Process::StandardErrIsDisplayed();
  auto show = [&](size_t done) {
    constexpr size_t width = 30;
    size_t full = width * done / runs.size();
    if (shown)
      errs() << "\r\033[K[" << std::string(full, '=')
             << std::string(width - full, ' ') << "] " << done << "/"
             << runs.size() << " runs";
  };
  show(0);
  if (Error error = prepare(runs))
    return error;
  // The longest first, so that nobody waits for one in the end.
  std::vector<size_t> order(runs.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return runs[a].members * runs[a].steps > runs[b].members * runs[b].steps;
  });
  std::mutex mutex;
  Error failure = Error::success();
  bool failed = false;
  size_t next = 0, done = 0;
  auto work = [&] {
    while (true) {
      size_t mine;
      {
        std::lock_guard<std::mutex> guard(mutex);
        if (failed || next == order.size())
          return;
        mine = order[next++];
      }
      Error error = simulate(runs[mine], mine);
      std::lock_guard<std::mutex> guard(mutex);
      if (error) {
        failure = joinErrors(std::move(failure), std::move(error));
        failed = true;
        return;
      }
      show(++done);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(jobs, runs.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (shown)
    errs() << "\r\033[K";
  return failure;
}
