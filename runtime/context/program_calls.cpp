// The C functions of programs that move no values: work, locks, meetings,
// questions, votes and batches. Check the arguments, then ask the environment.
#include "context/context_impl.h"

#include "support/processor_meter.h"

#include <bit>
#include <string_view>

using namespace rubato;

/// Clocks, policies and slow workers measure gradients, so one has ended when
/// its last kernel has. What stands in atomics is measured by nobody.
int32_t rb_work(rb_ctx *ctx, const char *name, int32_t begin) {
  if (!begin && std::string_view(name) == "gradient")
    if (rb_status status = ctx->device->finish())
      return status;
  return finishCall(ctx, ctx->environment.work(ctx->caller, name, begin != 0));
}

int32_t rb_computed(rb_ctx *ctx, int64_t samples, double loss) {
  spend(Spending::Rest);
  ctx->environment.computed(ctx->caller, samples, loss);
  return RB_OK;
}

static int32_t noLock(rb_ctx *ctx, int32_t lock) {
  return refuseCall(ctx, "there is no lock " + std::to_string(lock));
}

static bool isLock(const rb_ctx *ctx, int32_t lock) {
  return lock >= 0 && lock < ctx->unit.program.locks;
}

int32_t rb_lock(rb_ctx *ctx, int32_t lock, const char *cells) {
  spend(Spending::Rest);
  if (!isLock(ctx, lock))
    return noLock(ctx, lock);
  Status status = ctx->environment.lock(ctx->caller, lock, cells);
  // Whoever looks at one of the cells has seen enough of it.
  if (status && cells && *cells && ctx->looks)
    ctx->looks->settle(lock);
  if (status && ctx->device->locked(lock) != RB_OK)
    return RB_INVALID;
  return finishCall(ctx, std::move(status));
}

int32_t rb_unlock(rb_ctx *ctx, int32_t lock) {
  spend(Spending::Rest);
  if (!isLock(ctx, lock))
    return noLock(ctx, lock);
  rb_status device = ctx->device->unlocking(lock);
  int32_t status = finishCall(ctx, ctx->environment.unlock(ctx->caller, lock));
  return device != RB_OK ? device : status;
}

int32_t rb_meet(rb_ctx *ctx, int32_t rendezvous, int32_t *met) {
  spend(Spending::Rest);
  if (rendezvous < 0 ||
      static_cast<size_t>(rendezvous) >= ctx->unit.program.rendezvous.size())
    return refuseCall(ctx,
                      "there is no rendezvous " + std::to_string(rendezvous));
  if (rb_status status = ctx->device->flush())
    return status;
  bool answer = false;
  Status status = ctx->environment.meet(ctx->caller, rendezvous, answer);
  *met = answer;
  return finishCall(ctx, std::move(status));
}

int32_t rb_repeated(rb_ctx *ctx, int64_t count) {
  spend(Spending::Rest);
  ctx->environment.repeated(ctx->caller, count);
  return RB_OK;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static policy::Value valueOf(policy::ValueType type, uint64_t bits) {
  switch (type) {
  case policy::ValueType::F64:
    return std::bit_cast<double>(bits);
  case policy::ValueType::I1:
    return bits != 0;
  default:
    return static_cast<int64_t>(bits);
  }
}

static bool bitsOf(policy::ValueType type, const policy::Value &value,
                   uint64_t &bits) {
  if (const auto *number = std::get_if<int64_t>(&value)) {
    bits = static_cast<uint64_t>(*number);
    return type == policy::ValueType::I64;
  }
  if (const auto *real = std::get_if<double>(&value)) {
    bits = std::bit_cast<uint64_t>(*real);
    return type == policy::ValueType::F64;
  }
  bits = std::get<bool>(value);
  return type == policy::ValueType::I1;
}

int32_t rb_ask(rb_ctx *ctx, int32_t policy, int32_t entry,
               const uint64_t *inputs, int64_t input_count, uint64_t *answers,
               int64_t answer_count) {
  spend(Spending::Rest);
  const ProgramSpec &program = ctx->unit.program;
  if (policy < 0 || static_cast<size_t>(policy) >= program.policies.size())
    return refuseCall(ctx, "there is no policy " + std::to_string(policy));
  const PolicySpec &asked = program.policies[static_cast<size_t>(policy)];
  if (entry < 0 || static_cast<size_t>(entry) >= asked.entries.size())
    return refuseCall(ctx, "policy '" + asked.name + "' has no entry " +
                               std::to_string(entry));
  const policy::Entry &question = asked.entries[static_cast<size_t>(entry)];
  auto ins = question.inputs.size(), outs = question.outputs.size();
  if (static_cast<uint64_t>(input_count) != ins ||
      static_cast<uint64_t>(answer_count) != outs)
    return refuseCall(ctx, "'" + asked.name + "." + question.name +
                               "' is asked with " +
                               std::to_string(input_count) + " values for " +
                               std::to_string(answer_count) + " answers");
  if (rb_status status = ctx->device->flush())
    return status;
  policy::Value given[askLimit], got[askLimit];
  for (size_t i = 0; i != ins; ++i)
    given[i] = valueOf(question.inputs[i], inputs[i]);
  Status status = ctx->environment.ask(ctx->caller, policy, entry,
                                       std::span(given).first(ins),
                                       std::span(got).first(outs));
  for (size_t i = 0; status && i != outs; ++i)
    if (!bitsOf(question.outputs[i], got[i], answers[i]))
      return refuseCall(ctx, "'" + asked.name + "." + question.name +
                                 "' answers with other types than it declares");
  return finishCall(ctx, std::move(status));
}

int32_t rb_commit(rb_ctx *ctx, int64_t seen, int64_t expected, int32_t *ok) {
  spend(Spending::Rest);
  if (rb_status status = ctx->device->flush())
    return status;
  bool agreed = false;
  Status status = ctx->environment.commit(ctx->caller, seen, expected, agreed);
  *ok = agreed;
  return finishCall(ctx, std::move(status));
}

int32_t rb_batch(rb_ctx *ctx, int32_t source, int32_t channel,
                 const int64_t *keys, int64_t key_count) {
  spend(Spending::Rest);
  auto refuse = [&](const std::string &why) {
    return refuseCall(ctx, "batch from source " + std::to_string(source) +
                               ": " + why);
  };
  if (source < RB_BATCH_CURSOR || source > RB_BATCH_WHOLE)
    return refuse("there is no such source");
  auto channels = static_cast<int64_t>(ctx->unit.program.channels.size());
  if (channel < -1 || channel >= channels)
    return refuse("there is no channel " + std::to_string(channel));
  int64_t least = source == RB_BATCH_KEYED   ? 1
                  : source == RB_BATCH_WHOLE ? 1
                  : source == RB_BATCH_RANGE ? 2
                                             : 0;
  int64_t most = source == RB_BATCH_KEYED   ? INT64_MAX
                 : source == RB_BATCH_QUEUE ? 1
                                            : least;
  if (key_count < least || key_count > most)
    return refuse(std::to_string(key_count) + " keys are not the right number");
  return finishCall(ctx,
                    takeBatch(ctx, {static_cast<rb_batch_source>(source),
                                    channel,
                                    {keys, static_cast<size_t>(key_count)}}));
}
