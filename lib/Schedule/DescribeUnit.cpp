// describe-unit: adds to the entries of a unit what follows from its code, and
// writes the unit.
#include "UnitFacts.h"

#include "dialects/nn/Nn.h"
#include "rubato/Schedule/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace rubato {
#define GEN_PASS_DEF_DESCRIBEUNIT
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

class DescribeUnit : public rubato::impl::DescribeUnitBase<DescribeUnit> {
public:
  void runOnOperation() override {
    module = getOperation();
    eraseOld();
    describeCode();
    if (failed(describeBuckets()) || failed(describeUnit()))
      signalPassFailure();
  }

private:
  void eraseOld();
  void describeCode();
  LogicalResult describeBuckets();
  LogicalResult describeUnit();

  /// The first entry that fulfils a condition, or null.
  template <typename Op> Op find(function_ref<bool(Op)> wanted) {
    for (Op op : module.getOps<Op>())
      if (wanted(op))
        return op;
    return {};
  }
  FlatSymbolRefAttr programWith(sched::ResultKind kind) {
    auto result = find<sched::ResultOp>(
        [&](sched::ResultOp op) { return op.getKind() == kind; });
    return result ? result.getProgramAttr() : FlatSymbolRefAttr();
  }

  ModuleOp module;
};

} // namespace

/// The pass may run again after a change of the code.
void DescribeUnit::eraseOld() {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<sched::UnitOp, sched::BucketOp>(op))
      op.erase();
}

void DescribeUnit::describeCode() {
  UnitFacts facts(module);
  for (auto role : module.getOps<sched::RoleOp>())
    for (sched::StrandOp strand : role.strands()) {
      const ProgramFacts &does = facts.of(strand.getProgramAttr());
      strand.setCursor(does.cursor);
      strand.setLockstep(does.lockstep);
    }
  for (auto [i, channel] : llvm::enumerate(module.getOps<sched::ChannelOp>()))
    channel.setBytes(facts.bytes(i));
  auto set = [](Operation *op, StringAttr name, ArrayAttr list) {
    if (list)
      op->setAttr(name, list);
    else
      op->removeAttr(name);
  };
  for (auto [i, policy] : llvm::enumerate(module.getOps<sched::PolicyOp>()))
    set(policy, policy.getAskersAttrName(), facts.askers(i));
  for (auto [i, place] : llvm::enumerate(module.getOps<sched::RendezvousOp>()))
    set(place, place.getStrandsAttrName(), facts.meeting(i));
}

LogicalResult DescribeUnit::describeBuckets() {
  auto parts = reducedParts(module);
  auto flat = find<sched::CellOp>([](sched::CellOp cell) {
    return cell.getRole() == sched::CellRole::Parameter && cell.getLayout();
  });
  if (parts.empty() || !flat)
    return success();
  auto layout = module.lookupSymbol<nn::LayoutOp>(flat.getLayoutAttr());
  if (!layout)
    return flat.emitOpError("describe-unit: its layout is no nn.layout");
  OpBuilder b(module.getContext());
  // Behind what else says where things lie.
  b.setInsertionPointAfter(flat);
  for (auto result : module.getOps<sched::ResultOp>())
    b.setInsertionPointAfter(result);
  for (sched::TypedRangeAttr part : parts) {
    int64_t offset = part.getOffset() / sched::bytesOf(part.getType());
    SmallVector<StringRef> slots;
    for (nn::SlotAttr slot : layout.slots())
      // A border may lie inside of a slot, which then has a part in two.
      if (slot.getOffset() + slot.getType().getNumElements() > offset &&
          slot.getOffset() < offset + part.getCount())
        slots.push_back(slot.getName());
    sched::BucketOp::create(b, module.getLoc(), offset, part.getCount(),
                            b.getStrArrayAttr(slots));
  }
  return success();
}

LogicalResult DescribeUnit::describeUnit() {
  auto parameters = find<sched::CellOp>([](sched::CellOp cell) {
    return cell.getRole() == sched::CellRole::Parameter;
  });
  auto ids = find<sched::BatchBufferOp>([](sched::BatchBufferOp buffer) {
    return buffer.getPart() == sched::BatchPart::Ids;
  });
  FlatSymbolRefAttr evaluate = programWith(sched::ResultKind::Correct);
  FlatSymbolRefAttr gradient = programWith(sched::ResultKind::Gradient);
  if (!parameters || !ids || !evaluate || !gradient)
    return module.emitError("describe-unit: needs ")
           << (!parameters ? "a sched.cell of parameters"
               : !ids      ? "a sched.batch_buffer of ids"
               : !evaluate ? "a sched.result correct of the evaluation"
                           : "a sched.result gradient")
           << "; this pass takes what build-schedule writes";
  UnitFacts facts(module);
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  sched::UnitOp::create(b, module.getLoc(), ids.getTensorType().getDimSize(0),
                        getElementTypeOrSelf(parameters.getType()),
                        gradient.getValue(), evaluate.getValue(), facts.locks(),
                        facts.commits());
  return success();
}
