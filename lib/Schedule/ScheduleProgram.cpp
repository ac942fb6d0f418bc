// Schedules of programs with any number of roles and strands.
#include "ScheduleProgram.h"

#include "ProgramEmitter.h"
#include "UnitDescription.h"

#include "rubato/Support/Stage.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace rubato;
using sched::ArenaRegion;

/// Sizes of the regions; places are final once they are asked for.
static std::array<int64_t, 4> finishRegions(Placement &placement) {
  std::array<int64_t, 4> bytes;
  for (int region = 0; region < 4; ++region)
    bytes[region] = placement.finish(static_cast<ArenaRegion>(region));
  return bytes;
}

static void emitArena(ModuleOp module, const Placement &placement,
                      const std::array<int64_t, 4> &bytes) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  sched::ArenaOp::create(b, module.getLoc(), bytes[0], bytes[1], bytes[2],
                         bytes[3]);
  for (const Buffer &buffer : placement.allBuffers())
    sched::BufferOp::create(b, module.getLoc(), buffer.name, buffer.region,
                            buffer.offset, buffer.bytes);
}

/// The program's own declarations, and its functions of kernel calls.
static void eraseProgram(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (isa<gsync::GsyncDialect>(op.getDialect()) ||
        (function && !function->hasAttr(kKernelAttr)))
      op.erase();
  }
}

/// A kernel that a node of the model gave the name of a buffer, a segment or a
/// program makes way for it.
static void renameKernels(ModuleOp module, const Placement &placement) {
  llvm::StringSet<> ours;
  ours.insert("evaluate");
  for (auto &[part, name] : partsOf(module))
    ours.insert(name);
  for (const Buffer &buffer : placement.allBuffers())
    ours.insert(buffer.name);
  SymbolTable symbols(module);
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(kKernelAttr) && ours.contains(kernel.getName()))
      (void)symbols.rename(kernel, ("kernel." + kernel.getName()).str());
}

LogicalResult rubato::scheduleProgram(ModuleOp module) {
  if (module.getOps<gsync::RoleOp>().empty())
    return module.emitError("schedule: needs a gsync.role; this pass takes a "
                            "module of the kernels stage");
  auto evaluation =
      nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate);
  if (failed(evaluation))
    return failure();
  Placement placement(ArenaRegion::Scratch);
  ProgramPlaces places(module, *evaluation, placement);
  ProgramNumbers numbers(module);
  if (failed(places.run()))
    return failure();
  renameKernels(module, placement);
  ProgramEmitter emitter(module, places, numbers);
  for (auto &[part, name] : partsOf(module))
    if (failed(emitter.emitPart(part, name)))
      return failure();
  // The function of this name goes with the program.
  static constexpr StringLiteral evaluate = "evaluate", emitted = "evaluation";
  if (failed(emitter.emitFunction(
          cast<func::FuncOp>(evaluation->getFunction().getOperation()),
          emitted)))
    return failure();
  std::array<int64_t, 4> bytes = finishRegions(placement);
  std::unique_ptr<Block> entries = describeProgram(module, places);
  eraseProgram(module);
  emitArena(module, placement, bytes);
  module.lookupSymbol<sched::ProgramOp>(emitted).setSymName(evaluate);
  placeEntries(module, *entries);
  return success();
}
