// Kernels that no compiler made.
#pragma once

#include "abi/rubato_abi.h"

inline rb_kernel handKernel(const char *name, rb_kernel_fn fn,
                            int64_t argCount = 1) {
  return {name, {fn, nullptr}, argCount, 1, 0, 1, nullptr};
}
