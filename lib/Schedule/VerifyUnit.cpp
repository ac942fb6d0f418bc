// sched-verify-unit: a module of the schedule stage has a unit, and the unit
// tells the truth about the code.
#include "UnitFacts.h"

#include "dialects/nn/Nn.h"
#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Schedule/Passes.h"
#include "rubato/Support/Stage.h"

namespace rubato {
#define GEN_PASS_DEF_SCHEDVERIFYUNITPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

constexpr StringLiteral remedy = "; let rubato-opt --describe-unit write it";

class VerifyUnit : public rubato::impl::SchedVerifyUnitPassBase<VerifyUnit> {
public:
  void runOnOperation() override {
    module = getOperation();
    unit = sched::UnitOp::of(module);
    if (!unit) {
      module.emitError("the module has no sched.unit, which says what an "
                       "executable runs")
          << remedy;
      return signalPassFailure();
    }
    UnitFacts facts(module);
    if (failed(checkEntries(facts)) || failed(checkLayouts()) ||
        failed(checkBuckets()) || failed(checkLaunches()) ||
        failed(checkNumbers()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult checkEntries(const UnitFacts &facts);
  LogicalResult checkLayouts();
  LogicalResult checkBuckets();
  LogicalResult checkLaunches();
  LogicalResult checkNumbers();

  /// An entry that says something else than the code.
  static LogicalResult differs(Operation *op, const Twine &what) {
    InFlightDiagnostic diag = op->emitOpError();
    if (auto name =
            op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      diag << '@' << name.getValue() << ' ';
    else if (auto strand = dyn_cast<sched::StrandOp>(op))
      diag << strand.getProgramAttr() << ' ';
    return diag << what << remedy;
  }

  ModuleOp module;
  sched::UnitOp unit;
};

} // namespace

LogicalResult VerifyUnit::checkEntries(const UnitFacts &facts) {
  if (int64_t(unit.getLocks()) != facts.locks())
    return differs(unit, "has " + Twine(unit.getLocks()) +
                             " locks, but programs name " +
                             Twine(facts.locks()));
  if (unit.getCommits() != facts.commits())
    return differs(unit, unit.getCommits()
                             ? "commits, but no program votes on its rounds"
                             : "does not commit, but programs vote on their "
                               "rounds");
  for (auto role : module.getOps<sched::RoleOp>())
    for (sched::StrandOp strand : role.strands()) {
      const ProgramFacts &does = facts.of(strand.getProgramAttr());
      if (strand.getCursor() != does.cursor)
        return differs(strand, does.cursor
                                   ? "takes batches by cursor but is not "
                                     "marked so"
                                   : "is marked cursor but takes no batch by "
                                     "it");
      if (strand.getLockstep() != does.lockstep)
        return differs(strand, does.lockstep
                                   ? "does something with all members but is "
                                     "not marked lockstep"
                                   : "is marked lockstep but does nothing with "
                                     "all members");
    }
  for (auto [i, channel] : llvm::enumerate(module.getOps<sched::ChannelOp>()))
    if (!channel.getBytes() || int64_t(*channel.getBytes()) != facts.bytes(i))
      return differs(channel, "must have bytes(" + Twine(facts.bytes(i)) +
                                  "), its largest message");
  for (auto [i, policy] : llvm::enumerate(module.getOps<sched::PolicyOp>()))
    if (policy.getAskersAttr() != facts.askers(i))
      return differs(policy, "has other askers than the roles that ask it");
  for (auto [i, place] : llvm::enumerate(module.getOps<sched::RendezvousOp>()))
    if (place.getStrandsAttr() != facts.meeting(i))
      return differs(place, "has other strands than those that meet there");
  return success();
}

/// Cells that start from a layout hold all of it.
LogicalResult VerifyUnit::checkLayouts() {
  for (auto cell : module.getOps<sched::CellOp>()) {
    if (!cell.getLayout())
      continue;
    auto layout = module.lookupSymbol<nn::LayoutOp>(cell.getLayoutAttr());
    if (!layout)
      return cell.emitOpError("names no nn.layout: ") << cell.getLayoutAttr();
    int64_t end = 0;
    for (nn::SlotAttr slot : layout.slots())
      end = std::max(end, slot.getOffset() + slot.getType().getNumElements());
    int64_t count = cast<RankedTensorType>(cell.getType()).getNumElements();
    if (count == end)
      continue;
    InFlightDiagnostic diag = cell.emitOpError("holds ")
                              << count << " elements, but the slots of "
                              << cell.getLayoutAttr() << " have " << end;
    diag.attachNote(layout.getLoc()) << "the layout is here";
    return diag;
  }
  return success();
}

LogicalResult VerifyUnit::checkBuckets() {
  auto parts = reducedParts(module);
  auto buckets = llvm::to_vector(module.getOps<sched::BucketOp>());
  if (parts.size() != buckets.size())
    return differs(unit, "has " + Twine(buckets.size()) +
                             " buckets, but segments reduce " +
                             Twine(parts.size()) + " parts");
  for (auto [bucket, part] : llvm::zip_equal(buckets, parts))
    if (int64_t(bucket.getOffset()) * sched::bytesOf(part.getType()) !=
            part.getOffset() ||
        int64_t(bucket.getCount()) != part.getCount())
      return differs(bucket, "is another part of the flat vector than the one "
                             "that is reduced");
  return success();
}

/// Numbers in the code are positions in the text.
/// Emitters ignore the part where a kernel is one unit.
LogicalResult VerifyUnit::checkLaunches() {
  SymbolTable symbols(module);
  WalkResult walk = module.walk([&](sched::LaunchOp launch) -> WalkResult {
    auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
    if (!kernel || !kernel->hasAttr(kKernelAttr))
      return success();
    int64_t split = KernelFacts::of(kernel).split;
    if (int64_t(launch.getHi()) <= split)
      return success();
    InFlightDiagnostic diag = launch.emitOpError("launches [")
                              << launch.getLo() << ", " << launch.getHi()
                              << "] of " << split
                              << (split == 1 ? " unit" : " units");
    diag.attachNote(kernel.getLoc()) << "the kernel is here";
    return failure();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult VerifyUnit::checkNumbers() {
  auto channels = llvm::to_vector(module.getOps<sched::ChannelOp>());
  auto policies = llvm::to_vector(module.getOps<sched::PolicyOp>());
  auto meetings = llvm::range_size(module.getOps<sched::RendezvousOp>());
  auto check = [](Operation *op, StringRef what, size_t number,
                  size_t count) -> LogicalResult {
    if (number < count)
      return success();
    return op->emitOpError("names ")
           << what << ' ' << number << ", but the module has " << count;
  };
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (isa<sched::StartOp, sched::ExchangeOp, sched::PullOp, sched::PushOp,
            sched::CollectOp, sched::GrantOp, sched::CloseOp, sched::WorkersOp,
            sched::ReadyOp>(op)) {
      auto number = op->getAttrOfType<IntegerAttr>("channel").getInt();
      return check(op, "channel", number, channels.size());
    }
    if (auto meet = dyn_cast<sched::MeetOp>(op))
      return check(op, "rendezvous", meet.getRendezvous(), meetings);
    auto ask = dyn_cast<sched::AskOp>(op);
    if (!ask)
      return success();
    if (failed(check(op, "policy", ask.getPolicy(), policies.size())))
      return failure();
    auto entries = llvm::to_vector(
        policies[ask.getPolicy()].getEntries().getOps<sched::EntryOp>());
    if (failed(check(op, "entry", ask.getEntry(), entries.size())))
      return failure();
    auto signature = cast<FunctionType>(entries[ask.getEntry()].getSignature());
    if (signature.getInputs() == ask.getInputs().getTypes() &&
        signature.getResults() == ask.getAnswers().getTypes())
      return success();
    InFlightDiagnostic diag =
        ask.emitOpError("asks otherwise than the entry is declared: ")
        << signature;
    diag.attachNote(entries[ask.getEntry()].getLoc()) << "the entry is here";
    return failure();
  });
  return failure(walk.wasInterrupted());
}
