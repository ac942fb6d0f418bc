// The passes of each stage.
#include "Pipeline.h"

#include "dialects/nn/Nn.h"
#include "rubato/Import/Passes.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Schedule/Manifest.h"
#include "rubato/Schedule/Passes.h"
#include "rubato/Schedule/Unit.h"
#include "rubato/Support/Version.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Target/ExtractKernels.h"
#include "rubato/Train/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace rubato;

static void addTrain(OpPassManager &pm, const CompileOptions &o) {
  BuildTrainingOptions train;
  train.loss = o.loss;
  train.optimizer = o.optimizer;
  train.momentum = o.momentum;
  train.nesterov = o.nesterov;
  train.weightDecay = o.weightDecay;
  train.decoupled = o.decoupledWeightDecay;
  train.beta1 = o.beta1;
  train.beta2 = o.beta2;
  train.epsilon = o.epsilon;
  train.schedule = o.schedule;
  train.stepEvery = o.stepEvery;
  train.stepFactor = o.stepFactor;
  train.warmup = o.warmup;
  pm.addPass(createVerifyImport());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createBuildTraining(train));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyTrain());
}

static void addSync(OpPassManager &pm, const CompileOptions &o) {
  ChooseAlgorithmOptions choose;
  choose.algorithm = o.algorithm;
  choose.given.assign(o.algorithmOptions.begin(), o.algorithmOptions.end());
  choose.learningRate = o.lr;
  pm.addPass(createChooseAlgorithm(choose));
  pm.addPass(createExpandAlgorithm());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifySync());
}

static void addKernels(OpPassManager &pm, const CompileOptions &o) {
  FormKernelsOptions kernels;
  kernels.target = o.target;
  pm.addPass(createFormKernels(kernels));
  pm.addNestedPass<func::FuncOp>(createNnToLinalgPass());
  pm.addPass(createVerifyKernels());
}

static void addSchedule(OpPassManager &pm, const CompileOptions &o) {
  BuildScheduleOptions schedule;
  schedule.target = o.target;
  pm.addPass(createBuildSchedule(schedule));
  pm.addPass(createCanonicalizerPass());
  if (!o.wholeReductions) {
    OverlapReductionsOptions overlap;
    overlap.bucketBytes = o.bucketBytes;
    overlap.target = o.target;
    pm.addPass(createOverlapReductions(overlap));
  }
  pm.addPass(createAssignLanes());
  pm.addPass(createPlaceNumbers());
  pm.addPass(createSchedVerifySegmentsPass());
  pm.addPass(createSchedVerifyProgramsPass());
  pm.addPass(createDescribeUnit());
  pm.addPass(createSchedVerifyUnitPass());
}

void rubato::addStagePasses(OpPassManager &pm, Stage stage,
                            const CompileOptions &options) {
  switch (stage) {
  case Stage::Train:
    return addTrain(pm, options);
  case Stage::Sync:
    return addSync(pm, options);
  case Stage::Kernels:
    return addKernels(pm, options);
  case Stage::Schedule:
    return addSchedule(pm, options);
  default:
    return; // import, llvm, obj and exe are not pass pipelines
  }
}

void rubato::addStageVerifier(OpPassManager &pm, Stage stage) {
  switch (stage) {
  case Stage::Import:
    return pm.addPass(createVerifyImport());
  case Stage::Train:
    return pm.addPass(createVerifyTrain());
  case Stage::Sync:
    return pm.addPass(createVerifySync());
  case Stage::Kernels:
    return pm.addPass(createVerifyKernels());
  case Stage::Schedule:
    // Launches rely on what kernels say of themselves.
    pm.addPass(createVerifyKernels());
    pm.addPass(createSchedVerifySegmentsPass());
    pm.addPass(createSchedVerifyProgramsPass());
    return pm.addPass(createSchedVerifyUnitPass());
  default:
    return; // the LLVM dialect has its own verifiers
  }
}

/// Runs one pipeline under the driver's usual instrumentation.
template <typename Build>
static LogicalResult runPipeline(ModuleOp module, TimingScope &timing,
                                 Build &&build) {
  PassManager pm(module.getContext());
  if (failed(applyPassManagerCLOptions(pm)))
    return failure();
  pm.enableTiming(timing);
  build(pm);
  return pm.run(module);
}

TargetOptions rubato::targetOptions(const CompileOptions &options) {
  return {options.kernels == "fast", options.march};
}

LogicalResult rubato::lowerToLLVM(ModuleOp module, const TargetModel &target,
                                  const CompileOptions &options,
                                  uint64_t weightsSize, TimingScope &timing) {
  ManifestExtras extras;
  extras.events = countEvents(module);
  extras.producer = versionString();
  std::string manifest = buildManifest(module, extras);
  UnitPrograms programs = unitPrograms(module);

  OwningOpRef<ModuleOp> kernels = extractKernels(module);
  if (failed(runPipeline(*kernels, timing,
                         [&](OpPassManager &pm) {
                           target.addKernelPasses(pm, targetOptions(options));
                         })) ||
      failed(runPipeline(module, timing,
                         [&](OpPassManager &pm) {
                           pm.addPass(createConvertSchedToLLVMPass());
                         })) ||
      failed(emitUnit(module, manifest, programs, weightsSize)))
    return failure();

  // One module again: definitions take the place of the declarations.
  SymbolTable symbols(module);
  for (Operation &op :
       llvm::make_early_inc_range(kernels->getBody()->getOperations())) {
    auto name = SymbolTable::getSymbolName(&op);
    if (Operation *declared = symbols.lookup(name)) {
      if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op); func && func.isExternal())
        continue;
      symbols.erase(declared);
    }
    // Only the unit is exported: kernels of two models never clash.
    if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op); func && !func.isExternal())
      func.setLinkage(LLVM::Linkage::Internal);
    op.moveBefore(module.getBody(), module.getBody()->end());
  }
  // What the manifest now says.
  for (auto layout : llvm::make_early_inc_range(module.getOps<nn::LayoutOp>()))
    layout.erase();
  module->setAttr(kStageAttr,
                  StringAttr::get(module.getContext(), stageName(Stage::Llvm)));
  return success();
}
