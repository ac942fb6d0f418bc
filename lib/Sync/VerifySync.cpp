// The contract of the sync stage, as a pass.
#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYSYNC
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {

/// The slots of a stored cell fill it exactly.
LogicalResult verifyStored(ModuleOp module, CellOp cell) {
  if (!cell.getLayoutAttr())
    return success();
  auto layout = module.lookupSymbol<nn::LayoutOp>(cell.getLayoutAttr());
  if (!layout)
    return cell.emitOpError("sync stage: names no nn.layout: ")
           << cell.getLayoutAttr();
  auto type = dyn_cast<RankedTensorType>(cell.getType());
  if (!type || type.getRank() != 1 || type.getDimSize(0) != layout.getSize())
    return cell.emitOpError("sync stage: has type ")
           << cell.getType() << " but " << cell.getLayoutAttr()
           << " describes a vector of " << layout.getSize() << " elements";
  return success();
}

class VerifySync : public rubato::impl::VerifySyncBase<VerifySync> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto train : module.getOps<TrainOp>()) {
      train.emitOpError("sync stage: the algorithm was not expanded; run "
                        "expand-algorithm");
      return signalPassFailure();
    }
    if (module.getOps<RoleOp>().empty()) {
      module.emitError("sync stage: has no gsync.role");
      return signalPassFailure();
    }
    if (llvm::none_of(module.getOps<RoleOp>(),
                      [](RoleOp role) { return role.part<ModelOp>(); })) {
      module.emitError(
          "sync stage: no role has a gsync.model, so nothing could "
          "be evaluated or exported; add one that yields the flat "
          "parameters");
      return signalPassFailure();
    }
    for (auto cell : module.getOps<CellOp>())
      if (failed(verifyStored(module, cell)))
        return signalPassFailure();
    // The later rules count on the earlier ones.
    if (failed(verifyFutures(module)) || failed(verifyUniformity(module)) ||
        failed(verifyCells(module)) || failed(verifyChannels(module)) ||
        failed(verifyFailure(module)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
