// At most one exchange and one pull of a strand are on their way at a time.
#include "ProgramStructure.h"
#include "VerifyChannels.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// The exchanges and pulls that a future may come from.
static void findStarts(Value future, DenseSet<Value> &seen,
                       SmallVectorImpl<Operation *> &starts) {
  if (!seen.insert(future).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(future)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto strand = dyn_cast<StrandOp>(owner);
    if (!strand)
      return;
    unsigned at = argument.getArgNumber();
    auto next = cast<NextOp>(strand.getBody().front().getTerminator());
    findStarts(next.getCarried()[at], seen, starts);
    auto role = strand->getParentOfType<RoleOp>();
    for (StrandOp before : role.strands()) {
      if (before == strand)
        break;
      at += before.getBody().getNumArguments();
    }
    if (auto init = role.part<InitOp>())
      findStarts(init.getBody().front().getTerminator()->getOperand(at), seen,
                 starts);
    return;
  }
  Operation *def = future.getDefiningOp();
  if (isa<ExchangeOp, PullOp>(def))
    starts.push_back(def);
  if (isBranch(def))
    for (Region &region : def->getRegions())
      if (!region.empty())
        findStarts(region.front().getTerminator()->getOperand(
                       cast<OpResult>(future).getResultNumber()),
                   seen, starts);
}

namespace {
/// Follows the futures that are on their way. Futures are consumed once on
/// every path (gsync-verify-futures), so alternatives end alike.
class OutstandingChecker {
public:
  LogicalResult run(Block &block) {
    for (Value argument : block.getArguments())
      if (isa<FutureType>(argument.getType()))
        live.insert(argument);
    for (Operation &op : block) {
      if (isa<ExchangeOp, PullOp>(op) && failed(checkStart(&op)))
        return failure();
      for (Value operand : op.getOperands())
        if (isa<AwaitOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
          live.remove(operand);
      if (isBranch(&op) || isLoop(&op)) {
        auto before = live;
        auto after = live;
        for (Region &region : op.getRegions()) {
          if (region.empty())
            continue;
          live = before;
          if (failed(run(region.front())))
            return failure();
          after = live;
        }
        live = after;
      }
      for (Value result : op.getResults())
        if (isa<FutureType>(result.getType()))
          live.insert(result);
    }
    return success();
  }

private:
  LogicalResult checkStart(Operation *op) {
    for (Value future : live) {
      DenseSet<Value> seen;
      SmallVector<Operation *> starts;
      findStarts(future, seen, starts);
      llvm::erase_if(starts, [&](Operation *start) {
        return start->getName() != op->getName() ||
               channelOf(start) != channelOf(op);
      });
      if (starts.empty())
        continue;
      InFlightDiagnostic diag =
          op->emitOpError(kSyncStage)
          << "starts while one of the same kind on " << channelOf(op)
          << " is on its way in this strand: at most one may be; await the "
             "other first";
      // A carried future may also come from this very operation.
      for (Operation *start : starts)
        if (start != op)
          diag.attachNote(start->getLoc()) << "still on its way from here";
      return diag;
    }
    return success();
  }

  llvm::SetVector<Value> live;
};
} // namespace

LogicalResult rubato::checkOutstanding(RoleOp role) {
  for (Operation &part : role.getBody().front())
    if (failed(OutstandingChecker().run(part.getRegion(0).front())))
      return failure();
  return success();
}
