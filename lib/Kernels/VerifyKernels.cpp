// The contract of the kernels stage, as a pass.
#include "KernelGroups.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Support/Stage.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "rubato/Kernels/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

class VerifyKernels : public rubato::impl::VerifyKernelsBase<VerifyKernels> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getOps()) {
      auto func = dyn_cast<func::FuncOp>(op);
      LogicalResult result = func && func->hasAttr(kKernelAttr)
                                 ? verifyKernel(func)
                                 : verifyProgram(&op);
      if (failed(result))
        return signalPassFailure();
    }
  }

  LogicalResult verifyKernel(func::FuncOp kernel) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    if (!llvm::all_of(kernel.getArgumentTypes(), isStatic) ||
        !llvm::all_of(kernel.getResultTypes(), isStatic))
      return kernel.emitError(
          "kernels stage: a kernel takes and gives tensors of static shape");
    if (kernel.isExternal() || !kernel.getBody().hasOneBlock())
      return kernel.emitError("kernels stage: a kernel has one block");
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (!isPure(&op) || isa<CallOpInterface>(op))
        return op.emitError(
            "kernels stage: a kernel is pure and calls nothing");
    return success();
  }

  LogicalResult verifyProgram(Operation *program) {
    WalkResult walk = program->walk([](Operation *op) {
      bool tensorWork =
          isPure(op) && !isView(op) && op->getNumResults() == 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()) &&
          !isa<gsync::ZeroOp, arith::ConstantOp, tensor::FromElementsOp>(op);
      if (!tensorWork)
        return WalkResult::advance();
      op->emitError("kernels stage: tensor work outside a kernel; run "
                    "form-kernels");
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }
};

} // namespace
