// What the programs written by hand have in common.
#pragma once

#include "common/hand_unit.h"

#include <cstring>

#define HAND_TRY(call)                                                         \
  do {                                                                         \
    if (int32_t status = (call))                                               \
      return status;                                                           \
  } while (false)

namespace rubato::test {

inline rb_range at(size_t offset, rb_dtype dtype, int64_t count) {
  return {RB_PRIVATE, dtype, int64_t(offset), count};
}

inline void sumRanges(size_t base, rb_range (&ranges)[4]) {
  ranges[0] = at(base + offsetof(HandSum, g), RB_F32, 3);
  ranges[1] = at(base + offsetof(HandSum, samples), RB_I64, 1);
  ranges[2] = at(base + offsetof(HandSum, loss), RB_F64, 1);
  ranges[3] = at(base + offsetof(HandSum, stop), RB_I64, 1);
}

inline int32_t copyModel(rb_ctx *ctx, int32_t *) {
  HandPrivate &p = handPrivate(ctx);
  std::memcpy(p.model, p.w, sizeof p.w);
  return RB_OK;
}

inline nlohmann::json strand(const char *name, int function,
                             bool shared = false) {
  return {{"name", name},
          {"function", function},
          {"cursor", shared},
          {"lockstep", shared},
          {"polls", nlohmann::json::array()},
          {"frame", nlohmann::json::array()}};
}

inline nlohmann::json channel(const char *name, const char *kind,
                              const char *server = "") {
  return {{"name", name},     {"kind", kind}, {"bytes", 256},
          {"server", server}, {"exempt", 0},  {"ahead", -1}};
}

inline nlohmann::json programOf(nlohmann::json functions, nlohmann::json roles,
                                nlohmann::json channels) {
  return {{"functions", functions},
          {"roles", roles},
          {"channels", channels},
          {"policies", nlohmann::json::array()},
          {"rendezvous", nlohmann::json::array()},
          {"locks", 1},
          {"commits", false}};
}

} // namespace rubato::test
