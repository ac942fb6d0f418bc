// The calls of compiled code by their names: in run logs, in logs of
// simulations, and in messages about calls that wait or fail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rubato {

/// Run logs have these numbers. The table may change all the same: a log is
/// replayed by the executable that wrote it.
enum class Call : uint8_t {
  None, // no call at all
#define RB_FACT(type, name, tag, method) tag,
#define RB_TAG(tag, text, words) tag,
#include "abi/calls.def"
};

struct CallNames {
  const char *text;
  const char *words; // of the numbers that are noted, separated by commas
};

inline constexpr CallNames callNames[] = {
    {"", ""},
#define RB_FACT(type, name, tag, method) {#name, ""},
#define RB_TAG(tag, text, words) {text, words},
#include "abi/calls.def"
};
inline constexpr size_t callCount = sizeof callNames / sizeof callNames[0];

/// "all_reduce", as programs are written.
constexpr const char *callName(Call call) {
  return callNames[static_cast<size_t>(call)].text;
}

} // namespace rubato
