// build-schedule: programs of kernel calls become programs over segments.
#include "ArenaPlanner.h"
#include "ProgramEmitter.h"
#include "UnitDescription.h"

#include "rubato/Schedule/Passes.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "llvm/ADT/StringSet.h"

namespace rubato {
#define GEN_PASS_DEF_BUILDSCHEDULE
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using sched::ArenaRegion;

static void emitArena(ModuleOp module, const Placement &placement,
                      int64_t privateBytes, int64_t scratchBytes) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  sched::ArenaOp::create(b, module.getLoc(), privateBytes, scratchBytes);
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

/// What the programs of @evaluate and @gradient are called until the functions
/// of these names are gone.
static constexpr StringLiteral evaluation = "evaluation",
                               differentiation = "differentiation";

/// A kernel that a node of the model gave the name of a buffer, a segment or a
/// program makes way for it.
static void renameKernels(ModuleOp module, const Placement &placement) {
  llvm::StringSet<> ours;
  for (auto kind : {nn::TrainingKind::Evaluate, nn::TrainingKind::Gradient})
    ours.insert(nn::symbolOf(kind));
  for (StringRef emitted : {evaluation, differentiation})
    ours.insert(emitted);
  for (auto &[part, name] : partsOf(module))
    ours.insert(name);
  for (const Buffer &buffer : placement.allBuffers())
    ours.insert(buffer.name);
  SymbolTable symbols(module);
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(kKernelAttr) && ours.contains(kernel.getName()))
      (void)symbols.rename(kernel, ("kernel." + kernel.getName()).str());
}

static LogicalResult scheduleProgram(ModuleOp module) {
  if (module.getOps<gsync::RoleOp>().empty())
    return module.emitError("schedule: needs a gsync.role; this pass takes a "
                            "module of the kernels stage");
  auto gradient =
      nn::TrainingSignature::findDefined(module, nn::TrainingKind::Gradient);
  auto evaluate =
      nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate);
  if (failed(gradient) || failed(evaluate))
    return failure();
  Placement placement;
  ProgramPlaces places(module, *gradient, *evaluate, placement);
  ProgramNumbers numbers(module);
  if (failed(places.run()))
    return failure();
  renameKernels(module, placement);
  ProgramEmitter emitter(module, places, numbers);
  for (auto &[part, name] : partsOf(module))
    if (failed(emitter.emitPart(part, name)))
      return failure();
  auto functionOf = [](const nn::TrainingSignature &signature) {
    return cast<func::FuncOp>(signature.getFunction().getOperation());
  };
  if (failed(emitter.emitFunction(functionOf(*evaluate), evaluation)) ||
      failed(emitter.emitFunction(functionOf(*gradient), differentiation)))
    return failure();
  // Places are final once sizes are asked for.
  int64_t privateBytes = placement.finish(ArenaRegion::Private);
  int64_t scratchBytes = placement.finish(ArenaRegion::Scratch);
  std::unique_ptr<Block> entries = describeProgram(module, places);
  eraseProgram(module);
  emitArena(module, placement, privateBytes, scratchBytes);
  for (auto [emitted, kind] :
       {std::pair(evaluation, nn::TrainingKind::Evaluate),
        std::pair(differentiation, nn::TrainingKind::Gradient)})
    module.lookupSymbol<sched::ProgramOp>(emitted).setSymName(
        nn::symbolOf(kind));
  placeEntries(module, *entries);
  return success();
}

namespace {

class BuildSchedule : public rubato::impl::BuildScheduleBase<BuildSchedule> {
public:
  using BuildScheduleBase::BuildScheduleBase;

  void runOnOperation() override {
    const TargetModel *model =
        TargetModel::findOrReport(target, getOperation());
    if (!model)
      return signalPassFailure();
    if (kArenaAlignment % model->alignment() != 0) {
      getOperation().emitError("target '")
          << model->name() << "' wants buffers aligned to "
          << model->alignment() << " bytes, the arena is aligned to "
          << kArenaAlignment;
      return signalPassFailure();
    }
    if (failed(scheduleProgram(getOperation())))
      return signalPassFailure();
    getOperation()->setAttr(
        kStageAttr, StringAttr::get(&getContext(), stageName(Stage::Schedule)));
  }
};

} // namespace
