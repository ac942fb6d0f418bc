// The report of --explain: one function per section.
#include "Explain.h"

using namespace mlir;
using namespace rubato;

/// Kernels that become plain loops, and why.
static void explainKernels(ModuleOp module, const TargetModel &target,
                           const TargetOptions &options,
                           llvm::raw_ostream &os) {
  SmallVector<std::pair<func::FuncOp, std::string>> plain;
  unsigned count = 0;
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(kKernelAttr))
      continue;
    ++count;
    KernelCode code = target.codeOf(kernel, options);
    if (code.emitter.empty())
      plain.emplace_back(kernel, code.obstacle);
  }
  os << "kernels: " << count << " for " << target.name();
  if (plain.empty()) {
    os << ", none becomes plain loops\n";
    return;
  }
  os << ", " << plain.size()
     << " become plain loops, as with --kernels=reference:\n";
  for (auto &[kernel, why] : plain)
    os << "  " << kernel.getName() << " ("
       << nn::stringifyKernelKind(KernelFacts::of(kernel).kind) << "): " << why
       << "\n";
}

void rubato::explain(ModuleOp module, const TargetModel &target,
                     const TargetOptions &options, llvm::raw_ostream &os) {
  explainKernels(module, target, options, os);
}
