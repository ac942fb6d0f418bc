// Lets the algorithm write its program.
#include "dialects/gsync/Gsync.h"
#include "rubato/Support/Stage.h"
#include "rubato/Sync/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace rubato {
#define GEN_PASS_DEF_EXPANDALGORITHM
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {
class ExpandAlgorithm
    : public rubato::impl::ExpandAlgorithmBase<ExpandAlgorithm> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto trains = llvm::to_vector(module.getOps<gsync::TrainOp>());
    if (trains.size() != 1) {
      module.emitError("expected one gsync.train, found ") << trains.size();
      return signalPassFailure();
    }
    auto algorithm = cast<gsync::SyncAlgorithm>(trains[0].getAlgorithm());
    if (failed(algorithm.expand(trains[0])))
      return signalPassFailure();
    module->setAttr(kStageAttr,
                    StringAttr::get(&getContext(), stageName(Stage::Sync)));
  }
};
} // namespace
