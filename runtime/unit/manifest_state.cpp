// The manifest's head, cells and layout: what persists between rounds.
#include "unit/manifest_reader.h"

#include "support/dtype.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rubato {

using nlohmann::json;

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
  if (root.contains("numbers")) {
    const json &numbers = object(root, "", "numbers");
    int64_t end = unit.regionBytes[RB_PRIVATE];
    unit.numbersOffset = integer(numbers, "numbers", "offset", 0, end);
    unit.numbersBytes =
        integer(numbers, "numbers", "bytes", 0, end - unit.numbersOffset);
  }
  for (const json &bytes : array(root, "", "values")) {
    std::string where = item("values", unit.valueBytes.size());
    if (!bytes.is_number_integer() || bytes < 1 || bytes > regionLimit)
      fail(where, "must be a number of bytes");
    else
      unit.valueBytes.push_back(bytes.get<int64_t>());
  }
  constexpr int64_t eventLimit = 1 << 16;
  unit.events =
      static_cast<int32_t>(integer(root, "", "events", 0, eventLimit));
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
    if (cell.place.region == RB_SCRATCH)
      fail(where + ".region", "must be private or host");
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
  for (const json &in : array(root, "", "layout")) {
    std::string where = item("layout", names.size());
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
    (slot.role == "frozen" ? unit.frozen : unit.layout)
        .push_back(std::move(slot));
  }
  checkSlots(unit.layout);
  checkSlots(unit.frozen);
}

void ManifestReader::checkSlots(const std::vector<Slot> &slots) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const Slot &slot : slots)
    ranges.push_back({slot.offset, slot.offset + slot.count});
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first < ranges[i - 1].second)
      fail("layout",
           "slots overlap at element " + std::to_string(ranges[i].first));
}

/// A cell that starts from the layout holds the whole flat vector.
void ManifestReader::checkFlatVectors() {
  for (const Cell &cell : unit.cells) {
    if (cell.init != "layout")
      continue;
    if (cell.dtype == RB_I64)
      fail("cell '" + cell.name + "'", "init layout needs f32 or f64");
    else if (int64_t count = Unit::elementsOf(unit.slotsOf(cell));
             cell.bytes / elementBytes(cell.dtype) < count)
      fail("cell '" + cell.name + "'", "is smaller than the layout of " +
                                           std::to_string(count) + " elements");
  }
}

void ManifestReader::checkDisjoint(std::vector<Extent> extents) {
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

} // namespace rubato
