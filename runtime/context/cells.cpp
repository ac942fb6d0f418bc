// Cells from weights: each slot's tensor, converted to the cell's type.
#include "context/cells.h"

#include "support/dtype.h"
#include "support/safetensors.h"

#include <cstring>
#include <vector>

namespace rubato {

static Status badWeights(const std::string &what) {
  return {ErrorCode::Internal,
          "weights of the unit: " + what +
              "; the executable is damaged, compile the model again"};
}

/// Copies with conversion; neither side needs to be aligned.
template <typename From, typename To>
static void convert(const char *from, char *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * int64_t(sizeof(From)), sizeof(From));
    To converted = static_cast<To>(value);
    std::memcpy(to + i * int64_t(sizeof(To)), &converted, sizeof(To));
  }
}

static Status fillFromLayout(const Unit &unit, const Cell &cell,
                             const TensorMap &tensors, char *to) {
  for (const Slot &slot : unit.slotsOf(cell)) {
    auto found = tensors.find(slot.name);
    if (found == tensors.end())
      return badWeights("there is no tensor '" + slot.name + "'");
    const TensorView &tensor = found->second;
    if (tensor.count() != slot.count)
      return badWeights(
          "tensor '" + slot.name + "' has " + std::to_string(tensor.count()) +
          " elements, its slot has " + std::to_string(slot.count));
    const char *from = static_cast<const char *>(tensor.data);
    char *place = to + slot.offset * elementBytes(cell.dtype);
    bool f32 = cell.dtype == RB_F32;
    if (tensor.dtype == TensorType::F32)
      f32 ? convert<float, float>(from, place, slot.count)
          : convert<float, double>(from, place, slot.count);
    else if (tensor.dtype == TensorType::F64)
      f32 ? convert<double, float>(from, place, slot.count)
          : convert<double, double>(from, place, slot.count);
    else
      return badWeights("tensor '" + slot.name + "' is " +
                        tensorTypeName(tensor.dtype) + ", not F32 or F64");
  }
  return Status::ok();
}

static void fillSetting(const Cell &cell, char *to) {
  for (int64_t at = 0; at < cell.bytes; at += elementBytes(cell.dtype)) {
    if (cell.dtype == RB_F32)
      convert<double, float>(reinterpret_cast<const char *>(&cell.defaultValue),
                             to + at, 1);
    else if (cell.dtype == RB_F64)
      std::memcpy(to + at, &cell.defaultValue, sizeof(double));
    else
      convert<double, int64_t>(
          reinterpret_cast<const char *>(&cell.defaultValue), to + at, 1);
  }
}

Status initialiseCells(const Unit &unit, const WriteCell &write) {
  TensorMap tensors;
  bool read = false;
  std::vector<char> bytes;
  for (const Cell &cell : unit.cells) {
    if (cell.init == "zero")
      continue;
    bytes.assign(static_cast<size_t>(cell.bytes), 0);
    if (cell.init == "setting") {
      fillSetting(cell, bytes.data());
    } else {
      if (!read)
        RB_TRY(readSafetensors(unit.code->weights, unit.code->weights_size,
                               tensors)
                   .annotate("weights of the unit"));
      read = true;
      RB_TRY(fillFromLayout(unit, cell, tensors, bytes.data()));
    }
    RB_TRY(write(cell, bytes.data()));
  }
  return Status::ok();
}

} // namespace rubato
