#include "train/worker.h"

#include "train/evaluate.h"

#include <cmath>
#include <cstring>

using namespace rubato;

static TrainOrder orderOf(const Job &job, int rank) {
  if (!job.options.dumpGradients.empty()) // the first micro-batch, as it lies
    return {job.unit.quantum, 1, 1, 0, 0, false};
  return {job.plan.globalBatch, job.plan.quanta,    job.members(), rank,
          job.options.seed,     job.options.shuffle};
}

Worker::Worker(Job &job, int rank)
    : job(job), unit(job.unit), rank(rank),
      trainSource(unit, job.train, orderOf(job, rank)),
      evalSource(unit, job.eval, job.members(), rank),
      progress(stdout, job.options.quiet || rank != 0, job.plan.epochs,
               job.plan.samples),
      begin(std::chrono::steady_clock::now()) {}

Worker::~Worker() {
  if (context)
    destroyContext(context);
}

double Worker::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

Status Worker::run() {
  RB_TRY(start());
  if (!job.options.dumpGradients.empty()) {
    RB_TRY(dumpGradients());
    return dumpParameters();
  }
  begin = std::chrono::steady_clock::now();
  RB_TRY(loop());
  return finish();
}

Status Worker::start() {
  ContextOptions options;
  options.rank = rank;
  options.deadline = job.deadline();
  options.stop = &job.shared->stop;
  if (!job.options.timeline.empty())
    timeline = std::make_unique<Timeline>();
  options.timeline = timeline.get();
  RB_TRY(makeContext(unit, *job.group, trainSource, options, context));
  RB_TRY(writeSettings());
  if (leads() && !job.options.metrics.empty())
    RB_TRY(metrics.open(job.options.metrics));
  return Status::ok();
}

/// Writes a setting in the type of its cell.
static int32_t writeSetting(rb_ctx *context, const Cell &cell, double value,
                            int64_t whole) {
  auto single = static_cast<float>(value);
  const void *from = cell.dtype == RB_F32   ? static_cast<void *>(&single)
                     : cell.dtype == RB_F64 ? static_cast<void *>(&value)
                                            : static_cast<void *>(&whole);
  return rb_write(context, cell.place.region, cell.place.offset, from,
                  cell.dtype == RB_F32 ? 4 : 8);
}

Status Worker::writeSettings() {
  int32_t status = RB_OK;
  if (const Cell *budget = unit.cell("budget"))
    status =
        writeSetting(context, *budget, static_cast<double>(job.plan.budget),
                     job.plan.budget);
  const Cell *lr = unit.cell("base-lr");
  if (status == RB_OK && lr && job.options.lr)
    status = writeSetting(context, *lr, *job.options.lr,
                          static_cast<int64_t>(*job.options.lr));
  return status == RB_OK ? Status::ok() : contextError(context, status);
}

/// Between rounds, and only there: count, check, report, evaluate. In the
/// steady state of a single worker nothing here allocates or makes a system
/// call; the clock is read from the vDSO.
Status Worker::loop() {
  int32_t go = 1;
  while (go && last.seen < job.plan.budget) {
    int64_t epoch = trainSource.epoch();
    double started = paused ? seconds() : last.seconds;
    paused = false;
    job.slots[rank].round.store(last.round + 1, std::memory_order_relaxed);
    int32_t status = unit.code->round(context, &go);
    int64_t samples = 0;
    double loss = 0;
    if (status == RB_OK)
      status = rb_read(context, unit.roundSamples.region,
                       unit.roundSamples.offset, &samples, sizeof samples);
    if (status == RB_OK)
      status = rb_read(context, unit.roundLoss.region, unit.roundLoss.offset,
                       &loss, sizeof loss);
    last.round += 1;
    last.epoch = epoch + 1;
    if (status != RB_OK)
      return contextError(context, status)
          .annotate("epoch " + std::to_string(last.epoch) + ", round " +
                    std::to_string(last.round));
    last.samples = samples;
    last.seen += samples;
    last.loss = samples > 0 ? loss / static_cast<double>(samples) : 0;
    last.seconds = seconds();
    trainSeconds += last.seconds - started;
    // Every member sees the same reduced loss, so all end together here.
    if (!std::isfinite(loss))
      return checkLoss(loss);
    if (leads()) {
      metrics.round(last);
      progress.round(last);
    }
    if (trainSource.epoch() != epoch) {
      progress.epochEnd();
      int64_t every = job.options.evalEvery.value_or(1);
      if (every && last.epoch % every == 0)
        RB_TRY(evaluate());
    }
  }
  progress.epochEnd();
  return Status::ok();
}

Status Worker::checkLoss(double loss) const {
  const Cell *cell = unit.cell("base-lr");
  std::string rate;
  if (cell) {
    char text[32];
    std::snprintf(text, sizeof text, "%g",
                  job.options.lr.value_or(cell->defaultValue));
    rate = std::string(" with learning rate ") + text;
  }
  return {ErrorCode::Numeric,
          "epoch " + std::to_string(last.epoch) + ", round " +
              std::to_string(last.round) + ": the loss is " +
              (std::isnan(loss) ? "not a number" : "infinite") + rate +
              "; try a smaller --lr, and check the inputs and their --scale"};
}

Status Worker::evaluate() {
  if (job.eval.samples == 0)
    return Status::ok();
  EvalRecord record;
  RB_TRY(evaluateTogether(job, rank, context, evalSource, record));
  setBatchSource(context, trainSource);
  paused = true;
  record.round = last.round;
  record.epoch = last.epoch;
  record.seconds = seconds();
  evaluated = record;
  if (leads()) {
    metrics.evaluation(record);
    progress.evaluation(record);
  }
  return Status::ok();
}

Status rubato::runWorker(Job &job, int rank) { return Worker(job, rank).run(); }
