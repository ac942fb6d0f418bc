// A server and its workers.
#include "common/hand_parts.h"

#include <bit>

using namespace rubato::test;
using nlohmann::json;

namespace {

int32_t workerInit(rb_ctx *ctx, int32_t *) {
  return rb_pull(ctx, 0, -1, &handPrivate(ctx).carried);
}

int32_t awaitGrant(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  rb_range outs[] = {at(offsetof(HandPrivate, snapshot), RB_F32, 3),
                     at(offsetof(HandPrivate, version), RB_I64, 1),
                     at(offsetof(HandPrivate, ticket), RB_I64, 1),
                     at(offsetof(HandPrivate, go), RB_I64, 1)};
  return rb_await(ctx, p.carried, outs, 4, -1);
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
              {"host", true},
              {"strands", {strand("round", 1)}}},
             {{"name", "worker"},
              {"count", -1},
              {"init", 4},
              {"drain", 6},
              {"model", -1},
              {"host", false},
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
