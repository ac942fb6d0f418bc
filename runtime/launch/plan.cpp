#include "launch/plan.h"

using namespace rubato;

Status rubato::planQuanta(const Unit &unit, const TrainOptions &options,
                          TrainPlan &plan) {
  int64_t step = unit.quantum * options.workers;
  plan.globalBatch = options.globalBatch ? options.globalBatch : step;
  plan.quanta = plan.globalBatch / step;
  if (plan.quanta * step == plan.globalBatch)
    return Status::ok();
  std::string nearest = std::to_string((plan.quanta + 1) * step);
  if (plan.quanta)
    nearest = std::to_string(plan.quanta * step) + " or " + nearest;
  return {ErrorCode::Usage,
          "--global-batch " + std::to_string(plan.globalBatch) +
              " is not a multiple of " + std::to_string(step) + " (" +
              std::to_string(unit.quantum) + " samples per micro-batch * " +
              std::to_string(options.workers) + " workers); try " + nearest};
}

/// Rounds that take parts of common batches.
static Status planRounds(const Unit &unit, const TrainOptions &options,
                         int64_t samples, TrainPlan &plan, bool replacement) {
  RB_TRY(planQuanta(unit, options, plan));
  plan.samples = samples;
  if (!replacement && plan.globalBatch > samples)
    return Status::user(
        "a round takes " + std::to_string(plan.globalBatch) +
        " samples, but the data set has " + std::to_string(samples) +
        "; give a smaller --global-batch or fewer --workers, or compile with "
        "a smaller --batch");
  // Whole epochs first; a rest of fewer rounds than an epoch has no tail.
  int64_t epochs = options.epochs.value_or(1), size = samples, rest = 0;
  if (options.steps && !replacement) {
    int64_t perEpoch = (samples + plan.globalBatch - 1) / plan.globalBatch;
    epochs = *options.steps / perEpoch;
    rest = *options.steps % perEpoch * plan.globalBatch;
  } else if (options.steps) {
    epochs = *options.steps;
    size = plan.globalBatch;
  }
  plan.epochs = options.steps ? 0 : epochs;
  if (__builtin_mul_overflow(epochs, size, &plan.budget) ||
      __builtin_add_overflow(plan.budget, rest, &plan.budget))
    return {ErrorCode::Usage, "so many epochs or steps cannot be counted"};
  return Status::ok();
}

bool rubato::usesCursor(const ProgramSpec &program) {
  for (const RoleSpec &role : program.roles)
    for (const StrandSpec &strand : role.strands)
      if (strand.cursor)
        return true;
  return false;
}

Status rubato::makePlan(const Unit &unit, const TrainOptions &options,
                        int64_t samples, TrainPlan &plan, bool replacement) {
  constexpr int64_t noEnd = int64_t{1} << 40;
  bool endless = !options.epochs && !options.steps && options.seconds;
  if (usesCursor(unit.program)) {
    RB_TRY(planRounds(unit, options, samples, plan, replacement));
  } else {
    if (options.globalBatch)
      return {ErrorCode::Usage,
              "--global-batch: members of this algorithm take micro-batches "
              "one by one; compile with another --batch instead"};
    plan.globalBatch = unit.quantum * options.workers;
    plan.quanta = 1;
    plan.samples = samples;
    plan.epochs = options.epochs.value_or(1);
    if (__builtin_mul_overflow(plan.epochs, samples, &plan.budget))
      return {ErrorCode::Usage, "so many epochs cannot be counted"};
    endless |= options.steps.has_value();
  }
  if (endless) {
    plan.epochs = 0;
    plan.budget = noEnd;
  }
  return Status::ok();
}
