// The compiled unit as the runtime sees it: the manifest, parsed and checked.
#pragma once

#include "abi/rubato_abi.h"
#include "support/status.h"
#include "unit/spec.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rubato {

/// A place in one of the unit's regions, or in a value.
struct Place {
  rb_region region = RB_PRIVATE;
  int64_t offset = 0;
};

struct Cell {
  std::string name, role, init;
  Place place;
  int64_t bytes = 0;
  rb_dtype dtype = RB_F32;
  bool hasDefault = false; // of a setting; without one it starts as 0
  double defaultValue = 0;
};

/// A named part of the flat parameter vector; offset and count in elements.
struct Slot {
  std::string name, role;
  std::vector<int64_t> shape;
  int64_t offset = 0, count = 0;
};

/// One buffer of a micro-batch; the outermost dimension is the quantum.
struct BatchBuffer {
  std::string name;
  rb_dtype dtype = RB_F32;
  std::vector<int64_t> shape;
  int64_t offset = 0;  // in its region
  int64_t classes = 0; // of labels: values lie in [0, classes); 0 = any
  rb_region region = RB_PRIVATE;

  Place place() const { return {region, offset}; }
};

struct Bucket {
  int64_t offset = 0, count = 0; // elements of the flat vector
  std::vector<std::string> slots;
};

struct Unit {
  const rb_unit *code = nullptr;
  std::string producer, model;
  std::map<std::string, std::string> options; // compile options, as text
  rb_dtype floatType = RB_F32;
  int64_t quantum = 0;
  int64_t regionBytes[RB_REGION_COUNT] = {};
  /// In the private region: numbers that kernels and the host touch.
  int64_t numbersOffset = 0, numbersBytes = 0;
  std::vector<int64_t> valueBytes; // by number
  int32_t events = 0;
  std::vector<Cell> cells;
  std::vector<Slot> layout; // of the flat parameter vector
  std::vector<Slot> frozen; // of the cell that holds what is not trained
  std::vector<BatchBuffer> inputs, labels;
  BatchBuffer weights, ids;
  Place evaluateLoss, evaluateCorrect, evaluateValid;
  Place gradient, gradientSamples, gradientLoss;
  std::vector<Bucket> buckets;
  ProgramSpec program;
  Place parameters; // the flat parameters of its model

  const Cell *cell(const std::string &name) const;
  /// The slots of a cell that starts from a layout.
  const std::vector<Slot> &slotsOf(const Cell &cell) const {
    return cell.role == "frozen" ? frozen : layout;
  }
  /// Elements of the flat parameter vector.
  int64_t flatCount() const { return elementsOf(layout); }
  /// Elements of a flat vector with these slots.
  static int64_t elementsOf(const std::vector<Slot> &slots);
};

/// Parses and checks the manifest of `code`. An error here is a bug of the
/// compiler or a damaged executable, and says so.
Status loadUnit(const rb_unit &code, Unit &unit);

} // namespace rubato
