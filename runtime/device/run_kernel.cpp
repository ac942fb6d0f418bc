#include "device/run_kernel.h"

namespace rubato {

rb_width widestVectors() {
#ifdef __x86_64__
  // What x86-64-v4 means: kernels may use all of it.
  static const bool wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? RB_WIDTH_512 : RB_WIDTH_BASE;
#else
  return RB_WIDTH_BASE;
#endif
}

void *Workspace::atLeast(int64_t bytes) {
  if (bytes > 0 && (!block || block->bytes < bytes))
    block = takeBlock(bytes);
  return block ? block->data : nullptr;
}

void runKernel(const rb_kernel &kernel, void *const *args, int64_t lo,
               int64_t hi, Workspace &workspace, rb_width widest) {
  int width = widest;
  while (width > RB_WIDTH_BASE && !kernel.forms[width])
    --width;
  kernel.forms[width](args, lo, hi, workspace.atLeast(kernel.workspace));
}

} // namespace rubato
