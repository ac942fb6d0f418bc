// Four lanes of multiplications, so that memory is the limit and not the
// latency of one of them.
#include "support/checksum.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace rubato {

static uint64_t mix(uint64_t state, uint64_t word) {
  // The word is spread before it meets the state, so that changes of two words
  // that follow one another cannot undo each other easily.
  constexpr uint64_t first = 0x9e3779b97f4a7c15U, second = 0xd1b54a32d192ed03U;
  return std::rotl(state + word * first, 31) * second;
}

void Checksum::add(const void *bytes, size_t size) {
  constexpr size_t lanes = 4, block = lanes * 8;
  const char *at = static_cast<const char *>(bytes);
  uint64_t lane[lanes], words[lanes];
  for (size_t i = 0; i < lanes; ++i)
    lane[i] = state + i;
  for (size_t left = size; left > 0; left -= std::min(left, block)) {
    if (left < block)
      std::fill_n(words, lanes, 0);
    std::memcpy(words, at, std::min(left, block));
    for (size_t i = 0; i < lanes; ++i)
      lane[i] = mix(lane[i], words[i]);
    at += std::min(left, block);
  }
  state = mix(state, size);
  for (uint64_t each : lane)
    state = mix(state, each);
  state ^= state >> 32;
}

uint64_t checksumOf(const void *bytes, size_t size) {
  Checksum checksum;
  checksum.add(bytes, size);
  return checksum.value();
}

std::string checksumText(uint64_t checksum) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(checksum));
  return text;
}

} // namespace rubato
