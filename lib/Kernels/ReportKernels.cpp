// Kernels that become plain loops, as remarks.
#include "rubato/Kernels/Passes.h"
#include "rubato/Target/TargetModel.h"

namespace rubato {
#define GEN_PASS_DEF_REPORTKERNELS
#include "rubato/Kernels/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

class ReportKernels : public rubato::impl::ReportKernelsBase<ReportKernels> {
public:
  using ReportKernelsBase::ReportKernelsBase;

  void runOnOperation() override {
    const TargetModel *model =
        TargetModel::findOrReport(target, getOperation());
    if (!model)
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttr))
        continue;
      KernelCode code = model->codeOf(kernel, {});
      if (code.emitter.empty())
        kernel.emitRemark("kernel '")
            << kernel.getName() << "' becomes plain loops: " << code.obstacle;
    }
  }
};

} // namespace
