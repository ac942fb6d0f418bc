// The contract of the kernels stage, as a pass.
#include "KernelGroups.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "dialects/nn/TrainingSignature.h"
#include "rubato/Kernels/KernelFacts.h"
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
    // The schedule of a program places batches and evaluations by the roles of
    // these; kernels alone need neither.
    if (!getOperation().getOps<gsync::RoleOp>().empty()) {
      auto find = [&](nn::TrainingKind kind) {
        return nn::TrainingSignature::findDefined(getOperation(), kind);
      };
      auto gradient = find(nn::TrainingKind::Gradient);
      if (failed(gradient))
        return signalPassFailure();
      auto evaluate = find(nn::TrainingKind::Evaluate);
      if (failed(evaluate) || failed(nn::verifySameBatch(*gradient, *evaluate)))
        return signalPassFailure();
    }
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
    return verifyFacts(kernel);
  }

  /// What a kernel says of itself is what later stages rely on.
  LogicalResult verifyFacts(func::FuncOp kernel) {
    if (!kernel->getAttrOfType<nn::KernelAttr>(kKernelAttr))
      return kernel.emitError("kernels stage: a kernel says what it is "
                              "(rubato.kernel = #nn.kernel<…>); run "
                              "form-kernels");
    Operation *obstacle = nullptr;
    KernelFacts said = KernelFacts::of(kernel);
    KernelFacts shown = KernelFacts::derive(kernel, &obstacle);
    if (said.kind != shown.kind)
      return kernel.emitError("kernels stage: a kernel of kind ")
             << nn::stringifyKernelKind(shown.kind) << " is said to be of kind "
             << nn::stringifyKernelKind(said.kind);
    if (said.indexByIndex && !shown.indexByIndex) {
      InFlightDiagnostic error = kernel.emitError(
          "kernels stage: is said to be computed index by index, but is not");
      error.attachNote(obstacle->getLoc()) << "because of this operation";
      return error;
    }
    if (said.split != 1 && said.split != shown.split)
      return kernel.emitError("kernels stage: a launch is said to have ")
             << said.split << " units, but "
             << (shown.split == 1 ? "the kernel is one unit"
                                  : "dimension 0 of its results has " +
                                        std::to_string(shown.split));
    if (said.workspace != 0)
      return kernel.emitError("kernels stage: needs ")
             << said.workspace
             << " bytes of workspace, which no launch hands over yet";
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
