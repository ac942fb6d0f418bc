// Gradients that are applied one round late.
#include "common/hand_parts.h"

using namespace rubato::test;
using nlohmann::json;

namespace {

int32_t delayedInit(rb_ctx *ctx, int32_t *) {
  handPrivate(ctx).carried = 0;
  return RB_OK;
}

/// Awaits the carried sums and applies them.
int32_t applyCarried(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  rb_range outs[4];
  sumRanges(offsetof(HandPrivate, all), outs);
  HAND_TRY(rb_await(ctx, p.carried, outs, 4, -1));
  if (p.all.samples == 0)
    return RB_OK;
  HAND_TRY(rb_lock(ctx, 0, "w seen"));
  for (int i = 0; i < 3; ++i)
    p.w[i] -= p.lr * p.all.g[i] / float(p.all.samples);
  p.seen += p.all.samples;
  return rb_unlock(ctx, 0);
}

int32_t delayedRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  if (handHook)
    handHook(ctx, p.rounds);
  std::memset(&p.own, 0, sizeof p.own);
  int64_t count = 0;
  do {
    HAND_TRY(p.mode ? rb_batch(ctx, RB_BATCH_QUEUE, 0, nullptr, 0)
                    : rb_batch(ctx, RB_BATCH_CURSOR, -1, nullptr, 0));
    HAND_TRY(handGradient(ctx, p.w, p.own));
    ++count;
  } while (p.mode && !rb_done(ctx, p.carried));
  HAND_TRY(rb_repeated(ctx, count));
  p.own.stop = rb_stop_requested(ctx);
  rb_range ins[4];
  sumRanges(offsetof(HandPrivate, own), ins);
  int64_t next = 0;
  HAND_TRY(rb_all_reduce(ctx, 0, ins, 4, &next));
  HAND_TRY(applyCarried(ctx));
  *go = p.seen < p.budget && p.all.stop == 0;
  p.carried = next;
  ++p.rounds;
  return RB_OK;
}

int32_t delayedDrain(rb_ctx *ctx, int32_t *) { return applyCarried(ctx); }

} // namespace

json rubato::test::delayedManifest() {
  json manifest = handManifest();
  manifest["program"] =
      programOf({"worker.init", "worker.round", "worker.drain", "worker.model"},
                {{{"name", "worker"},
                  {"count", -1},
                  {"init", 0},
                  {"drain", 2},
                  {"model", 3},
                  {"host", false},
                  {"strands", {strand("round", 1, true)}}}},
                {channel("grads", "collective")});
  json values = json::array();
  values.push_back({{"dtype", "f32"}, {"count", 3}});
  values.push_back({{"dtype", "i64"}, {"count", 1}});
  values.push_back({{"dtype", "f64"}, {"count", 1}});
  values.push_back({{"dtype", "i64"}, {"count", 1}});
  manifest["program"]["roles"][0]["strands"][0]["frame"].push_back(
      {{"name", "carried0"},
       {"kind", "future"},
       {"region", "private"},
       {"offset", offsetof(HandPrivate, carried)},
       {"values", values}});
  return manifest;
}

std::vector<rb_function> rubato::test::delayedFunctions() {
  return {{"worker.init", delayedInit},
          {"worker.round", delayedRound},
          {"worker.drain", delayedDrain},
          {"worker.model", copyModel}};
}

const rb_unit &rubato::test::delayedUnit(int64_t mode) {
  static const HandUnit fixed(delayedManifest(), delayedFunctions());
  static const HandUnit queue(
      [] {
        json manifest = delayedManifest();
        manifest["cells"][4]["default"] = 1;
        json &round = manifest["program"]["roles"][0]["strands"][0];
        round["cursor"] = false;
        round["polls"] = {"grads"};
        return manifest;
      }(),
      delayedFunctions());
  return mode ? queue.code : fixed.code;
}
