// A unit as a compiler would make it, for tests of the ABI itself: two slots,
// one bucket of six elements, two rows per micro-batch, two values, and a
// program of one strand.
#pragma once

#include "bytes.h"
#include "fake_environment.h"

#include "context/cells.h"
#include "context/context.h"
#include "device/device.h"
#include "unit/unit.h"

#include <cstring>
#include <string>
#include <vector>

/// Its manifest.
inline std::string sampleManifest() {
  return R"json({
  "abi": 3, "producer": "rubato 0.1.0", "model": "sample",
  "options": {"loss": "mse", "lr": 0.05, "nesterov": true},
  "float": "f32", "quantum": 2,
  "regions": {"private": 1024, "scratch": 128, "host": 64},
  "values": [24, 24], "events": 3,
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
  "evaluate": {"loss": {"region": "private", "offset": 512},
               "correct": {"region": "private", "offset": 520},
               "valid": {"region": "private", "offset": 528}},
  "gradient": {"region": "private", "offset": 576,
               "samples": {"region": "private", "offset": 640},
               "loss": {"region": "private", "offset": 648}},
  "buckets": [{"offset": 0, "count": 6, "slots": ["fc.bias", "fc.weight"]}],
  "parameters": {"region": "private", "offset": 0},
  "program": {
    "functions": ["worker.round"],
    "roles": [{"name": "worker", "count": -1, "init": -1, "drain": -1,
               "model": -1, "host": false, "strands": [
                 {"name": "round", "function": 0, "cursor": true,
                  "lockstep": true, "polls": [], "frame": []}]}],
    "channels": [{"name": "grads", "kind": "collective", "bytes": 64,
                  "server": "", "exempt": 0, "ahead": -1}],
    "policies": [], "rendezvous": [], "locks": 1, "commits": false}
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
    code.gradient = code.evaluate = [](rb_ctx *) { return 0; };
    if (round)
      function.fn = round;
    code.functions = &function;
    code.function_count = 1;
  }
  SampleUnit(const SampleUnit &) = delete;

  std::string manifest, weights;
  rb_function function = {"worker.round",
                          [](rb_ctx *, int32_t *) { return 0; }};
  rb_unit code = {};
};

/// Begins its one segment.
inline int32_t beginSegment(rb_ctx *ctx) {
  static const rb_segment_info segment = {"worker.gradient", nullptr, 0, 1};
  int32_t replayed = 1;
  int32_t status = rb_segment_begin(ctx, &segment, &replayed);
  return status != RB_OK ? status : replayed ? RB_INVALID : RB_OK;
}

/// A strand with all it needs, in an environment that notes its calls; `start`
/// says how it went.
struct SampleStrand {
  explicit SampleStrand(
      const SampleUnit &code,
      std::unique_ptr<rubato::MemberDevice> its = rubato::makeCpuDevice(),
      rubato::Timeline *timeline = nullptr)
      : device(std::move(its)) {
    start = rubato::loadUnit(code.code, unit);
    if (!start)
      return;
    void *regions[] = {memory, scratch, host};
    start = rubato::initialiseCells(
        unit, [&](const rubato::Cell &cell, const char *bytes) {
          std::memcpy(static_cast<char *>(regions[cell.place.region]) +
                          cell.place.offset,
                      bytes, static_cast<size_t>(cell.bytes));
          return rubato::Status::ok();
        });
    context = rubato::makeContext({.unit = unit,
                                   .environment = environment,
                                   .caller = {0, 0, 0},
                                   .device = *device,
                                   .regions = regions,
                                   .timeline = timeline});
  }
  ~SampleStrand() {
    if (context)
      rubato::destroyContext(context);
  }
  SampleStrand(const SampleStrand &) = delete;

  template <typename T> T *at(int32_t region, int64_t offset) {
    return reinterpret_cast<T *>(
        static_cast<char *>(rb_regions(context)[region]) + offset);
  }
  const std::string &error() const {
    return rubato::lastError(context).message();
  }

  alignas(256) char memory[1024] = {};
  alignas(256) char scratch[128] = {};
  alignas(256) char host[64] = {};
  std::unique_ptr<rubato::MemberDevice> device;
  rubato::Unit unit;
  rubato::test::FakeEnvironment environment;
  rubato::Status start;
  rb_ctx *context = nullptr;
};
