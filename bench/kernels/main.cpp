// How fast emitted kernels are, as a share of what the core can do: all of
// them and a loop of multiply-adds in one process, in turn, the best of many
// rounds, in CPU time of the process so that other programs count less.
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

/// A kernel with its buffers and its best time so far.
struct Candidate {
  Kernel kernel;
  std::vector<std::unique_ptr<float, FreeDeleter>> storage;
  std::vector<void *> arguments;
  double best = std::numeric_limits<double>::max();

  explicit Candidate(Kernel k) : kernel(std::move(k)) {
    for (int64_t count : kernel.buffers) {
      size_t bytes = (size_t(count) * sizeof(float) + 63) / 64 * 64;
      storage.emplace_back(static_cast<float *>(aligned_alloc(64, bytes)));
      float *data = storage.back().get();
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
  std::vector<Candidate> candidates(kernels.begin(), kernels.end());

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
  for (const Candidate &c : candidates)
    if (c.kernel.flops)
      printf("%-36s %8.1f us  %5.1f %%\n", c.kernel.label.c_str(), c.best * 1e6,
             100 * c.kernel.flops / c.best / peak);
    else
      printf("%-36s %8.1f us  %5.1f GB/s\n", c.kernel.label.c_str(),
             c.best * 1e6, c.kernel.bytes / c.best * 1e-9);
  return 0;
}
