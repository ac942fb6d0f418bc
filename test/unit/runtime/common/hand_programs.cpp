// The programs of the units written by hand.
#include "common/hand_unit.h"

#include <bit>
#include <cstring>

using namespace rubato::test;
using nlohmann::json;

#define HAND_TRY(call)                                                         \
  do {                                                                         \
    if (int32_t status = (call))                                               \
      return status;                                                           \
  } while (false)

namespace {

rb_range at(size_t offset, rb_dtype dtype, int64_t count) {
  return {RB_PRIVATE, dtype, int64_t(offset), count};
}

void sumRanges(size_t base, rb_range (&ranges)[4]) {
  ranges[0] = at(base + offsetof(HandSum, g), RB_F32, 3);
  ranges[1] = at(base + offsetof(HandSum, samples), RB_I64, 1);
  ranges[2] = at(base + offsetof(HandSum, loss), RB_F64, 1);
  ranges[3] = at(base + offsetof(HandSum, stop), RB_I64, 1);
}

int32_t copyModel(rb_ctx *ctx, int32_t *) {
  HandPrivate &p = handPrivate(ctx);
  std::memcpy(p.model, p.w, sizeof p.w);
  return RB_OK;
}

json strand(const char *name, int function, bool shared = false) {
  return {{"name", name},
          {"function", function},
          {"cursor", shared},
          {"lockstep", shared}};
}

json channel(const char *name, const char *kind, const char *server = "") {
  return {{"name", name},
          {"kind", kind},
          {"bytes", 256},
          {"server", server},
          {"exempt", 0}};
}

json programOf(json functions, json roles, json channels) {
  return {{"functions", functions},
          {"roles", roles},
          {"channels", channels},
          {"policies", json::array()},
          {"rendezvous", json::array()},
          {"locks", 1},
          {"commits", false}};
}

//===----------------------------------------------------------------------===//
// Delayed
//===----------------------------------------------------------------------===//

int32_t delayedInit(rb_ctx *ctx, int32_t *) {
  handPrivate(ctx).carried = 0;
  return RB_OK;
}

/// Awaits the carried sums and applies them.
int32_t applyCarried(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  rb_range outs[4];
  sumRanges(offsetof(HandPrivate, all), outs);
  HAND_TRY(rb_await(ctx, p.carried, outs, 4));
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
  HAND_TRY(rb_start(ctx, RB_START_ALL_REDUCE, 0, 0, ins, 4, &next));
  HAND_TRY(applyCarried(ctx));
  *go = p.seen < p.budget && p.all.stop == 0;
  p.carried = next;
  ++p.rounds;
  return RB_OK;
}

int32_t delayedDrain(rb_ctx *ctx, int32_t *) { return applyCarried(ctx); }

//===----------------------------------------------------------------------===//
// Gossip
//===----------------------------------------------------------------------===//

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
    HAND_TRY(rb_await(ctx, future, &out, 1));
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
  HAND_TRY(rb_start(ctx, RB_START_ALL_REDUCE, 1, 0, ranges, 2, &future));
  ranges[0] = at(offsetof(HandPrivate, model), RB_F32, 3);
  HAND_TRY(rb_await(ctx, future, ranges, 2));
  for (float &value : p.model)
    value /= float(p.version);
  return RB_OK;
}

//===----------------------------------------------------------------------===//
// Mailbox
//===----------------------------------------------------------------------===//

int32_t workerInit(rb_ctx *ctx, int32_t *) {
  return rb_pull(ctx, 0, -1, &handPrivate(ctx).carried);
}

int32_t awaitGrant(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  rb_range outs[] = {at(offsetof(HandPrivate, snapshot), RB_F32, 3),
                     at(offsetof(HandPrivate, version), RB_I64, 1),
                     at(offsetof(HandPrivate, ticket), RB_I64, 1),
                     at(offsetof(HandPrivate, go), RB_I64, 1)};
  return rb_await(ctx, p.carried, outs, 4);
}

int32_t workerRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  if (handHook)
    handHook(ctx, p.rounds);
  HAND_TRY(awaitGrant(ctx));
  *go = int32_t(p.go);
  p.carried = 0;
  ++p.rounds;
  if (!p.go)
    return RB_OK;
  HAND_TRY(rb_pull(ctx, 0, p.ticket, &p.carried));
  std::memcpy(p.w, p.snapshot, sizeof p.w);
  HandSum whole = {};
  for (int64_t step = 0; step < 2; ++step) {
    int64_t keys[] = {p.ticket, step};
    HAND_TRY(rb_batch(ctx, RB_BATCH_KEYED, -1, keys, 2));
    HandSum sum = {};
    HAND_TRY(handGradient(ctx, p.w, sum));
    for (int i = 0; i < 3; ++i)
      p.w[i] -= p.lr * sum.g[i] / float(sum.samples);
    whole.samples += sum.samples;
    whole.loss += sum.loss;
  }
  for (int i = 0; i < 3; ++i)
    whole.g[i] = p.w[i] - p.snapshot[i];
  p.own = whole;
  rb_range ins[4];
  sumRanges(offsetof(HandPrivate, own), ins);
  return rb_push(ctx, 0, p.ticket, ins, 3);
}

int32_t workerDrain(rb_ctx *ctx, int32_t *) { return awaitGrant(ctx); }

int32_t grantModel(rb_ctx *ctx, int32_t toAll) {
  HandPrivate &p = handPrivate(ctx);
  rb_range ins[] = {at(offsetof(HandPrivate, w), RB_F32, 3),
                    at(offsetof(HandPrivate, version), RB_I64, 1)};
  return rb_grant(ctx, 0, toAll, p.who, 1000, ins, 2);
}

int32_t serverInit(rb_ctx *ctx, int32_t *) { return grantModel(ctx, 1); }

int32_t serverRound(rb_ctx *ctx, int32_t *go) {
  HandPrivate &p = handPrivate(ctx);
  if (handHook)
    handHook(ctx, p.rounds);
  ++p.rounds;
  rb_range outs[4];
  sumRanges(offsetof(HandPrivate, all), outs);
  HAND_TRY(rb_collect(ctx, 0, rb_workers(ctx, 0), 0, outs, 3, &p.who));
  for (int i = 0; i < 3; ++i)
    p.w[i] += p.all.g[i] / float(std::popcount(uint64_t(p.who)));
  p.seen += p.all.samples;
  ++p.version;
  *go = p.seen < p.budget && !rb_stop_requested(ctx);
  return *go ? grantModel(ctx, 0) : RB_OK;
}

int32_t serverDrain(rb_ctx *ctx, int32_t *) { return rb_close(ctx, 0); }

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
                  {"strands", {strand("round", 1, true)}}}},
                {channel("grads", "collective")});
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
        manifest["program"]["roles"][0]["strands"][0]["cursor"] = false;
        return manifest;
      }(),
      delayedFunctions());
  return mode ? queue.code : fixed.code;
}

const rb_unit &rubato::test::gossipUnit(int64_t goal) {
  json manifest = handManifest();
  json program =
      programOf({"worker.compute", "worker.gossip", "worker.model"},
                {{{"name", "worker"},
                  {"count", -1},
                  {"init", -1},
                  {"drain", -1},
                  {"model", 2},
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

const rb_unit &rubato::test::mailboxUnit() {
  static const HandUnit unit(
      [] {
        json manifest = handManifest();
        manifest["program"] = programOf(
            {"server.init", "server.round", "server.drain", "server.model",
             "worker.init", "worker.round", "worker.drain"},
            {{{"name", "server"},
              {"count", 1},
              {"init", 0},
              {"drain", 2},
              {"model", 3},
              {"strands", {strand("round", 1)}}},
             {{"name", "worker"},
              {"count", -1},
              {"init", 4},
              {"drain", 6},
              {"model", -1},
              {"strands", {strand("round", 5)}}}},
            {channel("ps", "mailbox", "server")});
        return manifest;
      }(),
      {{"server.init", serverInit},
       {"server.round", serverRound},
       {"server.drain", serverDrain},
       {"server.model", copyModel},
       {"worker.init", workerInit},
       {"worker.round", workerRound},
       {"worker.drain", workerDrain}});
  return unit.code;
}
