// Lets the algorithm write its program: what is the same for all of them.
#include "rubato/Support/Stage.h"
#include "rubato/Sync/Algorithms.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace rubato {
#define GEN_PASS_DEF_EXPANDALGORITHM
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

/// Replaces `train` by the program of its algorithm.
static LogicalResult expand(gsync::TrainOp train) {
  gsync::AlgorithmAttr asked = train.getAlgorithm();
  NamedAlgorithm found = findAlgorithm(asked.getName());
  if (!found.algorithm)
    return train.emitOpError(unknownAlgorithm(asked.getName()));
  auto options = AlgorithmOptions::read(*found.algorithm, *found.configuration,
                                        asked.getOptions(), train);
  if (failed(options))
    return failure();
  auto builder = ProgramBuilder::create(train);
  if (failed(builder) || failed(found.build(*builder, *options)))
    return failure();
  train.erase();
  return success();
}

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
    if (failed(expand(trains[0])))
      return signalPassFailure();
    module->setAttr(kStageAttr,
                    StringAttr::get(&getContext(), stageName(Stage::Sync)));
  }
};
} // namespace
