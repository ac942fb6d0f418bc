// Units with a program, written by hand as the compiler would emit them: the
// least squares of p = a.x + b on two inputs and a class 0 or 1.
#pragma once

#include "abi/rubato_abi.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rubato::test {

inline constexpr int64_t handQuantum = 4;

/// The batch, in scratch memory.
struct HandScratch {
  alignas(64) float x[handQuantum][2];
  alignas(64) int64_t y[handQuantum];
  alignas(64) float weights[handQuantum];
  alignas(64) int64_t ids[handQuantum];
  alignas(64) float received[3];
  alignas(64) float gradient[3]; // of the unit alone
};

/// A gradient with its samples, loss and a stop flag: what is reduced.
struct HandSum {
  float g[3];
  int64_t samples;
  double loss;
  int64_t stop;
};

/// All that a member keeps.
struct HandPrivate {
  alignas(64) float w[3]; // a, b
  alignas(64) int64_t seen;
  alignas(64) int64_t budget;
  alignas(64) float lr;
  alignas(64) int64_t mode; // of the program; a setting
  alignas(64) double evalLoss;
  int64_t correct, valid;
  alignas(64) int64_t gradientSamples;
  double gradientLoss;
  alignas(64) HandSum own;
  alignas(64) HandSum all;
  alignas(64) int64_t carried; // a future
  int64_t rounds, batches;
  alignas(64) float model[3]; // where parameters are looked for
  alignas(64) float snapshot[3];
  int64_t version, ticket, go, who, count;
  int64_t times[64]; // how often each sample was drawn
};

HandPrivate &handPrivate(rb_ctx *ctx);
HandScratch &handScratch(rb_ctx *ctx);

/// Adds the gradient of the present batch at `w` to `sum`; notes the samples.
int32_t handGradient(rb_ctx *ctx, const float *w, HandSum &sum);
/// One sample of it.
void addSample(const float *w, const float *x, int64_t y, HandSum &sum);

/// Runs at the start of every round of a first strand.
using HandHook = void (*)(rb_ctx *ctx, int64_t round);
extern HandHook handHook;

/// A manifest without program; `parameters` are at HandPrivate::model.
nlohmann::json handManifest();

/// The unit of a manifest and its functions.
struct HandUnit {
  HandUnit(nlohmann::json manifest, std::vector<rb_function> functions);
  HandUnit(const HandUnit &) = delete;

  std::string manifest, weights;
  std::vector<rb_function> functions;
  rb_unit code = {};
};

inline constexpr char handTemplate[] = "head|aaaaaaaa|bbbb|tail";

/// Synchronous: every round starts a reduction and awaits it. As many
/// micro-batches by cursor as the run wants.
const rb_unit &syncUnit();
nlohmann::json syncManifest();
std::vector<rb_function> syncFunctions();
/// A gradient is applied one round after it was taken. Mode 0: one micro-batch
/// by cursor in every round; mode 1: from the queue until the reduction of the
/// round before has arrived.
const rb_unit &delayedUnit(int64_t mode = 0);
nlohmann::json delayedManifest();
std::vector<rb_function> delayedFunctions();
/// Two strands: gradients from the queue, and averaging with another member.
/// Members stop at `goal` samples.
const rb_unit &gossipUnit(int64_t goal);
/// One server, and workers that send it two steps at a time.
const rb_unit &mailboxUnit();

} // namespace rubato::test
