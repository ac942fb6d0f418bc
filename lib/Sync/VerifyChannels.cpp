// Channels, mailboxes, rendezvous, policies and votes are used by everybody who
// must.
#include "VerifyChannels.h"
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCVERIFYCHANNELS
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// Members know which role they run.
static LogicalResult checkGroup(ModuleOp module, GroupOp group) {
  RoleOp first;
  for (auto role : module.getOps<RoleOp>()) {
    if (role.getGroup() != group.getSymName())
      continue;
    if (group.getRolesAttr()) {
      if (!llvm::is_contained(group.getRolesAttr(),
                              FlatSymbolRefAttr::get(role.getSymNameAttr())))
        return role.emitOpError(kSyncStage)
               << "is run by nobody: the roles of @" << group.getSymName()
               << " do not name it; add it to roles(…)";
      continue;
    }
    if (first)
      return role.emitOpError(kSyncStage)
             << "is the second role on @" << group.getSymName()
             << ", whose members do not know which to run; give the group "
                "roles(@a = 1, @b = rest)";
    first = role;
  }
  return success();
}

/// The group whose members an operation deals with, and the name by which it
/// says so.
static std::pair<FlatSymbolRefAttr, FlatSymbolRefAttr> groupOf(ModuleOp module,
                                                               Operation *op) {
  if (auto view = dyn_cast<ViewOp>(op))
    return {view.getGroupAttr(), view.getGroupAttr()};
  if (auto commit = dyn_cast<CommitOp>(op))
    return {commit.getGroupAttr(), commit.getGroupAttr()};
  FlatSymbolRefAttr name = channelOf(op);
  if (auto batch = dyn_cast<NextBatchOp>(op))
    name = batch.getAckedByAttr();
  auto channel = name ? module.lookupSymbol<ChannelOp>(name) : ChannelOp();
  return {channel ? channel.getGroupAttr() : FlatSymbolRefAttr(), name};
}

/// Members of one group are strangers to all others: they have no rank there,
/// and nobody there waits for them.
static LogicalResult checkMembership(ModuleOp module, RoleOp role) {
  WalkResult walk = role.walk([&](Operation *op) {
    auto [group, name] = groupOf(module, op);
    if (!group || group == role.getGroupAttr())
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError(kSyncStage) << "uses " << name;
    if (name != group)
      diag << " of group " << group;
    diag << ", but role @" << role.getSymName() << " runs on "
         << role.getGroupAttr() << ", whose members are not in it; "
         << (name == group ? "name " : "use a channel on ")
         << role.getGroupAttr() << ", or put the role on " << group;
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// A collective is reached by all members of its group, so by all its roles in
/// one order: only a group of one role can promise that.
static LogicalResult checkCollective(ModuleOp module, ChannelOp channel) {
  auto group = module.lookupSymbol<GroupOp>(channel.getGroup());
  if (!group.getRolesAttr() || group.getRolesAttr().size() < 2)
    return success();
  return channel.emitOpError(kSyncStage)
         << "is collective, but the members of @" << group.getSymName()
         << " run several roles, which do not use it in one order; use a "
            "mailbox, or a group of one role";
}

static LogicalResult checkUse(ModuleOp module, ChannelOp channel) {
  bool used = false;
  module.walk([&](Operation *op) {
    used |= channelOf(op) == FlatSymbolRefAttr::get(channel.getSymNameAttr());
  });
  if (!used)
    channel.emitWarning("'gsync.channel' op ")
        << kSyncStage << "is never used; remove it";
  switch (channel.getKind()) {
  case ChannelKind::Collective:
    return checkCollective(module, channel);
  case ChannelKind::Mailbox:
    return checkMailbox(module, channel);
  case ChannelKind::Pair:
    return success();
  }
  return success();
}

/// Two strands of one role meet; one alone would wait until the other has
/// ended, and a third would take somebody's place.
static LogicalResult checkRendezvous(ModuleOp module, RendezvousOp place) {
  llvm::SetVector<Operation *> strands;
  MeetOp last;
  WalkResult walk = module.walk([&](MeetOp meet) {
    if (meet.getRendezvous() != place.getSymName() || !partOf(meet))
      return WalkResult::advance();
    if (!isa<StrandOp>(partOf(meet))) {
      meet.emitOpError(kSyncStage)
          << "waits for another strand, but none runs during the "
          << describePart(partOf(meet)) << "; meet in strands only";
      return WalkResult::interrupt();
    }
    strands.insert(partOf(meet));
    last = meet;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (strands.empty() || (strands.size() == 2 && strands[0]->getParentOp() ==
                                                     strands[1]->getParentOp()))
    return success();
  return last.emitOpError(kSyncStage)
         << "meets at @" << place.getSymName() << ", which " << strands.size()
         << (strands.size() == 1 ? " strand uses" : " strands use")
         << "; a rendezvous is for exactly two strands of one role";
}

/// Whether `found` holds of an operation or, where it branches, of one on each
/// of its ways.
static bool holdsOnEveryPath(Operation *op,
                             function_ref<bool(Operation *)> found) {
  if (found(op))
    return true;
  return isBranch(op) && !maySkip(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return llvm::any_of(region.front(), [&](Operation &inner) {
             return holdsOnEveryPath(&inner, found);
           });
         });
}

/// Whether whoever passes `op` passes something behind it, in the same part,
/// for which `found` holds.
static bool isFollowedBy(Operation *op, function_ref<bool(Operation *)> found) {
  Operation *part = partOf(op);
  for (Operation *at = op; at != part; at = at->getParentOp())
    for (Operation *behind = at->getNextNode(); behind;
         behind = behind->getNextNode())
      if (holdsOnEveryPath(behind, found))
        return true;
  return false;
}

/// Samples of a queue are acknowledged by the next reduction of the strand that
/// took them.
static LogicalResult checkAcknowledged(ModuleOp module) {
  WalkResult walk = module.walk([](NextBatchOp batch) {
    Operation *part = partOf(batch);
    if (!part || !batch.getAckedByAttr())
      return WalkResult::advance();
    bool acknowledged = isFollowedBy(batch, [&](Operation *op) {
      return isCollective(op) && channelOf(op) == batch.getAckedByAttr();
    });
    if (acknowledged)
      return WalkResult::advance();
    batch.emitOpError(kSyncStage)
        << "is acknowledged by the next reduction on " << batch.getAckedByAttr()
        << ", but none follows on every path of the " << describePart(part)
        << ": its samples would never count as done; reduce on it behind the "
           "batch, under no further condition, or leave out acked_by";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// A question that nobody asks is a decision that nobody takes.
static void checkPolicy(ModuleOp module, PolicyOp policy) {
  llvm::SmallPtrSet<Attribute, 4> asked;
  module.walk([&](AskOp ask) { asked.insert(ask.getEntryAttr()); });
  for (auto entry : policy.getEntries().getOps<EntryOp>())
    if (!asked.contains(SymbolRefAttr::get(
            policy.getSymNameAttr(),
            {FlatSymbolRefAttr::get(entry.getSymNameAttr())})))
      entry.emitWarning("'gsync.entry' op ")
          << kSyncStage << "is never asked: what @" << policy.getSymName()
          << " decides has no effect; ask it, or remove it";
}

/// Where members come and go, a part of a round's samples may be missing: only
/// a vote says so to all alike.
static LogicalResult checkElastic(ModuleOp module, RoleOp role) {
  auto group = module.lookupSymbol<GroupOp>(role.getGroup());
  if (!group.getMin())
    return success();
  for (StrandOp strand : role.strands()) {
    Block &round = strand.getBody().front();
    WalkResult walk = strand.walk([&](NextBatchOp batch) {
      if (batch.getSource() != BatchSource::Cursor)
        return WalkResult::advance();
      // In the round's own block, so that nobody gets around it.
      Operation *last = round.findAncestorOpInBlock(*batch);
      if (llvm::any_of(round.getOps<CommitOp>(), [&](CommitOp commit) {
            return last->isBeforeInBlock(commit);
          }))
        return WalkResult::advance();
      batch.emitOpError(kSyncStage)
          << "reserves samples of a round in the elastic group @"
          << group.getSymName()
          << ", but no vote on the round follows it: where a member is lost, "
             "its samples would be left out; add gsync.commit behind it, under "
             "no condition";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult rubato::verifyChannels(ModuleOp module) {
  auto program = FlatProgram::get(module);
  if (failed(program))
    return failure();
  ModuleOp flat = program->module();
  for (auto group : flat.getOps<GroupOp>())
    if (failed(checkGroup(flat, group)))
      return failure();
  for (auto role : flat.getOps<RoleOp>())
    if (failed(checkMembership(flat, role)))
      return failure();
  for (auto channel : flat.getOps<ChannelOp>())
    if (failed(checkUse(flat, channel)))
      return failure();
  for (auto place : flat.getOps<RendezvousOp>())
    if (failed(checkRendezvous(flat, place)))
      return failure();
  if (failed(checkAcknowledged(flat)))
    return failure();
  for (auto policy : flat.getOps<PolicyOp>())
    checkPolicy(flat, policy);
  for (auto role : flat.getOps<RoleOp>())
    if (failed(checkOutstanding(role)) || failed(checkElastic(flat, role)))
      return failure();
  return success();
}

namespace {
class GsyncVerifyChannels
    : public rubato::impl::GsyncVerifyChannelsBase<GsyncVerifyChannels> {
  void runOnOperation() override {
    if (failed(verifyChannels(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
