// A unit written by hand, as the compiler would emit it: least squares with
// p = a.x + b on two inputs and a class 0 or 1, synchronous SGD.
#pragma once

#include "abi/rubato_abi.h"

#include <cstdint>

namespace rubato::test {

/// Runs at the start of every round, inside the worker. For accidents.
using RoundHook = void (*)(rb_ctx *ctx, int64_t round);
extern RoundHook roundHook;

/// The parameters a[0], a[1], b of this worker.
float *parametersOf(rb_ctx *ctx);

const rb_unit &fakeUnit();

/// What the template holds around and in place of the parameters.
inline constexpr char templateText[] = "head|aaaaaaaa|bbbb|tail";

} // namespace rubato::test
