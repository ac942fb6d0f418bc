#include "train/fake_unit.h"

#include <cstddef>
#include <cstring>
#include <string>

using namespace rubato::test;

RoundHook rubato::test::roundHook = nullptr;

namespace {

constexpr int64_t quantum = 4;

struct Private {
  alignas(64) float w[3]; // a, b
  alignas(64) int64_t seen;
  alignas(64) int64_t budget;
  alignas(64) float lr;
  alignas(64) float x[quantum][2];
  alignas(64) int64_t y[quantum];
  alignas(64) float weights[quantum];
  alignas(64) int64_t ids[quantum];
  alignas(64) double evalLoss;
  int64_t correct, valid;
  alignas(64) float gradient[3];
  int64_t samples;
  double loss;
  alignas(64) int64_t rounds;
};

/// Operands in the shared region, sums in the result region.
struct Reduced {
  float gradient[3];
  int64_t samples;
  double loss;
  int64_t stop;
};

Private &privateOf(rb_ctx *ctx) {
  return *static_cast<Private *>(rb_regions(ctx)[RB_PRIVATE]);
}

int32_t gradient(rb_ctx *ctx) {
  Private &p = privateOf(ctx);
  for (int64_t i = 0; i < quantum; ++i) {
    float error =
        p.w[0] * p.x[i][0] + p.w[1] * p.x[i][1] + p.w[2] - float(p.y[i]);
    error *= p.weights[i];
    p.gradient[0] += error * p.x[i][0];
    p.gradient[1] += error * p.x[i][1];
    p.gradient[2] += error;
    p.loss += 0.5 * double(error) * double(error);
    p.samples += p.ids[i] >= 0;
  }
  return RB_OK;
}

int32_t evaluate(rb_ctx *ctx) {
  Private &p = privateOf(ctx);
  p.evalLoss = 0;
  p.correct = p.valid = 0;
  for (int64_t i = 0; i < quantum; ++i)
    if (p.weights[i] != 0) {
      float value = p.w[0] * p.x[i][0] + p.w[1] * p.x[i][1] + p.w[2];
      float error = value - float(p.y[i]);
      p.evalLoss += 0.5 * double(error) * double(error);
      p.correct += (value > 0.5f) == (p.y[i] == 1);
      p.valid += 1;
    }
  return RB_OK;
}

int32_t round(rb_ctx *ctx, int32_t *go) {
  Private &p = privateOf(ctx);
  if (roundHook)
    roundHook(ctx, ++p.rounds);
  std::memset(p.gradient, 0, sizeof p.gradient);
  p.samples = 0;
  p.loss = 0;
  for (int64_t i = 0, n = rb_quanta(ctx); i < n; ++i) {
    if (int32_t status = rb_next_batch(ctx))
      return status;
    gradient(ctx);
  }
  auto *shared = static_cast<Reduced *>(rb_regions(ctx)[RB_SHARED]);
  std::memcpy(shared->gradient, p.gradient, sizeof p.gradient);
  shared->samples = p.samples;
  shared->loss = p.loss;
  shared->stop = rb_stop_requested(ctx);
  rb_range ins[] = {{RB_SHARED, RB_F32, offsetof(Reduced, gradient), 3},
                    {RB_SHARED, RB_I64, offsetof(Reduced, samples), 1},
                    {RB_SHARED, RB_F64, offsetof(Reduced, loss), 1},
                    {RB_SHARED, RB_I64, offsetof(Reduced, stop), 1}};
  rb_range outs[4];
  for (int i = 0; i < 4; ++i) {
    outs[i] = ins[i];
    outs[i].region = RB_RESULT;
  }
  if (int32_t status = rb_collective(ctx, RB_COMM, RB_ALL_REDUCE_SUM, 0, 0, ins,
                                     4, outs, 4, 0))
    return status;
  if (int32_t status = rb_future_await(ctx, 0))
    return status;
  auto *sum = static_cast<const Reduced *>(rb_regions(ctx)[RB_RESULT]);
  for (int i = 0; i < 3; ++i)
    p.w[i] -= p.lr * sum->gradient[i] / float(sum->samples);
  p.seen += sum->samples;
  *go = p.seen < p.budget && sum->stop == 0;
  return RB_OK;
}

std::string place(const char *region, size_t offset) {
  return std::string("{\"region\":\"") + region +
         "\",\"offset\":" + std::to_string(offset) + "}";
}

std::string cell(const char *name, const char *role, size_t offset, int bytes,
                 const char *dtype, const char *init, const char *extra = "") {
  return std::string("{\"name\":\"") + name + "\",\"role\":\"" + role +
         "\",\"region\":\"private\",\"offset\":" + std::to_string(offset) +
         ",\"bytes\":" + std::to_string(bytes) + ",\"dtype\":\"" + dtype +
         "\",\"init\":\"" + init + "\"" + extra + "}";
}

std::string buffer(const char *rest, size_t offset) {
  return "{" + std::string(rest) + ",\"offset\":" + std::to_string(offset) +
         "}";
}

std::string makeManifest() {
  std::string size = std::to_string(sizeof(Reduced));
  return "{\"abi\":3,\"producer\":\"rubato test\",\"model\":\"least-squares\","
         "\"options\":{\"loss\":\"mse\",\"optimizer\":\"sgd\",\"lr\":0.1},"
         "\"float\":\"f32\",\"quantum\":4,\"regions\":{\"private\":" +
         std::to_string(sizeof(Private)) + ",\"shared\":" + size +
         ",\"result\":" + size + "},\"events\":0,\"futures\":1,\"cells\":[" +
         cell("w", "parameter", offsetof(Private, w), 12, "f32", "layout") +
         "," +
         cell("seen", "counter", offsetof(Private, seen), 8, "i64", "zero") +
         "," +
         cell("budget", "setting", offsetof(Private, budget), 8, "i64",
              "setting") +
         "," +
         cell("base-lr", "setting", offsetof(Private, lr), 4, "f32", "setting",
              ",\"default\":0.1") +
         "],\"layout\":[{\"name\":\"a\",\"shape\":[1,2],\"offset\":0,\"role\":"
         "\"parameter\"},{\"name\":\"b\",\"shape\":[1],\"offset\":2,\"role\":"
         "\"parameter\"}],\"batch\":{\"inputs\":[" +
         buffer("\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[4,2]",
                offsetof(Private, x)) +
         "],\"labels\":[" +
         buffer("\"name\":\"y\",\"dtype\":\"i64\",\"shape\":[4],\"classes\":2",
                offsetof(Private, y)) +
         "],\"weights\":" +
         buffer("\"dtype\":\"f32\"", offsetof(Private, weights)) +
         ",\"ids\":" + buffer("\"dtype\":\"i64\"", offsetof(Private, ids)) +
         "},\"round\":{\"samples\":" +
         place("result", offsetof(Reduced, samples)) +
         ",\"loss\":" + place("result", offsetof(Reduced, loss)) +
         "},\"evaluate\":{\"loss\":" +
         place("private", offsetof(Private, evalLoss)) +
         ",\"correct\":" + place("private", offsetof(Private, correct)) +
         ",\"valid\":" + place("private", offsetof(Private, valid)) +
         "},\"gradient\":{\"region\":\"private\",\"offset\":" +
         std::to_string(offsetof(Private, gradient)) +
         ",\"samples\":" + place("private", offsetof(Private, samples)) +
         ",\"loss\":" + place("private", offsetof(Private, loss)) +
         "},\"buckets\":[{\"offset\":0,\"count\":3,\"slots\":[\"a\",\"b\"]}]}";
}

std::string makeWeights() {
  // The template without what belongs into its holes.
  std::string cut = std::string(templateText).erase(14, 4).erase(5, 8);
  std::string header =
      "{\"__metadata__\":{\"format\":\"rubato 2\","
      "\"hole.a\":\"F32 5 13\",\"hole.b\":\"F32 14 18\"},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]},"
      "\"__onnx_template__\":{\"dtype\":\"U8\",\"shape\":[" +
      std::to_string(cut.size()) + "],\"data_offsets\":[12," +
      std::to_string(12 + cut.size()) + "]}}";
  std::string blob(8, '\0');
  for (int i = 0; i < 8; ++i)
    blob[size_t(i)] = char(uint64_t(header.size()) >> (8 * i));
  float initial[3] = {0.25f, -0.25f, 0.5f};
  blob += header;
  blob.append(reinterpret_cast<char *>(initial), sizeof initial);
  return blob + cut;
}

} // namespace

float *rubato::test::parametersOf(rb_ctx *ctx) { return privateOf(ctx).w; }

const rb_unit &rubato::test::fakeUnit() {
  static const std::string manifest = makeManifest(), weights = makeWeights();
  static const rb_unit unit = {RUBATO_ABI_VERSION,
                               0,
                               manifest.data(),
                               manifest.size(),
                               weights.data(),
                               weights.size(),
                               round,
                               gradient,
                               evaluate,
                               nullptr,
                               0};
  return unit;
}
