// Kernels given as text, compiled by the emitters and loaded.
#include "EmittedKernels.h"

#include "rubato/Kernels/Passes.h"
#include "rubato/Target/CPU/Passes.h"

#include "gtest/gtest.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace rubato::test;

std::unique_ptr<CompiledKernels>
rubato::test::compileEmitted(const std::string &text) {
  auto context = createContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return nullptr;
  mlir::PassManager pm(context.get());
  pm.addNestedPass<mlir::func::FuncOp>(rubato::createNnToLinalgPass());
  rubato::buildEmitKernelsPipeline(pm);
  if (failed(pm.run(*module)))
    return nullptr;
  module->walk([](mlir::func::FuncOp func) {
    EXPECT_EQ(func.getNumResults(), 0u) << func.getSymName().str();
  });
  auto kernels = std::make_unique<CompiledKernels>(*context, *module);
  EXPECT_TRUE(kernels->ok()) << kernels->error;
  return kernels;
}

std::vector<std::string> rubato::test::needs(const CompiledKernels &kernels) {
  std::vector<std::string> names = kernels.undefinedSymbols();
  std::erase_if(names, [](const std::string &name) {
    return name == "memset" || name == "memcpy";
  });
  return names;
}
