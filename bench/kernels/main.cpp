// How fast emitted kernels are, as a share of what the core can do: all of
// them and a loop of multiply-adds in one process, in turn, the best of many
// rounds, in CPU time of the process so that other programs count less. Each
// is measured with operands on cache lines and with operands beside them, as
// parameters lie in the flat vector, whose slots have no padding.
//
//   bench-kernels [rounds]
#include "FmaRate.h"
#include "Kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>

using namespace rubato::bench;

static double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

namespace {

struct FreeDeleter {
  void operator()(void *p) const { free(p); }
};

/// Floats from a cache line to operands that lie beside it.
constexpr int64_t beside = 10;

/// A kernel with its buffers and its best time so far.
struct Candidate {
  Kernel kernel;
  std::vector<std::unique_ptr<float, FreeDeleter>> storage;
  std::vector<void *> arguments;
  double best = std::numeric_limits<double>::max();

  Candidate(Kernel k, int64_t shift) : kernel(std::move(k)) {
    for (int64_t count : kernel.buffers) {
      size_t bytes = (size_t(count + shift) * sizeof(float) + 63) / 64 * 64;
      storage.emplace_back(static_cast<float *>(aligned_alloc(64, bytes)));
      float *data = storage.back().get() + shift;
      for (int64_t i = 0; i < count; ++i)
        data[i] = float(i % 97) / 97 - 0.5f;
      arguments.push_back(data);
    }
  }

  /// About a millisecond of work, after one call to warm the caches.
  void measure() {
    int repeat = kernel.flops ? std::max(1, int(1e8 / kernel.flops)) : 1;
    kernel.run(arguments.data(), 0, kernel.extent);
    double start = cpuSeconds();
    for (int i = 0; i < repeat; ++i)
      kernel.run(arguments.data(), 0, kernel.extent);
    best = std::min(best, (cpuSeconds() - start) / repeat);
  }

  /// The time, and the share of the peak or the traffic.
  void print(double peak) const {
    if (kernel.flops)
      printf("%10.1f us %5.1f %%   ", best * 1e6,
             100 * kernel.flops / best / peak);
    else
      printf("%10.1f us %5.1f GB/s", best * 1e6, kernel.bytes / best * 1e-9);
  }
};

} // namespace

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::max(1, atoi(argv[1])) : 50;
  std::vector<Kernel> kernels = perceptronKernels(128);
  for (Kernel &kernel : perceptronKernels(64))
    kernels.push_back(std::move(kernel));
  kernels.push_back(momentumKernel());
  double start = cpuSeconds();
  if (!compile(kernels)) {
    fprintf(stderr, "bench-kernels: the kernels do not compile\n");
    return 1;
  }
  double compileSeconds = cpuSeconds() - start;
  std::vector<Candidate> candidates;
  for (const Kernel &kernel : kernels)
    for (int64_t shift : {int64_t(0), beside})
      candidates.emplace_back(kernel, shift);

  constexpr int64_t steps = 200000;
  double peak = 0;
  volatile float sink = 0;
  for (int round = 0; round < rounds; ++round) {
    start = cpuSeconds();
    sink = runMultiplyAdds(steps);
    peak = std::max(peak, steps * multiplyAddFlops / (cpuSeconds() - start));
    for (Candidate &candidate : candidates)
      candidate.measure();
  }
  (void)sink;
  printf("%zu kernels compiled in %.2f s\n", kernels.size(), compileSeconds);
  printf("multiply-adds in registers: %.1f GFLOP/s\n", peak * 1e-9);
  printf("%-32s%16s%20s\n", "", "on lines", "beside");
  for (size_t i = 0; i < candidates.size(); i += 2) {
    printf("%-28s", candidates[i].kernel.label.c_str());
    candidates[i].print(peak);
    candidates[i + 1].print(peak);
    printf("\n");
  }
  return 0;
}
