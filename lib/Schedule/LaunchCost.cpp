// How much a launch computes, for those who divide time over launches.
#include "LaunchCost.h"

#include "rubato/Kernels/KernelFacts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

double rubato::costOf(sched::LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel)
    return 1;
  auto iterations = static_cast<double>(iterationsOf(kernel));
  auto part = static_cast<double>(launch.getHi() - launch.getLo()) /
              static_cast<double>(KernelFacts::of(kernel).split);
  return std::max(iterations * part, 1.0);
}

void rubato::shareWork(sched::SegmentOp segment) {
  double total = 0, before = 0;
  for (auto launch : segment.getLine()->getOps<sched::LaunchOp>())
    total += costOf(launch);
  Builder b(segment.getContext());
  for (Operation &op : *segment.getLine()) {
    if (auto launch = dyn_cast<sched::LaunchOp>(op))
      before += costOf(launch);
    // Digits that people can read; nobody knows it better.
    double share = total > 0 ? before / total : 1;
    auto done = b.getF64FloatAttr(std::round(1e4 * share) / 1e4);
    if (auto ready = dyn_cast<sched::ReadyOp>(op))
      ready.setDoneAttr(done);
    else if (auto arrive = dyn_cast<sched::ArriveOp>(op))
      arrive.setDoneAttr(done);
  }
}
