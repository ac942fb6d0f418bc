// Facts about the element types of the ABI.
#pragma once

#include "abi/rubato_abi.h"

#include <cstdint>

namespace rubato {

inline bool isDtype(int32_t dtype) {
  return dtype == RB_F32 || dtype == RB_F64 || dtype == RB_I64;
}

/// Bytes of one element.
inline int64_t elementBytes(int32_t dtype) { return dtype == RB_F32 ? 4 : 8; }

inline const char *dtypeName(int32_t dtype) {
  return dtype == RB_F32 ? "f32" : dtype == RB_F64 ? "f64" : "i64";
}

inline const char *regionName(int32_t region) {
  static const char *const names[] = {"private", "scratch", "host"};
  return region >= 0 && region < RB_REGION_COUNT ? names[region] : "unknown";
}

inline const char *laneName(int32_t lane) {
  return lane == RB_COMPUTE ? "compute" : "comm";
}

} // namespace rubato
