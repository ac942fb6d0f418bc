#include "device/host_device.h"

namespace rubato {

const char *deviceName(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::Cpu:
    return "cpu";
  case DeviceKind::Trace:
    return "trace";
  default:
    return "apart";
  }
}

BatchBuffers batchBuffers(const Unit &unit, void *const *regions) {
  auto addressOf = [&](const BatchBuffer &buffer) -> void * {
    return static_cast<char *>(regions[buffer.region]) + buffer.offset;
  };
  BatchBuffers all;
  for (const BatchBuffer &buffer : unit.inputs)
    all.inputs.push_back(addressOf(buffer));
  for (const BatchBuffer &buffer : unit.labels)
    all.labels.push_back(addressOf(buffer));
  all.weights = addressOf(unit.weights);
  all.ids = static_cast<int64_t *>(addressOf(unit.ids));
  return all;
}

} // namespace rubato
