// The manifest's batch buffers, results and buckets: what a round reads and
// leaves behind.
#include "unit/manifest_reader.h"

#include "support/dtype.h"

#include <algorithm>

namespace rubato {

using nlohmann::json;

BatchBuffer ManifestReader::readBuffer(const json &in, const std::string &where,
                                       bool shaped) {
  BatchBuffer buffer;
  buffer.dtype = dtype(in, where, "dtype");
  if (in.contains("region"))
    buffer.region = region(in, where);
  if (buffer.region != RB_PRIVATE && buffer.region != RB_SCRATCH)
    fail(where + ".region", "must be private or scratch");
  buffer.offset = integer(in, where, "offset");
  int64_t count = unit.quantum;
  if (shaped) {
    buffer.name = text(in, where, "name");
    buffer.shape = shape(in, where, count);
    if (buffer.shape.empty() || buffer.shape[0] != unit.quantum)
      fail(where + ".shape", "must begin with the quantum");
    if (in.contains("classes"))
      buffer.classes = integer(in, where, "classes");
  } else {
    buffer.shape = {unit.quantum};
  }
  checkPlace(buffer.place(), where, buffer.dtype, count);
  if (!failed())
    extents.push_back(
        {buffer.place(), count * elementBytes(buffer.dtype), where});
  return buffer;
}

void ManifestReader::readBatch(const json &root) {
  const json &batch = object(root, "", "batch");
  if (failed())
    return;
  for (const json &in : array(batch, "batch", "inputs")) {
    std::string where = item("batch.inputs", unit.inputs.size());
    unit.inputs.push_back(readBuffer(in, where, true));
  }
  for (const json &in : array(batch, "batch", "labels")) {
    std::string where = item("batch.labels", unit.labels.size());
    unit.labels.push_back(readBuffer(in, where, true));
  }
  unit.weights =
      readBuffer(object(batch, "batch", "weights"), "batch.weights", false);
  unit.weights.name = "weights";
  if (unit.weights.dtype == RB_I64)
    fail("batch.weights.dtype", "must be f32 or f64");
  unit.ids = readBuffer(object(batch, "batch", "ids"), "batch.ids", false);
  unit.ids.name = "ids";
  if (unit.ids.dtype != RB_I64)
    fail("batch.ids.dtype", "must be i64");
}

void ManifestReader::readPlaces(const json &root) {
  auto scalar = [&](const json &in, const char *name, const char *key,
                    rb_dtype type) {
    return place(object(in, name, key), std::string(name) + "." + key, type, 1);
  };
  const json &evaluate = object(root, "", "evaluate");
  if (failed())
    return;
  unit.evaluateLoss = scalar(evaluate, "evaluate", "loss", RB_F64);
  unit.evaluateCorrect = scalar(evaluate, "evaluate", "correct", RB_I64);
  unit.evaluateValid = scalar(evaluate, "evaluate", "valid", RB_I64);
  const json &gradient = object(root, "", "gradient");
  if (failed())
    return;
  unit.gradientSamples = scalar(gradient, "gradient", "samples", RB_I64);
  unit.gradientLoss = scalar(gradient, "gradient", "loss", RB_F64);
  unit.gradient = place(gradient, "gradient", unit.floatType, unit.flatCount());
}

void ManifestReader::readBuckets(const json &root) {
  if (!root.contains("buckets"))
    return;
  for (const json &in : array(root, "", "buckets")) {
    std::string where = item("buckets", unit.buckets.size());
    Bucket bucket;
    bucket.offset = integer(in, where, "offset", 0, unit.flatCount());
    bucket.count =
        integer(in, where, "count", 0, unit.flatCount() - bucket.offset);
    for (const json &slot : array(in, where, "slots"))
      bucket.slots.push_back(slot.is_string() ? slot.get<std::string>() : "");
    for (const std::string &name : bucket.slots)
      if (std::none_of(unit.layout.begin(), unit.layout.end(),
                       [&](const Slot &slot) { return slot.name == name; }))
        fail(where + ".slots", "there is no slot '" + name + "'");
    if (failed())
      return;
    unit.buckets.push_back(std::move(bucket));
  }
}

} // namespace rubato
