// Devices whose memory is the host's.
#pragma once

#include "device/device.h"
#include "support/memory.h"

#include <cstring>
#include <vector>

namespace rubato {

/// The batch buffers of a unit at these regions.
BatchBuffers batchBuffers(const Unit &unit, void *const *regions);

/// A strand whose values and batches the host reaches.
class HostDevice : public Device {
public:
  explicit HostDevice(const DeviceSetup &setup)
      : setup(setup), buffers(batchBuffers(setup.unit, setup.regions)) {}

  SharedBlock take(int64_t bytes) final {
    return setup.blocks ? setup.blocks->take(bytes) : takeBlock(bytes);
  }
  rb_status copyBlock(void *to, const void *from, int64_t bytes) final {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return RB_OK;
  }
  const BatchBuffers &batch() final { return buffers; }

protected:
  DeviceSetup setup;
  BatchBuffers buffers;
};

class HostMemberDevice : public MemberDevice {
public:
  Status memory(int64_t bytes, const char *purpose, bool atOnce,
                void *&base) final {
    Memory block;
    RB_TRY(Memory::privateMemory(bytes, purpose, block));
    if (atOnce)
      block.touch();
    base = block.data();
    blocks.push_back(std::move(block));
    return Status::ok();
  }
  Status read(void *to, const void *from, int64_t bytes) final {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return Status::ok();
  }
  Status write(void *to, const void *from, int64_t bytes) final {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return Status::ok();
  }

private:
  std::vector<Memory> blocks;
};

} // namespace rubato
