// A unit as a compiler would make it, for tests: two slots, one bucket of six
// elements, two rows per micro-batch.
#pragma once

#include "bytes.h"

#include "abi/context.h"
#include "abi/unit.h"
#include "fabric/group.h"

#include <cstring>
#include <string>
#include <vector>

/// Its manifest.
inline std::string sampleManifest() {
  return R"json({
  "abi": 3, "producer": "rubato 0.1.0", "model": "sample",
  "options": {"loss": "mse", "lr": 0.05, "nesterov": true},
  "float": "f32", "quantum": 2,
  "regions": {"private": 1024, "shared": 128, "result": 128},
  "events": 3, "futures": 2,
  "cells": [
    {"name": "w", "role": "parameter", "region": "private", "offset": 0,
     "bytes": 24, "dtype": "f32", "init": "layout"},
    {"name": "w64", "role": "parameter", "region": "private", "offset": 64,
     "bytes": 48, "dtype": "f64", "init": "layout"},
    {"name": "seen", "role": "counter", "region": "private", "offset": 128,
     "bytes": 8, "dtype": "i64", "init": "zero"},
    {"name": "budget", "role": "setting", "region": "private", "offset": 136,
     "bytes": 8, "dtype": "i64", "init": "setting"},
    {"name": "base-lr", "role": "setting", "region": "private", "offset": 144,
     "bytes": 4, "dtype": "f32", "init": "setting", "default": 0.05}],
  "layout": [
    {"name": "fc.bias", "shape": [2], "offset": 0, "role": "parameter"},
    {"name": "fc.weight", "shape": [2, 2], "offset": 2, "role": "parameter"}],
  "batch": {
    "inputs": [{"name": "x", "dtype": "f32", "shape": [2, 2], "offset": 192}],
    "labels": [{"name": "y", "dtype": "i64", "shape": [2], "classes": 10,
                "offset": 256}],
    "weights": {"dtype": "f32", "offset": 320},
    "ids": {"dtype": "i64", "offset": 384}},
  "round": {"samples": {"region": "result", "offset": 64},
            "loss": {"region": "result", "offset": 72}},
  "evaluate": {"loss": {"region": "private", "offset": 512},
               "correct": {"region": "private", "offset": 520},
               "valid": {"region": "private", "offset": 528}},
  "gradient": {"region": "private", "offset": 576,
               "samples": {"region": "private", "offset": 640},
               "loss": {"region": "private", "offset": 648}},
  "buckets": [{"offset": 0, "count": 6, "slots": ["fc.bias", "fc.weight"]}]
})json";
}

/// A blob in the safetensors format from its header and data.
inline std::string safetensorsBlob(const std::string &header,
                                   const std::string &data) {
  std::string blob;
  for (int i = 0; i < 8; ++i)
    blob += static_cast<char>(header.size() >> (8 * i));
  return blob + header + data;
}

/// Its weights: fc.bias is 1, 2 in f32; fc.weight is 3, 4, 5, 6 in f64.
inline std::string sampleWeights() {
  return safetensorsBlob(
      R"({"fc.bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("fc.weight":{"dtype":"F64","shape":[2,2],"data_offsets":[8,40]}})",
      rubato::test::bytesOf<float>({1, 2}) +
          rubato::test::bytesOf<double>({3, 4, 5, 6}));
}

/// The unit, with what its rb_unit points to. `round` is the test's own.
struct SampleUnit {
  explicit SampleUnit(rb_round_fn round = nullptr,
                      std::string text = sampleManifest())
      : manifest(std::move(text)), weights(sampleWeights()) {
    code.abi = RUBATO_ABI_VERSION;
    code.manifest = manifest.data();
    code.manifest_size = manifest.size();
    code.weights = weights.data();
    code.weights_size = weights.size();
    code.round = round ? round : [](rb_ctx *, int32_t *) { return 0; };
    code.gradient = code.evaluate = [](rb_ctx *) { return 0; };
  }
  SampleUnit(const SampleUnit &) = delete;

  std::string manifest, weights;
  rb_unit code = {};
};

/// Begins its one segment.
inline int32_t beginRound(rb_ctx *ctx) {
  static const rb_segment_info round = {"round", nullptr, 0, 1, 1};
  int32_t replayed = 1;
  int32_t status = rb_segment_begin(ctx, &round, &replayed);
  return status != RB_OK ? status : replayed ? RB_INVALID : RB_OK;
}

/// A source of the same batch for ever: x is 1, 2, 3, 4.
struct SampleSource : rubato::BatchSource {
  int64_t quanta() const override { return 3; }
  rubato::Status next(const rubato::BatchBuffers &to) override {
    const float x[] = {1, 2, 3, 4};
    std::memcpy(to.inputs[0], x, sizeof(x));
    to.ids[0] = calls++;
    return rubato::Status::ok();
  }
  int64_t calls = 0;
};

/// A context with all it needs; `start` says how it went.
struct SampleWorker {
  SampleWorker(const SampleUnit &code, rubato::Group &group,
               rubato::ContextOptions options = {}) {
    start = rubato::loadUnit(code.code, unit);
    if (start)
      start = rubato::makeContext(unit, group, source, options, context);
  }
  ~SampleWorker() {
    if (context)
      rubato::destroyContext(context);
  }
  SampleWorker(const SampleWorker &) = delete;

  template <typename T> T *at(rb_region region, int64_t offset) {
    return static_cast<T *>(rubato::address(context, {region, offset}));
  }
  const std::string &error() const {
    return rubato::lastError(context).message();
  }

  rubato::Unit unit;
  SampleSource source;
  rubato::Status start;
  rb_ctx *context = nullptr;
};
