// The model of a member: its evaluation, its files, and its first gradient.
#include "data/batch_writer.h"
#include "launch/job.h"
#include "state/dump.h"
#include "state/export_onnx.h"
#include "support/dtype.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace rubato;

size_t rubato::modelBytes(const Unit &unit) {
  return static_cast<size_t>(unit.flatCount() * elementBytes(unit.floatType));
}

Status rubato::evaluateShare(Job &job, Member &member, EvalShare &sum) {
  auto place = std::ranges::find(job.evaluators, member.rank());
  Share share =
      shareOf(job.eval.samples, static_cast<int64_t>(job.evaluators.size()),
              place - job.evaluators.begin());
  std::vector<int64_t> rows;
  for (int64_t done = 0; done < share.count; done += job.unit.quantum) {
    int64_t count = std::min(job.unit.quantum, share.count - done);
    rows.resize(static_cast<size_t>(count));
    std::iota(rows.begin(), rows.end(), share.begin + done);
    Member::Score score;
    RB_TRY(member.evaluate(job.eval, rows, score));
    sum.loss += score.loss;
    sum.correct += score.correct;
    sum.valid += score.valid;
  }
  return Status::ok();
}

EvalRecord
rubato::addShares(const Job &job,
                  const std::function<const EvalShare &(int rank)> &shareOf) {
  EvalRecord record;
  double loss = 0;
  for (int rank : job.evaluators) {
    const EvalShare &share = shareOf(rank);
    loss += share.loss;
    record.correct += share.correct;
    record.samples += share.valid;
  }
  record.loss = record.samples ? loss / static_cast<double>(record.samples) : 0;
  for (const BatchBuffer &label : job.unit.labels)
    record.hasAccuracy |= label.classes > 0;
  return record;
}

Status rubato::evaluateModel(Job &job, Member &member) {
  EvalShare share;
  RB_TRY(evaluateShare(job, member, share));
  WorkerSlot &slot = job.slots[member.rank()];
  slot.evalLoss = share.loss;
  slot.evalCorrect = share.correct;
  slot.evalValid = share.valid;
  return Status::ok();
}

Status rubato::samplesSeen(Job &job, Member &member, int64_t &samples) {
  samples = job.statistics[member.rank()].samples.load();
  const Cell *cell = job.unit.cell("seen");
  if (!cell || cell->dtype != RB_I64)
    return Status::ok();
  const void *seen = nullptr;
  RB_TRY(member.contents(cell->place, sizeof samples, seen));
  std::memcpy(&samples, seen, sizeof samples);
  return Status::ok();
}

Status rubato::writeModel(Job &job, Member &member) {
  bool leads = member.rank() == job.evaluators.front();
  int64_t samples = 0;
  RB_TRY(samplesSeen(job, member, samples));
  const void *flat = nullptr;
  RB_TRY(member.contents(job.unit.parameters,
                         static_cast<int64_t>(modelBytes(job.unit)), flat));
  if (leads && !job.options.save.empty())
    RB_TRY(saveOnnx(job.unit, flat, job.options.save));
  std::string path = job.options.dumpParameters;
  size_t wildcard = path.find("%r");
  if (path.empty() || (!leads && wildcard == path.npos))
    return Status::ok();
  if (wildcard != path.npos)
    path.replace(wildcard, 2, std::to_string(member.rank()));
  return dumpSlots(job.unit, flat, path,
                   {{"samples", std::to_string(samples)}});
}

Status rubato::writeGradient(Job &job, Member &member) {
  std::vector<int64_t> rows(
      static_cast<size_t>(std::min(job.unit.quantum, job.train.samples)));
  std::iota(rows.begin(), rows.end(), 0);
  Member::Gradient gradient;
  RB_TRY(member.gradient(job.train, rows, gradient));
  char loss[40];
  std::snprintf(loss, sizeof loss, "%.17g", gradient.loss);
  return dumpSlots(
      job.unit, gradient.flat, job.options.dumpGradients,
      {{"samples", std::to_string(gradient.samples)}, {"loss", loss}});
}
