// The report of --explain: one function per section.
#include "Explain.h"

#include "dialects/sched/Sched.h"
#include "rubato/Support/Stage.h"

#include "llvm/Support/Format.h"

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

/// What became of a start or an await, as overlap-reductions wrote it.
static StringRef overlapOf(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>(kOverlapAttr);
  return text ? text.getValue() : "whole: chosen by --whole-reductions";
}

/// Which reductions overlap with computing, and what stopped the others.
static void explainReductions(ModuleOp module, llvm::raw_ostream &os) {
  auto channels = llvm::to_vector(module.getOps<sched::ChannelOp>());
  SmallVector<sched::StartOp> starts;
  module.walk([&](sched::StartOp start) {
    if (start.getKind() == sched::StartKind::AllReduce)
      starts.push_back(start);
  });
  os << "reductions: " << starts.size() << (starts.empty() ? "\n" : ":\n");
  for (sched::StartOp start : starts) {
    os << "  @" << channels[start.getChannel()].getSymName() << " in "
       << start->getParentOfType<sched::ProgramOp>().getSymName() << "\n"
       << "    its operand leaves: " << overlapOf(start) << "\n"
       << "    its sum is used:    ";
    sched::AwaitOp await;
    for (Operation *user : start.getFuture().getUsers())
      if (auto found = dyn_cast<sched::AwaitOp>(user))
        await = found;
    os << (await ? overlapOf(await) : "whole: in a later round") << "\n";
  }
}

/// Bytes of the arena by region, and of values.
static void explainArena(ModuleOp module, llvm::raw_ostream &os) {
  auto arena = sched::ArenaOp::of(module);
  int64_t values = 0, bytes = 0;
  for (auto buffer : module.getOps<sched::BufferOp>())
    if (buffer.isValue()) {
      ++values;
      bytes += buffer.getBytes();
    }
  auto mega = [](int64_t count) {
    return llvm::format("%.2f MB", static_cast<double>(count) * 1e-6);
  };
  os << "arena: private " << mega(arena.getBytes(sched::ArenaRegion::Private))
     << " a member, scratch "
     << mega(arena.getBytes(sched::ArenaRegion::Scratch)) << " a strand, host "
     << arena.getBytes(sched::ArenaRegion::Host) << " bytes, " << values
     << " values of " << mega(bytes) << " in all\n";
}

void rubato::explain(ModuleOp module, const TargetModel &target,
                     const TargetOptions &options, llvm::raw_ostream &os) {
  explainKernels(module, target, options, os);
  if (!sched::ArenaOp::of(module))
    return; // of the kernels stage
  explainReductions(module, os);
  explainArena(module, os);
}
