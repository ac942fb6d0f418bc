// Gradients, and averaging with one other member at a time.
#include "common/hand_parts.h"

using namespace rubato::test;
using nlohmann::json;

namespace {

int32_t ask(rb_ctx *ctx, int32_t entry, std::vector<int64_t> inputs,
            std::vector<int64_t> &answers) {
  return rb_ask(
      ctx, 0, entry, reinterpret_cast<const uint64_t *>(inputs.data()),
      int64_t(inputs.size()), reinterpret_cast<uint64_t *>(answers.data()),
      int64_t(answers.size()));
}

int32_t computeRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  if (handHook)
    handHook(ctx, p.rounds);
  float w[3];
  HAND_TRY(rb_lock(ctx, 0, "w"));
  std::memcpy(w, p.w, sizeof w);
  HAND_TRY(rb_unlock(ctx, 0));
  HAND_TRY(rb_batch(ctx, RB_BATCH_QUEUE, -1, nullptr, 0));
  std::memset(&p.own, 0, sizeof p.own);
  HAND_TRY(handGradient(ctx, w, p.own));
  HAND_TRY(rb_lock(ctx, 0, "w seen"));
  for (int i = 0; i < 3; ++i)
    p.w[i] -= p.lr * p.own.g[i] / float(p.own.samples);
  p.seen += p.own.samples;
  HAND_TRY(rb_unlock(ctx, 0));
  std::vector<int64_t> live(1);
  HAND_TRY(ask(ctx, 1, {p.seen, rb_stop_requested(ctx)}, live));
  HAND_TRY(rb_meet(ctx, 0, go));
  ++p.rounds;
  return RB_OK;
}

int32_t gossipRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  std::vector<int64_t> next(3);
  HAND_TRY(ask(ctx, 2, {}, next));
  *go = int32_t(next[2]);
  if (!*go)
    return RB_OK;
  if (next[0] >= 0) {
    HAND_TRY(rb_lock(ctx, 0, "w"));
    std::memcpy(p.snapshot, p.w, sizeof p.w);
    HAND_TRY(rb_unlock(ctx, 0));
    rb_range in = at(offsetof(HandPrivate, snapshot), RB_F32, 3);
    rb_range out = {RB_SCRATCH, RB_F32, offsetof(HandScratch, received), 3};
    int64_t future = 0;
    HAND_TRY(rb_exchange(ctx, 0, next[0], next[1], &in, 1, &future));
    HAND_TRY(rb_await(ctx, future, &out, 1, -1));
    HAND_TRY(rb_lock(ctx, 0, "w"));
    for (int i = 0; i < 3; ++i)
      p.w[i] -= 0.5f * (p.snapshot[i] - handScratch(ctx).received[i]);
    ++p.count;
    HAND_TRY(rb_unlock(ctx, 0));
  }
  int32_t met = 0;
  return rb_meet(ctx, 0, &met);
}

int32_t gossipModel(rb_ctx *ctx, int32_t *) {
  HandPrivate &p = handPrivate(ctx);
  p.version = 1;
  rb_range ranges[] = {at(offsetof(HandPrivate, w), RB_F32, 3),
                       at(offsetof(HandPrivate, version), RB_I64, 1)};
  int64_t future = 0;
  HAND_TRY(rb_all_reduce(ctx, 1, ranges, 2, &future));
  ranges[0] = at(offsetof(HandPrivate, model), RB_F32, 3);
  HAND_TRY(rb_await(ctx, future, ranges, 2, -1));
  for (float &value : p.model)
    value /= float(p.version);
  return RB_OK;
}

} // namespace

const rb_unit &rubato::test::gossipUnit(int64_t goal) {
  json manifest = handManifest();
  json program =
      programOf({"worker.compute", "worker.gossip", "worker.model"},
                {{{"name", "worker"},
                  {"count", -1},
                  {"init", -1},
                  {"drain", -1},
                  {"model", 2},
                  {"host", false},
                  {"strands", {strand("compute", 0), strand("gossip", 1)}}}},
                {channel("gossip", "pair"), channel("average", "collective")});
  auto entry = [](const char *name, json inputs, json outputs) {
    return json{{"name", name}, {"inputs", inputs}, {"outputs", outputs}};
  };
  program["policies"] = {
      {{"name", "match"},
       {"kind", "gossip.matcher"},
       {"placement", "central"},
       {"askers", {"worker"}},
       {"settings", {{"topology", "complete"}, {"rate", 1.0}, {"goal", goal}}},
       {"entries",
        {entry("constants", json::array(), {"f64", "f64"}),
         entry("report", {"i64", "i64"}, {"i1"}),
         entry("next", json::array(), {"i64", "i64", "i1"})}}}};
  program["rendezvous"] = {
      {{"name", "turn"}, {"strands", {"worker.compute", "worker.gossip"}}}};
  manifest["program"] = program;
  static std::vector<std::unique_ptr<HandUnit>> made;
  made.push_back(std::make_unique<HandUnit>(
      manifest, std::vector<rb_function>{{"worker.compute", computeRound},
                                         {"worker.gossip", gossipRound},
                                         {"worker.model", gossipModel}}));
  return made.back()->code;
}
