// Executes a strand from one visible operation to the next: frames, regions
// and calls.
#include "tools/rubato-interp/Evaluate.h"
#include "tools/rubato-interp/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// Invisible operations of one step before a program is said to spin, and
/// regions and calls within one another.
static constexpr int64_t kMaxWork = 20'000'000;
static constexpr size_t kMaxFrames = 1000;

static bool isInAtomic(const Strand &strand) {
  return llvm::any_of(strand.frames, [](const Frame &frame) {
    return isa<AtomicOp>(frame.block->getParentOp());
  });
}

/// What needs nobody else, so that it may be done under the lock of an atomic.
/// The verifier knows this of an atomic's own body; functions that it calls are
/// known only here.
static bool mayStandInAtomic(Operation *op) {
  return !isa<GsyncDialect>(op->getDialect()) ||
         isa<LoadOp, NowOp, ZeroOp, SizeOp, YieldOp>(op);
}

bool Machine::isBranchOnOpaque(const Strand &strand, Operation *op) const {
  mlir::Value condition;
  if (auto choice = dyn_cast<scf::IfOp>(op))
    condition = choice.getCondition();
  else if (auto test = dyn_cast<scf::ConditionOp>(op))
    condition = test.getCondition();
  else if (auto next = dyn_cast<NextOp>(op))
    condition = next.getGo();
  return condition &&
         strand.slots[strand.frames.back().base + program.slot(condition)]
             .isOpaque();
}

bool Machine::isVisible(const Strand &strand, int rank, Operation *op) const {
  bool shared = program.roles[program.roleOfRank[rank]].strands.size() > 1;
  if (auto load = dyn_cast<LoadOp>(op)) {
    CellRole role =
        CellOp(program.cells[program.index(load.getCell())]).getRole();
    return shared && role != CellRole::Setting && role != CellRole::Frozen;
  }
  if (isa<AtomicOp>(op))
    return shared;
  if (auto ask = dyn_cast<AskOp>(op))
    return shared || policyOf(ask).getPlacement() == Placement::Central ||
           // What it answers may be a choice.
           (config.abstract &&
            policyOf(ask).getPlacement() == Placement::Local);
  if (auto batch = dyn_cast<NextBatchOp>(op))
    return batch.getSource() == BatchSource::Queue ||
           batch.getSource() == BatchSource::Peek;
  if (isa<ZeroOp, SizeOp, ReadyOp, QuantaOp, ViewOp, RoundSamplesOp,
          DataSamplesOp, StopRequestedOp, NowOp, YieldOp, RepeatOp>(op))
    return false;
  return isa<GsyncDialect>(op->getDialect()) || isBranchOnOpaque(strand, op);
}

Operation *Machine::operationOf(const World &world, int rank, int index) const {
  const Strand &strand = *world.members[rank]->strands[index];
  if (strand.status != Strand::Status::Running || strand.frames.empty())
    return nullptr;
  const Frame &frame = strand.frames.back();
  return frame.next ? frame.next : frame.block->getParentOp();
}

LogicalResult Machine::run(Here &here) {
  while (here.peek().status == Strand::Status::Running) {
    const Strand &strand = here.peek();
    const Frame &frame = strand.frames.back();
    if (!frame.next) {
      auto repeat = cast<RepeatOp>(frame.block->getParentOp());
      if (needsPoll(strand, frame, repeat))
        return success();
      if (failed(decideRepeat(here, std::nullopt)))
        return failure();
      continue;
    }
    Operation *op = frame.next;
    if (!mayStandInAtomic(op) && isInAtomic(strand))
      return error(here, op)
             << "'" << op->getName()
             << "' may not stand in a gsync.atomic, nor in a function that is "
                "called there: it could wait; move it in front of the atomic";
    if (isVisible(strand, here.rank, op) &&
        (isBranchOnOpaque(strand, op) || !isInAtomic(strand)))
      return success();
    if (++here.work > kMaxWork)
      return error(here, op) << "runs for ever without a visible step";
    if (strand.frames.size() > kMaxFrames)
      return error(here, op) << "regions and calls go too deep";
    bool wait = false;
    if (failed(runOperation(here, op, wait)))
      return failure();
    if (wait)
      return success();
  }
  return success();
}

void Machine::push(Here &here, Block &block, ArrayRef<Value> arguments) {
  Strand &strand = here.strand();
  Frame frame{&block, &block.front(), strand.frames.back().base};
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    if (!argument.use_empty())
      strand.slots[frame.base + program.slot(argument)] = value;
  strand.frames.push_back(frame);
}

void Machine::finish(Here &here, Operation *op, ArrayRef<Value> results) {
  Strand &strand = here.strand();
  Frame &frame = strand.frames.back();
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    strand.slots[frame.base + program.slot(result)] = value;
  for (unsigned slot : program.killsAfter(op))
    strand.slots[frame.base + slot] = Value();
  frame.next = op->getNextNode();
}

LogicalResult Machine::evaluateHere(Here &here, Operation *op) {
  SmallVector<Value> operands, results;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(here.get(operand, program));
  Environment captured;
  if (op->getNumRegions()) {
    llvm::SetVector<mlir::Value> outside;
    getUsedValuesDefinedAbove(op->getRegions(), outside);
    for (mlir::Value value : outside)
      captured[value] = here.get(value, program);
  }
  if (failed(evaluate(op, operands, results, &captured)))
    return failure();
  finish(here, op, results);
  return success();
}

LogicalResult Machine::call(Here &here, func::CallOp op) {
  func::FuncOp function = program.callee(op);
  SmallVector<Value> operands;
  for (mlir::Value operand : op.getOperands())
    operands.push_back(here.get(operand, program));
  if (config.timed) {
    spend(here, function.getSymName());
    if (program.isPure(function))
      for (StringRef name : program.callsOf(function))
        spend(here, name);
  }
  if (program.isPure(function)) {
    // Where most values are opaque, the same calls come again and again.
    Values *known = nullptr;
    if (config.abstract) {
      uint64_t hash = 0;
      for (const Value &operand : operands)
        hash = llvm::hash_combine(hash, operand.hash());
      known = &callResults[{function, hash}];
    }
    if (!known || known->size() != op.getNumResults()) {
      auto results = evaluateFunction(function, operands);
      if (failed(results))
        return error(here, op)
               << "the call of @" << function.getSymName() << " has no value";
      if (known)
        known->assign(results->begin(), results->end());
      finish(here, op, *results);
      return success();
    }
    finish(here, op, *known);
    return success();
  }
  Strand &strand = here.strand();
  unsigned base = strand.slots.size();
  strand.slots.resize(base + program.slotsOf(&function.getBody()));
  Block &block = function.getBody().front();
  strand.frames.push_back({&block, &block.front(), base});
  for (auto [argument, value] : llvm::zip(block.getArguments(), operands))
    if (!argument.use_empty())
      strand.slots[base + program.slot(argument)] = value;
  return success();
}

/// The operands of a terminator or region operation, from `first` on.
static Values read(const Strand &strand, const Program &program,
                   OperandRange operands) {
  Values values;
  for (mlir::Value operand : operands)
    values.push_back(
        strand.slots[strand.frames.back().base + program.slot(operand)]);
  return values;
}

LogicalResult Machine::runOperation(Here &here, Operation *op, bool &wait) {
  const Strand &strand = here.peek();
  if (op->hasTrait<OpTrait::IsTerminator>())
    return runTerminator(here, op, wait);
  if (auto callOp = dyn_cast<func::CallOp>(op))
    return call(here, callOp);
  if (auto repeat = dyn_cast<RepeatOp>(op))
    return beginRepeat(here, repeat);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    const Value &condition = here.get(choice.getCondition(), program);
    bool yes = condition.isOpaque() ? here.variant == 0 : condition.asInt();
    Region &region = yes ? choice.getThenRegion() : choice.getElseRegion();
    if (region.empty())
      finish(here, op, {});
    else
      push(here, region.front(), {});
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Values all = read(strand, program, op->getOperands());
    for (size_t i = 0; i != 3; ++i)
      if (all[i].isOpaque())
        return error(here, op) << "the bounds of this loop are data, which "
                                  "this mode does not look at";
    if (all[2].asInt() <= 0)
      return error(here, op)
             << "steps by " << all[2].asInt() << "; a step is positive";
    Values arguments{all[0]};
    arguments.insert(arguments.end(), all.begin() + 3, all.end());
    if (all[0].asInt() >= all[1].asInt()) {
      finish(here, op, ArrayRef(arguments).drop_front());
      return success();
    }
    push(here, *loop.getBody(), arguments);
    here.strand().frames.back().count = all[0].asInt();
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    push(here, *loop.getBeforeBody(), read(strand, program, op->getOperands()));
    return success();
  }
  if (isa<GsyncDialect>(op->getDialect()))
    return visible(here, op);
  return evaluateHere(here, op);
}

LogicalResult Machine::runTerminator(Here &here, Operation *op, bool &wait) {
  const Strand &strand = here.peek();
  Operation *owner = op->getParentOp();
  if (auto test = dyn_cast<scf::ConditionOp>(op)) {
    const Value &condition = here.get(test.getCondition(), program);
    bool yes = condition.isOpaque() ? here.variant == 0 : condition.asInt();
    Values values = read(strand, program, test.getArgs());
    here.strand().frames.pop_back();
    if (yes)
      push(here, *cast<scf::WhileOp>(owner).getAfterBody(), values);
    else
      finish(here, owner, values);
    return success();
  }
  Values values = read(strand, program, op->getOperands());
  if (isa<func::FuncOp>(owner)) {
    Strand &edited = here.strand();
    unsigned base = edited.frames.back().base;
    edited.frames.pop_back();
    edited.slots.resize(base);
    finish(here, edited.frames.back().next, values);
    return success();
  }
  if (auto next = dyn_cast<NextOp>(op)) {
    bool go = values[0].isOpaque() ? here.variant == 0 : values[0].asInt();
    values.erase(values.begin());
    return endRound(here, go, std::move(values));
  }
  if (isa<InitOp, DrainOp, ModelOp>(owner)) {
    wait = true;
    return endPart(here, std::move(values));
  }
  // Values of the block are dead: what yields reads was read above.
  for (unsigned slot : program.killsAfter(op))
    here.strand().slots[strand.frames.back().base + slot] = Value();
  Frame &frame = here.strand().frames.back();
  if (auto atomic = dyn_cast<AtomicOp>(owner)) {
    size_t count = atomic.getCells().size();
    Values &cells = here.member().cells.edit();
    for (size_t i = 0; i != count; ++i) {
      unsigned cell = program.index(
          cast<FlatSymbolRefAttr>(atomic.getCells()[i]).getValue());
      cells[cell] =
          isHidden(cell) ? Value::opaque(values[i].type()) : values[i];
    }
    here.strand().frames.pop_back();
    finish(here, owner, ArrayRef(values).drop_front(count));
    return success();
  }
  if (isa<RepeatOp>(owner)) {
    ++frame.count;
    frame.next = nullptr;
    for (auto [argument, value] :
         llvm::zip(frame.block->getArguments().drop_front(), values))
      here.strand().slots[frame.base + program.slot(argument)] = value;
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(owner)) {
    int64_t to = here.get(loop.getUpperBound(), program).asInt();
    int64_t step = here.get(loop.getStep(), program).asInt();
    Type type = loop.getInductionVar().getType();
    int64_t at = frame.count;
    here.strand().frames.pop_back();
    if (llvm::AddOverflow(at, step, at) || at >= to) {
      finish(here, owner, values);
      return success();
    }
    values.insert(values.begin(), Value::integer(type, at));
    push(here, *loop.getBody(), values);
    here.strand().frames.back().count = at;
    return success();
  }
  here.strand().frames.pop_back();
  if (auto loop = dyn_cast<scf::WhileOp>(owner))
    push(here, *loop.getBeforeBody(), values);
  else
    finish(here, owner, values);
  return success();
}

} // namespace rubato::interp
