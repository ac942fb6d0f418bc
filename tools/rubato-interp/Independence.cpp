// Which steps commute with everything that others can do: the reasons.
#include "tools/rubato-interp/Independence.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

Independence::Independence(Program &program) : program(program) {
  strandsOf.resize(program.roles.size());
  for (auto [index, role] : llvm::enumerate(program.roles))
    readRole(role, index);
  for (ChannelInfo &channel : program.channels)
    hasMailbox |= channel.op.getKind() == ChannelKind::Mailbox;
}

/// Counts, for cells and policies, the strands of a role that touch them.
/// Parts do not count: they run while no strand does.
void Independence::readRole(RoleInfo &role, unsigned index) {
  auto &counts = strandsOf[index];
  for (StrandOp strand : role.strands) {
    llvm::DenseSet<StringAttr> touched;
    llvm::DenseSet<Operation *> seen;
    std::function<void(Operation *)> visit = [&](Operation *root) {
      root->walk([&](Operation *op) {
        if (auto load = dyn_cast<LoadOp>(op))
          touched.insert(load.getCellAttr().getAttr());
        if (auto atomic = dyn_cast<AtomicOp>(op))
          for (auto cell : atomic.getCells().getAsRange<FlatSymbolRefAttr>())
            touched.insert(cell.getAttr());
        if (auto ask = dyn_cast<AskOp>(op))
          touched.insert(ask.getEntry().getRootReference());
        auto batch = dyn_cast<NextBatchOp>(op);
        if (isa<ViewOp, RoundSamplesOp, CommitOp>(op) ||
            (batch && batch.getSource() == BatchSource::Cursor))
          lookers.insert(strand);
        if (isa<StopRequestedOp>(op) && strand != role.strands.front())
          stopsElsewhere.insert(role.op);
        if (auto call = dyn_cast<func::CallOp>(op))
          if (func::FuncOp callee = program.callee(call))
            if (seen.insert(callee).second)
              visit(callee);
      });
    };
    visit(strand);
    for (StringAttr name : touched)
      ++counts[name];
  }
}

/// Hidden cells are opaque, so whoever reads or writes them when, they stay the
/// same.
bool Independence::isPrivate(const Machine &machine, unsigned role,
                             FlatSymbolRefAttr name) const {
  return machine.isHidden(program.index(name.getValue())) ||
         strandsOf[role].lookup(name.getAttr()) <= 1;
}

const Future *Independence::find(const World &world, int rank, int index,
                                 mlir::Value future) const {
  const Member &member = *world.members[rank];
  const Strand &strand = *member.strands[index];
  const Value &handle =
      strand.slots[strand.frames.back().base + program.slot(future)];
  if (!handle.isHandle())
    return nullptr;
  auto it = member.futures->find(handle.handleId());
  return it == member.futures->end() ? nullptr : &it->second;
}

/// Whether the next step of a part may be its last: nothing behind it in the
/// part is surely visible.
bool Independence::mayEndPart(unsigned role, const Strand &strand) const {
  bool shared = program.roles[role].strands.size() > 1;
  Operation *op = strand.frames.front().next;
  if (!op)
    return true;
  for (op = op->getNextNode(); op; op = op->getNextNode()) {
    if (isa<AwaitOp, AllReduceOp, AllGatherOp, ReduceScatterOp, BroadcastOp,
            ExchangeOp, PullOp, PushOp, CollectOp, GrantOp, CloseOp>(op) ||
        (shared && isa<AtomicOp>(op)))
      return false;
  }
  return true;
}

bool Independence::isLocal(const Machine &machine, const World &world, int rank,
                           int index, bool deaths) const {
  const Member &member = *world.members[rank];
  const Strand &strand = *member.strands[index];
  unsigned role = program.roleOfRank[rank];
  bool isPart = index == int(program.roles[role].strands.size());
  // Whoever fails for good is like one who died.
  bool losses = deaths || hasMailbox;
  Operation *op = machine.operationOf(world, rank, index);
  if (!op)
    return false;
  // The last step of a part begins the first round, or says goodbye. Whether a
  // death comes before or after that makes a difference.
  if (isPart && losses && mayEndPart(role, strand))
    return false;
  // An answer that is there stays, and nobody else looks at it.
  if (strand.wait != Wait::None)
    return true;

  // The state of a future changes once. A poll of what has completed may still
  // answer no, so both answers are there and will be: a strand's own choice.
  // Before the completion only "no" is: then the poll is not local.
  auto isDecided = [&](mlir::Value value) {
    const Future *future = find(world, rank, index, value);
    return future && future->state != Future::State::Pending;
  };
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return repeat.getUntil() && isDecided(repeat.getUntil());
  if (auto done = dyn_cast<DoneOp>(op))
    return isDecided(done.getFuture());
  // A completed future gives its values whenever it is asked. A failed one
  // begins the round again, which looks at who is alive.
  if (auto await = dyn_cast<AwaitOp>(op)) {
    const Future *future = find(world, rank, index, await.getFuture());
    return future && (future->state == Future::State::Complete ||
                      (future->state == Future::State::Failed && !losses));
  }

  // Cells and local policies of one strand are its own; what dies with it is
  // seen by nobody else.
  if (auto load = dyn_cast<LoadOp>(op))
    return isPart || isPrivate(machine, role, load.getCellAttr());
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return isPart ||
           llvm::all_of(
               atomic.getCells().getAsRange<FlatSymbolRefAttr>(),
               [&](auto cell) { return isPrivate(machine, role, cell); });
  if (auto ask = dyn_cast<AskOp>(op)) {
    PolicyOp policy =
        program.policies[program.index(ask.getEntry().getRootReference())].op;
    return policy.getPlacement() != Placement::Central &&
           (isPart ||
            strandsOf[role].lookup(ask.getEntry().getRootReference()) <= 1);
  }
  // Which samples a batch holds is not looked at.
  if (isa<NextBatchOp>(op))
    return true;
  // Both sides of a branch on what is not looked at are the strand's own
  // choice; but next also ends the round.
  if (isa<scf::IfOp, scf::ConditionOp>(op))
    return true;
  // The sibling cannot tell how long one has been waiting: it notices only by
  // coming to the same place, or not at all once it has ended, and then the
  // answer is false in either order.
  if (isa<MeetOp>(op))
    return true;

  // Joining a collective, an exchange or a vote can only complete futures of
  // others, whose polls may answer no nevertheless: so it commutes with all
  // that live members do. It does not with the death of the one who joins
  // (did it come before?).
  if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, BroadcastOp, ExchangeOp,
          CommitOp>(op))
    return !losses;
  // A boundary fixes who is there in the next round, which a death changes;
  // and the end of a member is noticed by others.
  if (auto next = dyn_cast<NextOp>(op)) {
    const Value &go =
        strand.slots[strand.frames.back().base + program.slot(next.getGo())];
    // Siblings notice the round of the first strand when they look whether
    // they are to stop.
    RoleInfo &info = program.roles[role];
    if (stopsElsewhere.count(info.op))
      return false;
    return !losses ||
           (!lookers.count(info.strands[index]) && go.isKnown() && go.asInt());
  }
  return false;
}

} // namespace rubato::interp
