// Registration shared by every tool.
#include "rubato/Support/Register.h"

#include "dialects/nn/Nn.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void rubato::registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nn::NnDialect>();
  nn::registerDifferentiableModels(registry);
}

void rubato::registerPasses() {
  mlir::registerAllPasses();
  registerKernelsPasses();
  registerCPUPasses();
  registerCPUPipelines();
}
