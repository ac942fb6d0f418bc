#include "common/hand_unit.h"

#include <cstring>

using namespace rubato::test;
using nlohmann::json;

HandHook rubato::test::handHook = nullptr;

HandPrivate &rubato::test::handPrivate(rb_ctx *ctx) {
  return *static_cast<HandPrivate *>(rb_regions(ctx)[RB_PRIVATE]);
}

HandScratch &rubato::test::handScratch(rb_ctx *ctx) {
  return *static_cast<HandScratch *>(rb_regions(ctx)[RB_SCRATCH]);
}

void rubato::test::addSample(const float *w, const float *x, int64_t y,
                             HandSum &sum) {
  float error = w[0] * x[0] + w[1] * x[1] + w[2] - float(y);
  sum.g[0] += error * x[0];
  sum.g[1] += error * x[1];
  sum.g[2] += error;
  sum.loss += 0.5 * double(error) * double(error);
  sum.samples += 1;
}

int32_t rubato::test::handGradient(rb_ctx *ctx, const float *w, HandSum &sum) {
  HandScratch &s = handScratch(ctx);
  HandPrivate &p = handPrivate(ctx);
  HandSum before = sum;
  if (int32_t status = rb_work(ctx, "gradient", 1))
    return status;
  for (int64_t i = 0; i < handQuantum; ++i)
    if (s.weights[i] != 0) {
      addSample(w, s.x[i], s.y[i], sum);
      if (s.ids[i] < int64_t(std::size(p.times)))
        ++p.times[s.ids[i]];
    }
  if (int32_t status = rb_work(ctx, "gradient", 0))
    return status;
  return rb_computed(ctx, sum.samples - before.samples, sum.loss - before.loss);
}

static int32_t evaluateHand(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  HandScratch &s = handScratch(ctx);
  p.evalLoss = 0;
  p.correct = p.valid = 0;
  for (int64_t i = 0; i < handQuantum; ++i)
    if (s.weights[i] != 0) {
      float value =
          p.model[0] * s.x[i][0] + p.model[1] * s.x[i][1] + p.model[2];
      float error = value - float(s.y[i]);
      p.evalLoss += 0.5 * double(error) * double(error);
      p.correct += (value > 0.5f) == (s.y[i] == 1);
      p.valid += 1;
    }
  return RB_OK;
}

/// At the model, as an evaluation is: the vector on top of what is there, the
/// samples and the loss of this batch.
static int32_t gradientHand(rb_ctx *ctx) {
  HandPrivate &p = handPrivate(ctx);
  HandScratch &s = handScratch(ctx);
  HandSum sum = {{s.gradient[0], s.gradient[1], s.gradient[2]}, 0, 0, 0};
  for (int64_t i = 0; i < handQuantum; ++i)
    if (s.weights[i] != 0)
      addSample(p.model, s.x[i], s.y[i], sum);
  std::memcpy(s.gradient, sum.g, sizeof sum.g);
  p.gradientSamples = sum.samples;
  p.gradientLoss = sum.loss;
  return RB_OK;
}

static json cell(const char *name, const char *role, size_t offset, int bytes,
                 const char *dtype, const char *init) {
  return {{"name", name},     {"role", role},   {"region", "private"},
          {"offset", offset}, {"bytes", bytes}, {"dtype", dtype},
          {"init", init}};
}

static json place(const char *region, size_t offset) {
  return {{"region", region}, {"offset", offset}};
}

json rubato::test::handManifest() {
  json lr = cell("base-lr", "setting", offsetof(HandPrivate, lr), 4, "f32",
                 "setting");
  lr["default"] = 0.1;
  json mode =
      cell("mode", "setting", offsetof(HandPrivate, mode), 8, "i64", "setting");
  mode["default"] = 0;
  auto buffer = [](json rest, size_t offset) {
    rest["region"] = "scratch";
    rest["offset"] = offset;
    return rest;
  };
  json x = {{"name", "x"}, {"dtype", "f32"}, {"shape", {4, 2}}};
  json y = {{"name", "y"}, {"dtype", "i64"}, {"shape", {4}}, {"classes", 2}};
  return {
      {"abi", RUBATO_ABI_VERSION},
      {"producer", "rubato test"},
      {"model", "least-squares"},
      {"options", {{"loss", "mse"}, {"optimizer", "sgd"}, {"lr", 0.1}}},
      {"float", "f32"},
      {"quantum", handQuantum},
      {"values", json::array()},
      {"events", 0},
      {"regions",
       {{"private", sizeof(HandPrivate)},
        {"scratch", sizeof(HandScratch)},
        {"host", 64}}},
      {"cells",
       {cell("w", "parameter", offsetof(HandPrivate, w), 12, "f32", "layout"),
        cell("seen", "counter", offsetof(HandPrivate, seen), 8, "i64", "zero"),
        cell("budget", "setting", offsetof(HandPrivate, budget), 8, "i64",
             "setting"),
        lr, mode}},
      {"layout",
       {{{"name", "a"},
         {"shape", {1, 2}},
         {"offset", 0},
         {"role", "parameter"}},
        {{"name", "b"}, {"shape", {1}}, {"offset", 2}, {"role", "parameter"}}}},
      {"batch",
       {{"inputs", {buffer(x, offsetof(HandScratch, x))}},
        {"labels", {buffer(y, offsetof(HandScratch, y))}},
        {"weights", buffer({{"dtype", "f32"}}, offsetof(HandScratch, weights))},
        {"ids", buffer({{"dtype", "i64"}}, offsetof(HandScratch, ids))}}},
      {"evaluate",
       {{"loss", place("private", offsetof(HandPrivate, evalLoss))},
        {"correct", place("private", offsetof(HandPrivate, correct))},
        {"valid", place("private", offsetof(HandPrivate, valid))}}},
      {"gradient",
       {{"region", "scratch"},
        {"offset", offsetof(HandScratch, gradient)},
        {"samples", place("private", offsetof(HandPrivate, gradientSamples))},
        {"loss", place("private", offsetof(HandPrivate, gradientLoss))}}},
      {"parameters", place("private", offsetof(HandPrivate, model))}};
}

static std::string handWeights() {
  // The template without what belongs into its holes.
  std::string cut = std::string(handTemplate).erase(14, 4).erase(5, 8);
  std::string data(12, '\0');
  float initial[3] = {0.25f, -0.25f, 0.5f};
  std::memcpy(data.data(), initial, sizeof initial);
  data += cut;
  json header = {
      {"__metadata__",
       {{"format", "rubato 2"},
        {"hole.a", "F32 5 13"},
        {"hole.b", "F32 14 18"}}},
      {"a", {{"dtype", "F32"}, {"shape", {1, 2}}, {"data_offsets", {0, 8}}}},
      {"b", {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {8, 12}}}},
      {"__onnx_template__",
       {{"dtype", "U8"},
        {"shape", {cut.size()}},
        {"data_offsets", {12, data.size()}}}}};
  std::string text = header.dump(), blob(8, '\0');
  uint64_t size = text.size();
  std::memcpy(blob.data(), &size, sizeof size);
  return blob + text + data;
}

HandUnit::HandUnit(json text, std::vector<rb_function> list)
    : manifest(text.dump()), weights(handWeights()),
      functions(std::move(list)) {
  code.abi = RUBATO_ABI_VERSION;
  code.manifest = manifest.data();
  code.manifest_size = manifest.size();
  code.weights = weights.data();
  code.weights_size = weights.size();
  code.gradient = gradientHand;
  code.evaluate = evaluateHand;
  code.functions = functions.data();
  code.function_count = functions.size();
}
