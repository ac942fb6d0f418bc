// Gradients that are reduced and applied in the same round.
#include "common/hand_parts.h"

using namespace rubato::test;
using nlohmann::json;

namespace {

int32_t syncRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  if (handHook)
    handHook(ctx, p.rounds);
  std::memset(&p.own, 0, sizeof p.own);
  for (int64_t i = 0, n = rb_quanta(ctx); i < n; ++i) {
    HAND_TRY(rb_batch(ctx, RB_BATCH_CURSOR, -1, nullptr, 0));
    HAND_TRY(handGradient(ctx, p.w, p.own));
  }
  p.own.stop = rb_stop_requested(ctx);
  rb_range ins[4], outs[4];
  sumRanges(offsetof(HandPrivate, own), ins);
  sumRanges(offsetof(HandPrivate, all), outs);
  int64_t future = 0;
  HAND_TRY(rb_all_reduce(ctx, 0, ins, 4, &future));
  HAND_TRY(rb_await(ctx, future, outs, 4, -1));
  HAND_TRY(rb_lock(ctx, 0, "w seen"));
  for (int i = 0; i < 3; ++i)
    p.w[i] -= p.lr * p.all.g[i] / float(p.all.samples);
  p.seen += p.all.samples;
  HAND_TRY(rb_unlock(ctx, 0));
  *go = p.seen < p.budget && p.all.stop == 0;
  ++p.rounds;
  return RB_OK;
}

} // namespace

json rubato::test::syncManifest() {
  json manifest = handManifest();
  manifest["program"] = programOf({"worker.round", "worker.model"},
                                  {{{"name", "worker"},
                                    {"count", -1},
                                    {"init", -1},
                                    {"drain", -1},
                                    {"model", 1},
                                    {"host", false},
                                    {"strands", {strand("round", 0, true)}}}},
                                  {channel("grads", "collective")});
  return manifest;
}

std::vector<rb_function> rubato::test::syncFunctions() {
  return {{"worker.round", syncRound}, {"worker.model", copyModel}};
}

const rb_unit &rubato::test::syncUnit() {
  static const HandUnit unit(syncManifest(), syncFunctions());
  return unit.code;
}
