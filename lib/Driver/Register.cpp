// Registration shared by every tool.
#include "rubato/Support/Register.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "dialects/sched/Sched.h"
#include "rubato/Import/Passes.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Schedule/Passes.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Target/CPU/Passes.h"
#include "rubato/Target/CPU/Target.h"
#include "rubato/Train/Passes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void rubato::registerTargets() {
  static bool once = (registerCPUTarget(), true);
  (void)once;
}

void rubato::registerDialects(mlir::DialectRegistry &registry) {
  registerTargets();
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nn::NnDialect>();
  registry.insert<gsync::GsyncDialect>();
  registry.insert<sched::SchedDialect>();
  nn::registerDifferentiableModels(registry);
}

void rubato::registerPasses() {
  mlir::registerAllPasses();
  registerImportPasses();
  registerTrainPasses();
  registerSyncPasses();
  registerKernelsPasses();
  registerCPUPasses();
  registerCPUPipelines();
  registerSchedulePasses();
}
