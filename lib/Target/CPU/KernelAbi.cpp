// The C form of kernels: void(ptr args, i64 lo, i64 hi, ptr workspace) around
// the body. No kernel asks for a workspace yet.
#include "rubato/Support/KernelType.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {
#define GEN_PASS_DEF_CPUKERNELABIPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

using namespace mlir;

namespace {

/// Whether `body` has the shape that lowering leaves: addresses, then two i64.
bool isKernelBody(LLVM::LLVMFuncOp body) {
  ArrayRef<Type> inputs = body.getFunctionType().getParams();
  return inputs.size() >= 2 &&
         isa<LLVM::LLVMVoidType>(body.getFunctionType().getReturnType()) &&
         llvm::all_of(inputs.drop_back(2),
                      llvm::IsaPred<LLVM::LLVMPointerType>) &&
         llvm::all_of(inputs.take_back(2),
                      [](Type type) { return type.isInteger(64); });
}

/// Moves `body` out of the way of its own name and puts the C form there.
void wrapKernel(LLVM::LLVMFuncOp body) {
  ImplicitLocOpBuilder b(body.getLoc(), body->getContext());
  b.setInsertionPointAfter(body);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto wrapper = LLVM::LLVMFuncOp::create(b, body.getSymName(),
                                          rubato::kernelType(b.getContext()));
  wrapper->setAttr(rubato::kKernelAttr, body->removeAttr(rubato::kKernelAttr));
  body.setSymName((body.getSymName() + ".body").str());
  body.setLinkage(LLVM::Linkage::Internal);
  body.setAlwaysInline(true);

  b.setInsertionPointToStart(wrapper.addEntryBlock(b));
  Value args = wrapper.getArgument(0);
  SmallVector<Value> operands;
  unsigned addresses = body.getNumArguments() - 2;
  for (unsigned i = 0; i != addresses; ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, args,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    operands.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  operands.push_back(wrapper.getArgument(1));
  operands.push_back(wrapper.getArgument(2));
  LLVM::CallOp::create(b, body, operands);
  LLVM::ReturnOp::create(b, ValueRange{});
}

struct KernelAbi : rubato::impl::CPUKernelAbiPassBase<KernelAbi> {
  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> bodies;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      // A declaration stands for a kernel in another module.
      if (function->hasAttr(rubato::kKernelAttr) && !function.isExternal())
        bodies.push_back(function);
    for (LLVM::LLVMFuncOp body : bodies) {
      if (!isKernelBody(body)) {
        body.emitError() << "kernel '" << body.getSymName() << "' has the type "
                         << body.getFunctionType()
                         << "; expected addresses followed by two i64";
        return signalPassFailure();
      }
      wrapKernel(body);
    }

    WalkResult rest = getOperation().getBodyRegion().walk<WalkOrder::PreOrder>(
        [](Operation *op) {
          if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
            return WalkResult::advance();
          op->emitError() << "'" << op->getName()
                          << "' is left after lowering to the LLVM dialect; "
                             "no conversion of the CPU target takes it";
          return WalkResult::interrupt();
        });
    if (rest.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
