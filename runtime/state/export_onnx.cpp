#include "state/export_onnx.h"

#include "support/atomic_file.h"
#include "support/safetensors.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace rubato;

static Status damaged(const std::string &what) {
  return {ErrorCode::Internal, "the ONNX template in this executable is "
                               "damaged (" +
                                   what + "); compile the model again"};
}

static const Slot *findSlot(const Unit &unit, const std::string &name) {
  for (const Slot &slot : unit.layout)
    if (slot.name == name)
      return &slot;
  return nullptr;
}

/// Finds the template and checks every patch against it.
static Status openTemplate(const Unit &unit, TensorView &tensor) {
  if (unit.templateTensor.empty())
    return {ErrorCode::Unsupported,
            "this executable holds no ONNX template, so --save has nothing to "
            "write; use --dump-parameters, or compile the model again"};
  RB_TRY(findTensor(unit.code->weights, unit.code->weights_size,
                    unit.templateTensor, tensor));
  for (const TemplatePatch &patch : unit.patches) {
    const Slot *slot = findSlot(unit, patch.slot);
    if (!slot)
      return damaged("no slot '" + patch.slot + "'");
    if (patch.offset < 0 || patch.bytes < 0 || patch.offset > tensor.size ||
        patch.bytes > tensor.size - patch.offset)
      return damaged("'" + patch.slot + "' lies outside");
    if (patch.bytes != slot->count * 4 && patch.bytes != slot->count * 8)
      return damaged("'" + patch.slot + "' has the wrong size");
  }
  return Status::ok();
}

Status rubato::checkTemplate(const Unit &unit) {
  TensorView tensor;
  return openTemplate(unit, tensor);
}

/// Copies elements from one float type to another; the same type keeps bits.
template <class From, class To>
static void copyElements(const char *from, char *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    auto converted = static_cast<To>(value);
    std::memcpy(to + i * sizeof(To), &converted, sizeof(To));
  }
}

Status rubato::saveOnnx(const Unit &unit, const void *flat,
                        const std::string &path) {
  TensorView tensor;
  RB_TRY(openTemplate(unit, tensor));
  std::vector<char> model(static_cast<size_t>(tensor.size));
  std::memcpy(model.data(), tensor.data, model.size());
  bool wide = unit.floatType == RB_F64;
  for (const TemplatePatch &patch : unit.patches) {
    const Slot &slot = *findSlot(unit, patch.slot);
    const char *from =
        static_cast<const char *>(flat) + slot.offset * (wide ? 8 : 4);
    char *to = model.data() + patch.offset;
    bool wideModel = patch.bytes == slot.count * 8;
    if (wide == wideModel)
      std::memcpy(to, from, static_cast<size_t>(patch.bytes));
    else if (wide)
      copyElements<double, float>(from, to, slot.count);
    else
      copyElements<float, double>(from, to, slot.count);
  }
  return writeFileAtomically(path, {{model.data(), model.size()}});
}
