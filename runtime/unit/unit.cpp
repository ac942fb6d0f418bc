// Loading a unit: the parts of its manifest in order, and what they share.
#include "unit/manifest_reader.h"

#include "support/dtype.h"

#include <algorithm>

namespace rubato {

using nlohmann::json;

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

rb_region ManifestReader::region(const json &in, const std::string &where) {
  std::string name = text(in, where, "region");
  for (int region = 0; region < RB_REGION_COUNT; ++region)
    if (name == regionName(region))
      return static_cast<rb_region>(region);
  fail(where + ".region", "must be private, scratch or host");
  return RB_PRIVATE;
}

Place ManifestReader::place(const json &in, const std::string &where,
                            rb_dtype type, int64_t count) {
  Place result;
  result.region = region(in, where);
  result.offset = integer(in, where, "offset");
  checkPlace(result, where, type, count);
  return result;
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
                    &ManifestReader::readProgram})
    if (!failed())
      (this->*part)(root);
  if (!failed())
    checkFlatVectors();
  if (!failed())
    checkDisjoint(extents);
  return status();
}

const Cell *Unit::cell(const std::string &name) const {
  for (const Cell &cell : cells)
    if (cell.name == name)
      return &cell;
  return nullptr;
}

int64_t Unit::elementsOf(const std::vector<Slot> &slots) {
  int64_t end = 0;
  for (const Slot &slot : slots)
    end = std::max(end, slot.offset + slot.count);
  return end;
}

Status loadUnit(const rb_unit &code, Unit &unit) {
  if (code.abi != RUBATO_ABI_VERSION)
    return {ErrorCode::Internal,
            "the unit speaks ABI version " + std::to_string(code.abi) +
                ", this runtime version " + std::to_string(RUBATO_ABI_VERSION) +
                "; compile the model again"};
  if (!code.manifest || !code.evaluate || !code.gradient || !code.functions)
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
