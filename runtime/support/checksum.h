// A fast checksum of bytes: against damage and mistakes, not against malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rubato {

/// Of bytes that come piece by piece; how they are cut into pieces matters.
class Checksum {
public:
  void add(const void *bytes, size_t size);
  uint64_t value() const { return state; }

private:
  uint64_t state = 0x9ae16a3b2f90404fU;
};

uint64_t checksumOf(const void *bytes, size_t size);

/// 16 digits of base 16, as checksums are written down.
std::string checksumText(uint64_t checksum);

} // namespace rubato
