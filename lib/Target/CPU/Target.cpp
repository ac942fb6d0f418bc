// What the CPU answers to the stages before it.
#include "rubato/Target/CPU/Target.h"

#include "Emitters.h"

#include "rubato/Target/CPU/Link.h"
#include "rubato/Target/CPU/Passes.h"

using namespace mlir;
using namespace rubato;

namespace {

class CPUTarget : public TargetModel {
  StringRef name() const override { return "cpu"; }

  int64_t mostRecomputed() const override { return 4096; }
  KernelFacts describe(func::FuncOp kernel) const override {
    return KernelFacts::derive(kernel); // scratch lies on the stack
  }
  KernelCode codeOf(func::FuncOp kernel,
                    const TargetOptions &options) const override {
    if (!options.fastKernels)
      return {"", "chosen by --kernels=reference"};
    return cpu::findEmitter(kernel);
  }

  int64_t mostAhead() const override { return 0; } // launches are done at once
  int64_t bucketBytes() const override { return 1 << 20; }
  int64_t alignment() const override { return 64; } // a cache line

  void addKernelPasses(OpPassManager &pm,
                       const TargetOptions &options) const override {
    if (options.fastKernels)
      buildEmitKernelsPipeline(pm);
    buildKernelsToLLVMPipeline(pm);
  }
  LogicalResult emitObject(ModuleOp module, const TargetOptions &options,
                           SmallVectorImpl<char> &object) const override {
    CodeGenOptions codegen;
    if (!options.march.empty())
      codegen.march = options.march;
    return rubato::emitObject(module, codegen, object);
  }
  LogicalResult emitWeights(StringRef bytes, EmitError emitError,
                            SmallVectorImpl<char> &object) const override {
    return emitWeightsObject(bytes, emitError, object);
  }
  std::string linkFiles(StringRef executable) const override {
    return linkFilesDirectory(executable);
  }
  LogicalResult link(ArrayRef<StringRef> objects, StringRef linkFiles,
                     StringRef output, EmitError emitError,
                     const LinkOptions &options) const override {
    return linkExecutable(objects, linkFiles, output, emitError, options);
  }
};

} // namespace

void rubato::registerCPUTarget() {
  TargetModel::add(std::make_unique<CPUTarget>());
}
