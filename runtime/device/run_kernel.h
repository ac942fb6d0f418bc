// A kernel on this processor.
#pragma once

#include "abi/rubato_abi.h"
#include "support/block.h"

namespace rubato {

/// The widest vectors that this processor has.
rb_width widestVectors();

/// Memory that kernels of one thread use while they run; it grows as they need.
class Workspace {
public:
  void *atLeast(int64_t bytes);

private:
  SharedBlock block;
};

/// In its widest form that is not wider than `widest`.
void runKernel(const rb_kernel &kernel, void *const *args, int64_t lo,
               int64_t hi, Workspace &workspace,
               rb_width widest = widestVectors());

} // namespace rubato
