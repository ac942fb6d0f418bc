// Which form of a kernel runs, and with what memory.
#include "device/run_kernel.h"

#include "../common/hand_kernel.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace rubato;

namespace {

void base(void *const *args, int64_t, int64_t, void *) {
  *static_cast<int *>(args[0]) = 1;
}
void wide(void *const *args, int64_t, int64_t, void *) {
  *static_cast<int *>(args[0]) = 512;
}

TEST(RunKernel, TakesTheWidestFormThatThereIs) {
  Workspace workspace;
  int ran = 0;
  void *args[] = {&ran};
  rb_kernel kernel = handKernel("k", base);
  runKernel(kernel, args, 0, 1, workspace, RB_WIDTH_512);
  EXPECT_EQ(ran, 1);
  kernel.forms[RB_WIDTH_512] = wide;
  runKernel(kernel, args, 0, 1, workspace, RB_WIDTH_512);
  EXPECT_EQ(ran, 512);
  runKernel(kernel, args, 0, 1, workspace, RB_WIDTH_BASE);
  EXPECT_EQ(ran, 1);
}

/// Aligned, as large as it says, and the same again.
TEST(RunKernel, HasAWorkspace) {
  Workspace workspace;
  void *seen = nullptr;
  void *args[] = {&seen};
  rb_kernel kernel = handKernel(
      "k", [](void *const *args, int64_t, int64_t hi, void *workspace) {
        *static_cast<void **>(args[0]) = workspace;
        if (workspace)
          std::memset(workspace, 7, static_cast<size_t>(hi));
      });
  runKernel(kernel, args, 0, 0, workspace);
  EXPECT_EQ(seen, nullptr);
  kernel.workspace = 1000;
  runKernel(kernel, args, 0, kernel.workspace, workspace);
  void *first = seen;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  kernel.workspace = 10;
  runKernel(kernel, args, 0, kernel.workspace, workspace);
  EXPECT_EQ(seen, first);
  kernel.workspace = 100000;
  runKernel(kernel, args, 0, kernel.workspace, workspace);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(seen) % 64, 0u);
}

} // namespace
