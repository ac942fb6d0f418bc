#include "train/evaluate.h"

using namespace rubato;

Status rubato::contextError(const rb_ctx *context, int32_t status) {
  if (const Status &error = lastError(context); !error)
    return error;
  ErrorCode code = status >= RB_PEER_LOST && status <= RB_ABORTED
                       ? ErrorCode::Communication
                       : ErrorCode::Internal;
  return {code,
          "the compiled code failed with status " + std::to_string(status)};
}

template <class T>
static int32_t readValue(rb_ctx *context, Place place, T &value) {
  return rb_read(context, place.region, place.offset, &value, sizeof(T));
}

static int32_t evaluateBatch(const Unit &unit, rb_ctx *context,
                             WorkerSlot &sum) {
  double loss = 0;
  int64_t correct = 0, valid = 0;
  int32_t status = rb_next_batch(context);
  if (status == RB_OK)
    status = unit.code->evaluate(context);
  if (status == RB_OK)
    status = readValue(context, unit.evaluateLoss, loss);
  if (status == RB_OK)
    status = readValue(context, unit.evaluateCorrect, correct);
  if (status == RB_OK)
    status = readValue(context, unit.evaluateValid, valid);
  sum.evalLoss += loss;
  sum.evalCorrect += correct;
  sum.evalValid += valid;
  return status;
}

Status rubato::evaluateTogether(Job &job, int rank, rb_ctx *context,
                                EvalSource &source, EvalRecord &record) {
  source.rewind();
  setBatchSource(context, source);
  WorkerSlot &own = job.slots[rank];
  own.evalLoss = 0;
  own.evalCorrect = own.evalValid = 0;
  for (int64_t i = 0, count = source.quanta(); i < count; ++i)
    if (int32_t status = evaluateBatch(job.unit, context, own); status != RB_OK)
      return contextError(context, status).annotate("evaluation");

  auto meet = [&] {
    auto deadline = std::chrono::steady_clock::now() + job.deadline();
    return job.group->barrier(rank, deadline).annotate("evaluation");
  };
  RB_TRY(meet()); // all slots are written
  double loss = 0;
  for (int i = 0; i < job.members(); ++i) {
    loss += job.slots[i].evalLoss;
    record.correct += job.slots[i].evalCorrect;
    record.samples += job.slots[i].evalValid;
  }
  record.loss = record.samples ? loss / static_cast<double>(record.samples) : 0;
  for (const BatchBuffer &label : job.unit.labels)
    record.hasAccuracy |= label.classes > 0;
  return meet(); // all slots are read
}
