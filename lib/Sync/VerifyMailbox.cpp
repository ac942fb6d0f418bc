// The protocol of a mailbox: grant first, grant again, close.
#include "ProgramStructure.h"
#include "VerifyChannels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {
class MailboxChecker {
public:
  MailboxChecker(ModuleOp module, ChannelOp channel)
      : module(module), channel(channel),
        server(module.lookupSymbol<RoleOp>(*channel.getServer())) {}

  LogicalResult run() {
    return success(succeeded(checkRoles()) && succeeded(checkServer()) &&
                   succeeded(checkWorkers()) && succeeded(checkTypes()));
  }

private:
  bool isOn(Operation &op) {
    return channelOf(&op) == FlatSymbolRefAttr::get(channel.getSymNameAttr());
  }
  std::string name() { return ("@" + channel.getSymName()).str(); }

  LogicalResult checkRoles();
  LogicalResult checkServer();
  LogicalResult checkWorkers();
  LogicalResult checkTypes();
  LogicalResult checkGranted(CollectOp collect);
  bool grants(Block::iterator begin, Block::iterator end, NextOp next);

  ModuleOp module;
  ChannelOp channel;
  RoleOp server;
};
} // namespace

LogicalResult MailboxChecker::checkRoles() {
  auto group = module.lookupSymbol<GroupOp>(channel.getGroup());
  ArrayAttr roles = group.getRolesAttr();
  if (!roles || roles.size() < 2)
    return channel.emitOpError(kSyncStage)
           << "is a mailbox, but @" << group.getSymName()
           << " has no roles for its server and its workers; give the group "
              "roles(@server = 1, @worker = rest)";
  for (auto [role, count] :
       llvm::zip(roles.getAsRange<FlatSymbolRefAttr>(), *group.getCounts()))
    if (role.getAttr() == server.getSymNameAttr() && count == 1)
      return success();
  return channel.emitOpError(kSyncStage)
         << "has the server role " << channel.getServerAttr()
         << ", which is not one member of @" << group.getSymName()
         << "; a mailbox has exactly one server: = 1";
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

/// An operation of kind `Op` on the channel that a part always runs.
template <typename Op, typename Part, typename Pred>
static bool always(Part part, Pred isOn) {
  return part && llvm::any_of(part.getBody().front(), [&](Operation &op) {
           return isa<Op>(op) && isOn(op);
         });
}

LogicalResult MailboxChecker::checkServer() {
  auto on = [&](Operation &op) { return isOn(op); };
  if (!always<GrantOp>(server.part<InitOp>(), on))
    return server.emitOpError(kSyncStage)
           << "serves " << name()
           << " but hands out no first model: every worker would wait for "
              "ever; end its gsync.init with a gsync.grant to all";
  if (!always<CloseOp>(server.part<DrainOp>(), on))
    return server.emitOpError(kSyncStage)
           << "serves " << name()
           << " but never closes it: workers that pull would wait for ever; "
              "put gsync.close into its gsync.drain, under no condition";
  WalkResult walk = server.walk([&](Operation *op) {
    if (!isOn(*op))
      return WalkResult::advance();
    Operation *part = partOf(op);
    if (isa<CloseOp>(op) && !isa<DrainOp>(part)) {
      op->emitOpError(kSyncStage)
          << "stands in the " << describePart(part)
          << ", where rounds may still follow; close a mailbox in the drain";
      return WalkResult::interrupt();
    }
    auto collect = dyn_cast<CollectOp>(op);
    if (collect && !isa<StrandOp>(part)) {
      op->emitOpError(kSyncStage)
          << "stands in the " << describePart(part)
          << ", where nobody computes; collect in a strand";
      return WalkResult::interrupt();
    }
    return collect && failed(checkGranted(collect)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// What a condition is known to be where the round goes on: `go` is an `and` of
/// conditions, possibly negated.
static std::optional<bool> valueWhen(Value go, Value condition) {
  if (go == condition)
    return true;
  if (auto both = go.getDefiningOp<arith::AndIOp>()) {
    if (auto left = valueWhen(both.getLhs(), condition))
      return left;
    return valueWhen(both.getRhs(), condition);
  }
  for (auto [whole, part, result] :
       {std::tuple(go, condition, false), std::tuple(condition, go, false)})
    if (auto negated = whole.getDefiningOp<arith::XOrIOp>())
      if (negated.getLhs() == part && matchPattern(negated.getRhs(), m_One()))
        return result;
  return std::nullopt;
}

/// Whether every path through some operations on which the round goes on passes
/// a grant.
bool MailboxChecker::grants(Block::iterator begin, Block::iterator end,
                            NextOp next) {
  for (Operation &op : llvm::make_range(begin, end)) {
    if (isa<GrantOp>(op) && isOn(op))
      return true;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      continue;
    auto known = valueWhen(next.getGo(), branch.getCondition());
    auto side = [&](Region &region, bool when) {
      if (known && *known != when)
        return true; // not taken
      return !region.empty() &&
             grants(region.front().begin(), region.front().end(), next);
    };
    if (side(branch.getThenRegion(), true) &&
        side(branch.getElseRegion(), false))
      return true;
  }
  return false;
}

LogicalResult MailboxChecker::checkGranted(CollectOp collect) {
  auto strand = cast<StrandOp>(partOf(collect));
  auto next = cast<NextOp>(strand.getBody().front().getTerminator());
  for (Operation *at = collect; at != strand; at = at->getParentOp())
    if (grants(std::next(at->getIterator()), at->getBlock()->end(), next))
      return success();
  InFlightDiagnostic diag =
      collect.emitOpError(kSyncStage)
      << "is followed by no gsync.grant on a path that goes on: the workers "
         "it answers would wait for ever; grant behind it, under no condition "
         "or under the one that gsync.next takes";
  diag.attachNote(next.getLoc()) << "goes on here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

LogicalResult MailboxChecker::checkWorkers() {
  for (auto role : module.getOps<RoleOp>()) {
    if (role == server || role.getGroup() != channel.getGroup())
      continue;
    bool pulls = false;
    role.walk([&](PullOp op) { pulls |= isOn(*op); });
    if (!pulls)
      return role.emitOpError(kSyncStage)
             << "is a worker of " << name()
             << " but never pulls, so it never learns that the mailbox was "
                "closed; pull in its gsync.init and carry the future";
  }
  return success();
}

/// What goes in at one end comes out at the other: pushes at collects, grants
/// at pulls.
LogicalResult MailboxChecker::checkTypes() {
  Operation *first[2] = {}; // up, down
  SmallVector<Type> types[2];
  WalkResult walk = module.walk([&](Operation *op) {
    if (!isOn(*op) || !partOf(op))
      return WalkResult::advance();
    bool down = isa<GrantOp, PullOp>(op);
    SmallVector<Type> carried;
    if (auto push = dyn_cast<PushOp>(op))
      llvm::append_range(carried, push.getValues().getTypes());
    else if (auto collect = dyn_cast<CollectOp>(op))
      llvm::append_range(carried, collect.getValues().getTypes());
    else if (auto grant = dyn_cast<GrantOp>(op))
      llvm::append_range(carried, grant.getValues().getTypes());
    else if (auto pull = dyn_cast<PullOp>(op)) // ticket and go come last
      llvm::append_range(carried,
                         pull.getFuture().getType().getTypes().drop_back(2));
    else
      return WalkResult::advance();
    if (!first[down]) {
      first[down] = op;
      types[down] = carried;
    }
    if (types[down] == carried)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError(kSyncStage)
                              << "moves (" << carried << ") over " << name()
                              << ", but the other end expects (" << types[down]
                              << "); let both name the same types";
    diag.attachNote(first[down]->getLoc()) << "expected here";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult rubato::checkMailbox(ModuleOp module, ChannelOp channel) {
  return MailboxChecker(module, channel).run();
}
