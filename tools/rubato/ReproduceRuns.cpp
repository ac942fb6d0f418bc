// Compiling in this process, running in others.
#include "ReproduceRuns.h"

#include "rubato/Driver/Compiler.h"
#include "rubato/Support/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <mutex>
#include <thread>

using namespace llvm;

/// The files of examples/clusters by name.
static const std::pair<StringRef, StringRef> kClusters[] = {
#include "ClusterFiles.inc"
};

static Error complain(const Twine &message) {
  return createStringError(message);
}

std::string Runs::inside(const std::string &name) const {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

/// Options of the algorithm in this setting.
static std::vector<std::string> optionsOf(const Setting &setting,
                                          const Variant &variant) {
  std::vector<std::string> options = variant.options;
  if (setting.steps)
    options.push_back("steps=" + std::to_string(setting.steps));
  return options;
}

std::string Runs::trainerOf(const Setting &setting,
                            const Variant &variant) const {
  std::string name = "train-" + variant.algorithm;
  for (const std::string &option : optionsOf(setting, variant))
    name += "-" + option;
  return inside(name);
}

Error Runs::compileTrainer(const Setting &setting, const Variant &variant) {
  std::string output = trainerOf(setting, variant);
  if (sys::fs::exists(output))
    return Error::success();
  rubato::Compilation job;
  job.options.batch = study.batch;
  job.options.loss = "mse";
  job.options.algorithm = variant.algorithm;
  job.options.algorithmOptions = optionsOf(setting, variant);
  job.input = tasks.at(setting.noise).model;
  job.output = output;
  job.linkFiles = linkFiles;
  mlir::DialectRegistry registry;
  rubato::registerDialects(registry);
  mlir::MLIRContext context(registry);
  mlir::TimingScope timing;
  if (rubato::compile(context, job, timing))
    return complain("cannot compile the trainer of '" + variant.algorithm +
                    "'; see above");
  return Error::success();
}

Error Runs::prepare(const Setting &setting) {
  if (!tasks.count(setting.noise)) {
    std::string data = inside(formatv("data-{0}", setting.noise));
    if (std::error_code code = sys::fs::create_directories(data))
      return complain("cannot make '" + data + "': " + code.message());
    Expected<LeastSquares> task =
        writeLeastSquares(data, setting.noise, study.referenceData);
    if (!task)
      return task.takeError();
    tasks.emplace(setting.noise, *task);
  }
  for (auto [name, text] : kClusters)
    if (name == setting.cluster) {
      std::error_code code;
      raw_fd_ostream file(inside(setting.cluster + ".toml"), code);
      if (code)
        return complain("cannot write into '" + folder +
                        "': " + code.message());
      file << text;
    }
  return Error::success();
}

/// The number behind `key`, where the text has it.
static std::optional<double> numberAfter(StringRef text, StringRef key) {
  size_t at = text.find(key);
  double value = 0;
  if (at == StringRef::npos ||
      text.substr(at + key.size())
          .take_until([](char c) { return c == ' ' || c == '\n'; })
          .getAsDouble(value))
    return std::nullopt;
  return value;
}

Expected<double> Runs::run(const Plan &plan, int64_t seed,
                           const std::string &metrics) {
  const LeastSquares &task = tasks.at(plan.setting.noise);
  auto number = [](double value) {
    std::string text;
    raw_string_ostream(text) << format("%.9g", value);
    return text;
  };
  std::string output = inside("run-" + std::to_string(++runs) + ".txt");
  std::vector<std::string> arguments = {
      trainerOf(plan.setting, plan.variant),
      "simulate",
      inside(plan.setting.cluster + ".toml"),
      "--workers",
      std::to_string(study.workers),
      "--input",
      task.inputs,
      "--label",
      task.labels,
      "--eval-input",
      task.inputs,
      "--eval-label",
      task.labels,
      "--observe",
      number(study.observe),
      "--target",
      number(task.target(plan.setting.share)),
      "--time",
      number(plan.longest),
      "--epochs",
      "1000000",
      "--lr",
      number(task.rate(plan.factor) * plan.variant.stepScale),
      "--seed",
      std::to_string(seed),
      "--quiet"};
  llvm::append_range(arguments, plan.variant.arguments);
  if (!metrics.empty())
    llvm::append_range(arguments,
                       std::vector<std::string>{"--metrics", metrics});
  SmallVector<StringRef> argv(arguments.begin(), arguments.end());
  std::string message;
  int code =
      sys::ExecuteAndWait(argv[0], argv, std::nullopt,
                          {StringRef(""), output, output}, 0, 0, &message);
  ErrorOr<std::unique_ptr<MemoryBuffer>> said = MemoryBuffer::getFile(output);
  StringRef text = said ? (*said)->getBuffer() : StringRef();
  sys::fs::remove(output);
  constexpr int diverged = 5;
  if (code == diverged)
    return Cell::never;
  if (code)
    return complain("a run of '" + plan.variant.algorithm + "' ended with " +
                    Twine(code) + ": " + message + text.trim() +
                    "\nthe command was: " + join(arguments, " "));
  if (std::optional<double> time = numberAfter(text, "reached at "))
    return *time;
  if (text.contains("not reached"))
    return Cell::never;
  return complain("a run of '" + plan.variant.algorithm +
                  "' does not say whether it reached its target: " + text);
}

/// What the last line of a metrics file says of a run that arrived.
static std::optional<Counts> countsIn(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  StringRef text = (*file)->getBuffer().trim();
  Expected<json::Value> value =
      json::parse(text.substr(text.rfind('\n') + 1)); // npos + 1 is 0
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *summary = value->getAsObject();
  const json::Object *server =
      summary ? summary->getObject("until-target") : nullptr;
  const json::Object *ages =
      summary ? summary->getObject("staleness") : nullptr;
  if (!server || !ages)
    return std::nullopt;
  auto number = [&](StringRef key) {
    return server->getNumber(key).value_or(0);
  };
  Counts counts{number("rounds"), number("uploads"), number("downloads"),
                number("restarts")};
  counts.wasted = 1 - number("useful") / std::max(number("finished"), 1e-9);
  for (const auto &[age, count] : *ages) {
    double versions = 0;
    if (!StringRef(age).getAsDouble(versions))
      counts.staleness = std::max(counts.staleness, versions);
  }
  return counts;
}

Expected<std::vector<double>> Runs::times(const Plan &plan, int64_t seeds,
                                          int64_t hopeless,
                                          std::vector<Counts> *counts) {
  if (Error error = compileTrainer(plan.setting, plan.variant))
    return std::move(error);
  std::vector<double> found(static_cast<size_t>(seeds), Cell::never);
  std::mutex mutex;
  Error failure = Error::success();
  bool failed = false;
  int64_t next = 0, missed = 0;
  auto work = [&] {
    while (true) {
      int64_t seed;
      {
        std::lock_guard<std::mutex> guard(mutex);
        if (failed || next == seeds || missed >= hopeless)
          return;
        seed = next++;
      }
      std::string metrics;
      if (counts)
        metrics = inside("metrics-" + std::to_string(seed) + ".jsonl");
      Expected<double> time = run(plan, seed, metrics);
      std::optional<Counts> counted;
      if (counts) {
        if (time && *time != Cell::never)
          counted = countsIn(metrics);
        sys::fs::remove(metrics);
      }
      std::lock_guard<std::mutex> guard(mutex);
      if (counted)
        counts->push_back(*counted);
      if (!time) {
        failure = joinErrors(std::move(failure), time.takeError());
        failed = true;
        return;
      }
      found[static_cast<size_t>(seed)] = *time;
      missed += *time == Cell::never;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < std::min<int64_t>(jobs, seeds); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    return std::move(failure);
  return found;
}

Expected<std::vector<std::pair<double, double>>> Runs::curve(const Plan &plan) {
  const LeastSquares &task = tasks.at(plan.setting.noise);
  std::string metrics = inside("curve.jsonl");
  Expected<double> time = run(plan, 0, metrics);
  if (!time)
    return time.takeError();
  std::vector<std::pair<double, double>> points;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(metrics);
  if (!file)
    return points; // one that diverged at once
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    if (!value) {
      consumeError(value.takeError());
      continue;
    }
    const json::Object *object = value->getAsObject();
    if (!object || object->get("summary"))
      continue;
    std::optional<double> seconds = object->getNumber("t");
    std::optional<double> loss = object->getNumber("loss");
    if (seconds && loss)
      points.emplace_back(*seconds, (*loss / 2 - task.optimum) / task.gap);
  }
  sys::fs::remove(metrics);
  return points;
}
