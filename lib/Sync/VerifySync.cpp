// The contract of the sync stage, as a pass.
#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Sync/Passes.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYSYNC
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {

/// A future is consumed exactly once, in the block that made it.
LogicalResult verifyFuture(AllReduceOp start) {
  SmallVector<Operation *> users(start.getFuture().getUsers());
  if (users.size() == 1 && isa<AwaitOp>(users[0]) &&
      users[0]->getBlock() == start->getBlock())
    return success();
  InFlightDiagnostic diag =
      start.emitOpError("sync stage: its future must be awaited exactly once, "
                        "in the same block, but has ")
      << users.size() << " uses";
  for (Operation *user : users)
    diag.attachNote(user->getLoc()) << "used here";
  return diag;
}

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
    for (auto cell : module.getOps<CellOp>())
      if (failed(verifyStored(module, cell)))
        return signalPassFailure();
    WalkResult walk = module.walk([](AllReduceOp op) {
      if (!isa<StrandOp>(op->getParentOp())) {
        op.emitOpError("sync stage: a collective may not stand under a "
                       "condition or in a loop: every member must reach it; "
                       "move it to the strand's body");
        return WalkResult::interrupt();
      }
      return failed(verifyFuture(op)) ? WalkResult::interrupt()
                                      : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
