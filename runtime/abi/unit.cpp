// The manifest of a compiled unit: from JSON to Unit, with every place checked
// against its region, so that nothing later needs to.
#include "abi/unit.h"

#include "abi/json_reader.h"
#include "support/dtype.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rubato {

using nlohmann::json;

namespace {

/// Reads the manifest. The first problem is kept and ends the reading of the
/// part it is in; the values read after it are never used.
class ManifestReader : JsonReader {
public:
  explicit ManifestReader(Unit &unit)
      : JsonReader("manifest of the unit",
                   "this is a bug of the compiler or a damaged executable"),
        unit(unit) {}
  Status read(const json &root);

private:
  rb_dtype dtype(const json &in, const std::string &where, const char *key);
  std::vector<int64_t> shape(const json &in, const std::string &where,
                             int64_t &count);

  // Parts of the manifest.
  void readHead(const json &root);
  void readCells(const json &root);
  void readLayout(const json &root);
  void readBatch(const json &root);
  BatchBuffer readBuffer(const json &in, const std::string &where, bool shaped);
  void readPlaces(const json &root);
  void readBuckets(const json &root);
  void readTemplate(const json &root);
  void checkFlatVectors();
  void checkDisjoint();

  /// A place that holds `count` elements, inside its region and aligned.
  Place place(const json &in, const std::string &where, rb_dtype type,
              int64_t count);
  void checkPlace(const Place &place, const std::string &where, rb_dtype type,
                  int64_t count);

  struct Extent {
    Place place;
    int64_t bytes;
    std::string who;
  };

  Unit &unit;
  std::vector<Extent> extents; // of cells and batch buffers
};

/// "cells[2]"
std::string item(const std::string &list, size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

rb_dtype ManifestReader::dtype(const json &in, const std::string &where,
                               const char *key) {
  std::string name = text(in, where, key);
  for (rb_dtype type : {RB_F32, RB_F64, RB_I64})
    if (name == dtypeName(type))
      return type;
  fail(where.empty() ? key : where + "." + key, "must be f32, f64 or i64");
  return RB_F32;
}

std::vector<int64_t> ManifestReader::shape(const json &in,
                                           const std::string &where,
                                           int64_t &count) {
  std::vector<int64_t> result;
  count = 1;
  for (const json &extent : array(in, where, "shape")) {
    int64_t size = integer(extent, where + ".shape", 1, INT64_MAX);
    if (__builtin_mul_overflow(count, size, &count)) {
      fail(where + ".shape", "is too large");
      count = 1;
    }
    result.push_back(size);
  }
  return result;
}

void ManifestReader::checkPlace(const Place &place, const std::string &where,
                                rb_dtype type, int64_t count) {
  int64_t bytes = 0, end = 0;
  if (__builtin_mul_overflow(count, elementBytes(type), &bytes) ||
      __builtin_add_overflow(place.offset, bytes, &end) || place.offset < 0 ||
      end > unit.regionBytes[place.region])
    fail(where, "lies outside the " + std::string(regionName(place.region)) +
                    " region of " +
                    std::to_string(unit.regionBytes[place.region]) + " bytes");
  else if (place.offset % elementBytes(type) != 0)
    fail(where, "its offset is not a multiple of " +
                    std::to_string(elementBytes(type)));
}

Place ManifestReader::place(const json &in, const std::string &where,
                            rb_dtype type, int64_t count) {
  Place result;
  std::string name = text(in, where, "region");
  int region = 0;
  while (region < RB_REGION_COUNT && name != regionName(region))
    ++region;
  if (region == RB_REGION_COUNT) {
    fail(where + ".region", "must be private, shared or result");
    region = RB_PRIVATE;
  }
  result.region = static_cast<rb_region>(region);
  result.offset = integer(in, where, "offset");
  checkPlace(result, where, type, count);
  return result;
}

void ManifestReader::readHead(const json &root) {
  integer(root, "", "abi", RUBATO_ABI_VERSION, RUBATO_ABI_VERSION);
  unit.producer = text(root, "", "producer");
  unit.model = text(root, "", "model");
  if (root.contains("options"))
    for (const auto &[name, value] : object(root, "", "options").items())
      unit.options[name] =
          value.is_string()
              ? value.get<std::string>()
              : value.dump(-1, ' ', false, json::error_handler_t::replace);
  unit.floatType = dtype(root, "", "float");
  if (unit.floatType == RB_I64)
    fail("float", "must be f32 or f64");
  constexpr int64_t quantumLimit = int64_t(1) << 32;
  unit.quantum = integer(root, "", "quantum", 1, quantumLimit);
  const json &regions = object(root, "", "regions");
  constexpr int64_t regionLimit = int64_t(1) << 46; // address space, with room
  for (int region = 0; region < RB_REGION_COUNT; ++region)
    unit.regionBytes[region] =
        integer(regions, "regions", regionName(region), 0, regionLimit);
  constexpr int64_t numberLimit = 1 << 16;
  unit.events =
      static_cast<int32_t>(integer(root, "", "events", 0, numberLimit));
  unit.futures =
      static_cast<int32_t>(integer(root, "", "futures", 0, numberLimit));
}

void ManifestReader::readCells(const json &root) {
  std::set<std::string> names;
  for (const json &in : array(root, "", "cells")) {
    std::string where = item("cells", unit.cells.size());
    Cell cell;
    cell.name = text(in, where, "name");
    cell.role = text(in, where, "role");
    cell.init = text(in, where, "init");
    cell.dtype = dtype(in, where, "dtype");
    cell.bytes = integer(in, where, "bytes", 1);
    int64_t element = elementBytes(cell.dtype);
    if (cell.bytes % element != 0)
      fail(where + ".bytes", "is not a multiple of " + std::to_string(element));
    cell.place = place(in, where, cell.dtype, cell.bytes / element);
    if (cell.place.region == RB_RESULT)
      fail(where + ".region", "must be private or shared");
    if (cell.init != "layout" && cell.init != "zero" && cell.init != "setting")
      fail(where + ".init", "must be layout, zero or setting");
    if (auto value = in.find("default"); value != in.end()) {
      cell.hasDefault = value->is_number();
      cell.defaultValue = cell.hasDefault ? value->get<double>() : 0;
      // A double outside the range of i64 has no conversion.
      if (!cell.hasDefault || !std::isfinite(cell.defaultValue) ||
          (cell.dtype == RB_I64 && std::abs(cell.defaultValue) >= 0x1p63))
        fail(where + ".default", "must be a number that fits the cell");
    }
    if (!names.insert(cell.name).second)
      fail(where + ".name", "'" + cell.name + "' appears twice");
    if (failed())
      return;
    extents.push_back({cell.place, cell.bytes, "cell '" + cell.name + "'"});
    unit.cells.push_back(std::move(cell));
  }
}

void ManifestReader::readLayout(const json &root) {
  std::set<std::string> names;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const json &in : array(root, "", "layout")) {
    std::string where = item("layout", unit.layout.size());
    Slot slot;
    slot.name = text(in, where, "name");
    slot.role = text(in, where, "role");
    slot.shape = shape(in, where, slot.count);
    slot.offset = integer(in, where, "offset");
    int64_t end = 0;
    if (__builtin_add_overflow(slot.offset, slot.count, &end))
      fail(where, "is too large");
    if (!names.insert(slot.name).second)
      fail(where + ".name", "'" + slot.name + "' appears twice");
    if (failed())
      return;
    ranges.push_back({slot.offset, end});
    unit.layout.push_back(std::move(slot));
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second)
      fail("layout",
           "slots overlap at element " + std::to_string(ranges[i].first));
}

BatchBuffer ManifestReader::readBuffer(const json &in, const std::string &where,
                                       bool shaped) {
  BatchBuffer buffer;
  buffer.dtype = dtype(in, where, "dtype");
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
  Place place{RB_PRIVATE, buffer.offset};
  checkPlace(place, where, buffer.dtype, count);
  if (!failed())
    extents.push_back({place, count * elementBytes(buffer.dtype), where});
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
  const json &round = object(root, "", "round");
  const json &evaluate = object(root, "", "evaluate");
  const json &gradient = object(root, "", "gradient");
  if (failed())
    return;
  auto scalar = [&](const json &in, const char *name, const char *key,
                    rb_dtype type) {
    return place(object(in, name, key), std::string(name) + "." + key, type, 1);
  };
  unit.roundSamples = scalar(round, "round", "samples", RB_I64);
  unit.roundLoss = scalar(round, "round", "loss", RB_F64);
  unit.evaluateLoss = scalar(evaluate, "evaluate", "loss", RB_F64);
  unit.evaluateCorrect = scalar(evaluate, "evaluate", "correct", RB_I64);
  unit.evaluateValid = scalar(evaluate, "evaluate", "valid", RB_I64);
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

void ManifestReader::readTemplate(const json &root) {
  if (!root.contains("template"))
    return;
  const json &in = object(root, "", "template");
  if (failed())
    return;
  unit.templateTensor = text(in, "template", "tensor");
  for (const json &entry : array(in, "template", "patches")) {
    std::string where = item("template.patches", unit.patches.size());
    TemplatePatch patch;
    patch.slot = text(entry, where, "slot");
    patch.offset = integer(entry, where, "offset");
    patch.bytes = integer(entry, where, "bytes", 0, INT64_MAX - patch.offset);
    if (std::none_of(unit.layout.begin(), unit.layout.end(),
                     [&](const Slot &slot) { return slot.name == patch.slot; }))
      fail(where + ".slot", "there is no slot '" + patch.slot + "'");
    if (failed())
      return;
    unit.patches.push_back(std::move(patch));
  }
}

/// A cell that starts from the layout holds the whole flat vector.
void ManifestReader::checkFlatVectors() {
  for (const Cell &cell : unit.cells) {
    if (cell.init != "layout")
      continue;
    if (cell.dtype == RB_I64)
      fail("cell '" + cell.name + "'", "init layout needs f32 or f64");
    else if (cell.bytes / elementBytes(cell.dtype) < unit.flatCount())
      fail("cell '" + cell.name + "'", "is smaller than the layout of " +
                                           std::to_string(unit.flatCount()) +
                                           " elements");
  }
}

void ManifestReader::checkDisjoint() {
  std::sort(extents.begin(), extents.end(), [](auto &a, auto &b) {
    return std::pair(a.place.region, a.place.offset) <
           std::pair(b.place.region, b.place.offset);
  });
  for (size_t i = 1; i < extents.size(); ++i) {
    const Extent &before = extents[i - 1];
    if (before.place.region == extents[i].place.region &&
        before.place.offset + before.bytes > extents[i].place.offset)
      fail(extents[i].who, "overlaps " + before.who);
  }
}

Status ManifestReader::read(const json &root) {
  if (!root.is_object()) {
    fail("text", "is not a JSON object");
    return status();
  }
  using Part = void (ManifestReader::*)(const json &);
  for (Part part : {&ManifestReader::readHead, &ManifestReader::readCells,
                    &ManifestReader::readLayout, &ManifestReader::readBatch,
                    &ManifestReader::readPlaces, &ManifestReader::readBuckets,
                    &ManifestReader::readTemplate})
    if (!failed())
      (this->*part)(root);
  if (!failed())
    checkFlatVectors();
  if (!failed())
    checkDisjoint();
  return status();
}

} // namespace

const Cell *Unit::cell(const std::string &name) const {
  for (const Cell &cell : cells)
    if (cell.name == name)
      return &cell;
  return nullptr;
}

int64_t Unit::flatCount() const {
  int64_t end = 0;
  for (const Slot &slot : layout)
    end = std::max(end, slot.offset + slot.count);
  return end;
}

Status loadUnit(const rb_unit &code, Unit &unit) {
  if (code.abi != RUBATO_ABI_VERSION)
    return {ErrorCode::Internal,
            "the unit speaks ABI version " + std::to_string(code.abi) +
                ", this runtime version " + std::to_string(RUBATO_ABI_VERSION) +
                "; compile the model again"};
  if (!code.manifest || !code.round || !code.gradient || !code.evaluate)
    return {ErrorCode::Internal,
            "the unit lacks its manifest or a function; this is a bug of the "
            "compiler or a damaged executable"};
  Unit result;
  result.code = &code;
  RB_TRY(ManifestReader(result).read(
      json::parse(code.manifest, code.manifest + code.manifest_size, nullptr,
                  /*allow_exceptions=*/false)));
  unit = std::move(result);
  return Status::ok();
}

} // namespace rubato
