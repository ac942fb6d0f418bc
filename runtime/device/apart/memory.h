// Addresses that the host cannot use.
//
// A bit that no address of a process has is set in every address of the device,
// so whoever uses one by mistake faults at once, on every machine: on x86-64 it
// is not canonical (or, with five levels of pages, never mapped), and on
// AArch64 it is below the byte that a processor may be told to ignore.
#pragma once

#include <cstdint>

namespace rubato::apart {

inline constexpr uintptr_t farAway = uintptr_t(1) << 52;

inline void *toDevice(void *address) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) ^
                                  farAway);
}

/// Only for what runs on lanes of the device.
inline char *toHost(const void *address) {
  return reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(address) ^
                                  farAway);
}

} // namespace rubato::apart
