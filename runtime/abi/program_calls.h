// What the C functions of programs share.
#pragma once

#include "abi/context_impl.h"

namespace rubato {

/// Keeps an error of the environment and says what the code is told of it.
int32_t finishCall(rb_ctx *ctx, Status status);

/// The strand of a context; null, with an error, where there is none.
Strand *strandOf(rb_ctx *ctx, const char *call);

} // namespace rubato
