#include "state/dump.h"

#include "support/safetensors.h"

using namespace rubato;

Status rubato::dumpSlots(const Unit &unit, const void *flat,
                         const std::string &path,
                         const std::map<std::string, std::string> &metadata) {
  bool wide = unit.floatType == RB_F64;
  int64_t bytes = wide ? 8 : 4;
  TensorMap tensors;
  for (const Slot &slot : unit.layout) {
    TensorView view;
    view.dtype = wide ? TensorType::F64 : TensorType::F32;
    view.shape = slot.shape;
    view.data = static_cast<const char *>(flat) + slot.offset * bytes;
    view.size = slot.count * bytes;
    tensors[slot.name] = view;
  }
  return writeSafetensors(path, tensors, metadata);
}
