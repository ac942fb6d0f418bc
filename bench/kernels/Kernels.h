// The kernels that are measured, compiled in this process.
#ifndef RUBATO_BENCH_KERNELS_KERNELS_H
#define RUBATO_BENCH_KERNELS_KERNELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace rubato::bench {

using KernelFn = void (*)(void *const *, int64_t, int64_t);

/// One kernel: `text` is its tensor form, under the symbol `name`.
struct Kernel {
  std::string name, label, text;
  double flops = 0; // or zero: measured by its traffic, `bytes`
  double bytes = 0;
  int64_t extent = 1;
  std::vector<int64_t> buffers; // floats of each operand and destination
  KernelFn run = nullptr;
};

/// The products of a perceptron 784-512-512-10 for a batch, forward and back,
/// with the epilogues that training gives them.
std::vector<Kernel> perceptronKernels(int64_t batch);

/// The update of its 670 000 parameters.
Kernel momentumKernel();

/// Compiles and loads; false after a message on standard error.
bool compile(std::vector<Kernel> &kernels);

} // namespace rubato::bench

#endif // RUBATO_BENCH_KERNELS_KERNELS_H
