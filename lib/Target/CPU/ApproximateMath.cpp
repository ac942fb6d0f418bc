// cpu-approximate-math: transcendentals of kernels as arithmetic.
#include "rubato/Support/Stage.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rubato {
#define GEN_PASS_DEF_CPUAPPROXIMATEMATHPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

using namespace mlir;

namespace {

bool isF32Math(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// The operations of math that are instructions.
bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

struct ApproximateMath
    : rubato::impl::CPUApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(rubato::kKernelAttr))
      return;
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isF32Math(op) && !isInstruction(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    // Written with operations that have an approximation of their own.
    math::populateExpansionPatterns(patterns,
                                    {"exp2", "powf", "rsqrt", "sinh", "cosh",
                                     "tan", "asinh", "acosh", "atanh"});
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(ops, std::move(patterns), config);

    WalkResult rest = getOperation().walk([&](Operation *op) {
      if (!isF32Math(op) || isInstruction(op))
        return WalkResult::advance();
      op->emitError() << "kernel '" << getOperation().getSymName() << "': '"
                      << op->getName()
                      << "' has no form in f32 without a call to libm; write "
                         "it with operations that have one, or use f64";
      return WalkResult::interrupt();
    });
    if (rest.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
