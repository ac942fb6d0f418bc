// All ways through one program: every state that can be reached is looked at
// once. States are not joined where paths meet, so a message is about a path
// that there is. There are few: a value is filled or not, its own or not, and
// paths that left the same behind are one.
#include "ProgramPaths.h"

#include "ProofNumbers.h"

using namespace mlir;
using namespace rubato;
using Kind = Number::Kind;

bool ProgramPaths::isTooMany(Operation *op, const StateSet &states) {
  constexpr size_t mostStates = 1 << 14;
  if (states.size() <= mostStates)
    return false;
  rules.refuse(op, "has too many ways through it to look at all");
  return true;
}

std::optional<ProofState> ProgramPaths::pass(ValueRange values, ValueRange to,
                                             Block &block, ProofState state,
                                             bool widen) {
  SmallVector<Number> numbers;
  for (Value value : values)
    numbers.push_back(numberOf(value, state));
  state.leave(&block);
  for (auto [target, number] : llvm::zip_equal(to, numbers))
    state.set(target, widen && !target.getType().isInteger(1) ? widened(number)
                                                              : number);
  if (!rules.checkHandles(block.getTerminator(), state))
    return std::nullopt;
  return state;
}

void ProgramPaths::runIf(scf::IfOp op, const ProofState &from, StateSet &to) {
  auto [holds, fails] = branch(op.getCondition(), from);
  auto take = [&](std::optional<ProofState> &state, Region &region) {
    if (!state)
      return;
    if (region.empty()) {
      to.insert(*state);
      return;
    }
    Block &block = region.front();
    StateSet start;
    start.insert(*state);
    for (ProofState &end : runBlock(block, start).list())
      if (auto next = pass(block.getTerminator()->getOperands(),
                           op.getResults(), block, std::move(end)))
        to.insert(*next);
  };
  take(holds, op.getThenRegion());
  take(fails, op.getElseRegion());
}

/// How many bodies a loop has in a state: at least, and at most.
static std::pair<int64_t, int64_t> tripsOf(scf::ForOp op,
                                           const ProofState &state) {
  Number lower = numberOf(op.getLowerBound(), state);
  Number upper = numberOf(op.getUpperBound(), state);
  Number step = numberOf(op.getStep(), state);
  if (lower.kind == Kind::Exact && upper.kind == Kind::Exact && step.is(1)) {
    int64_t trips = std::max<int64_t>(upper.value - lower.value, 0);
    return {trips, trips};
  }
  if (lower.is(0) && upper.isPositive())
    return {1, INT64_MAX};
  if (lower.is(0) && upper.isNotPositive())
    return {0, 0};
  return {0, INT64_MAX};
}

void ProgramPaths::runFor(scf::ForOp op, const ProofState &from, StateSet &to) {
  // Bound by bound, so that others who ask know whether there was a body.
  SmallVector<ProofState> starts{from};
  if (tripsOf(op, from) == std::pair<int64_t, int64_t>(0, INT64_MAX) &&
      numberOf(op.getLowerBound(), from).is(0)) {
    starts.push_back(from);
    starts[0].set(op.getUpperBound(), {Kind::Positive});
    starts[1].set(op.getUpperBound(), {Kind::NotPositive});
  }
  Block &body = *op.getBody();
  struct Head {
    ProofState state;
    bool first;
    int64_t least, most; // of the loop's bodies
  };
  std::vector<Head> heads;
  for (ProofState &start : starts) {
    auto [least, most] = tripsOf(op, start);
    std::optional<ProofState> next =
        pass(op.getInitArgs(), op.getRegionIterArgs(), body, start);
    if (least == 0)
      if (auto none =
              pass(op.getInitArgs(), op.getResults(), body, std::move(start)))
        to.insert(*none);
    if (most > 0 && next)
      heads.push_back({std::move(*next), true, least, most});
  }
  StateSet seen;
  while (!heads.empty()) {
    Head head = std::move(heads.back());
    heads.pop_back();
    Number lower = numberOf(op.getLowerBound(), head.state);
    Number later = lower.kind == Kind::Exact && lower.value >= 0
                       ? Number{Kind::Positive}
                       : Number();
    head.state.set(op.getInductionVar(), head.first ? lower : later);
    if (!seen.insert(head.state))
      continue;
    if (isTooMany(op, seen))
      return;
    for (bool last : {false, true}) {
      if (head.first && (last ? head.least > 1 : head.most == 1))
        continue;
      ProofState state = head.state;
      if (last)
        state.lastBodies.push_back(op);
      StateSet start;
      start.insert(state);
      for (ProofState &end : runBlock(body, start).list()) {
        if (last)
          end.lastBodies.pop_back();
        ValueRange yields = body.getTerminator()->getOperands();
        ValueRange target = last ? ValueRange(op.getResults())
                                 : ValueRange(op.getRegionIterArgs());
        auto next = pass(yields, target, body, std::move(end), true);
        if (next && last)
          to.insert(*next);
        else if (next)
          heads.push_back({std::move(*next), false, head.least, head.most});
      }
    }
  }
}

void ProgramPaths::runWhile(scf::WhileOp op, const ProofState &from,
                            StateSet &to) {
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  std::vector<ProofState> heads;
  if (auto first = pass(op.getInits(), before.getArguments(), before, from))
    heads.push_back(std::move(*first));
  StateSet seen;
  while (!heads.empty()) {
    StateSet start;
    bool isNew = seen.insert(heads.back());
    start.insert(heads.back());
    heads.pop_back();
    if (!isNew)
      continue;
    if (isTooMany(op, seen))
      return;
    scf::ConditionOp condition = op.getConditionOp();
    for (ProofState &asked : runBlock(before, start).list()) {
      auto [holds, fails] = branch(condition.getCondition(), asked);
      if (fails)
        if (auto end = pass(condition.getArgs(), op.getResults(), before,
                            std::move(*fails)))
          to.insert(*end);
      if (!holds)
        continue;
      auto body = pass(condition.getArgs(), after.getArguments(), before,
                       std::move(*holds));
      if (!body)
        continue;
      StateSet inside;
      inside.insert(*body);
      for (ProofState &end : runBlock(after, inside).list())
        if (auto next =
                pass(after.getTerminator()->getOperands(),
                     before.getArguments(), after, std::move(end), true))
          heads.push_back(std::move(*next));
    }
  }
}

StateSet ProgramPaths::runOp(Operation *op, const StateSet &from) {
  StateSet to;
  for (ProofState &state : from.list()) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      runIf(branch, state, to);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      runFor(loop, state, to);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      runWhile(loop, state, to);
    else if (op->getNumRegions() != 0)
      rules.refuse(op, "is control flow that the proof does not know");
    else if (rules.apply(op, state))
      to.insert(state);
    if (isTooMany(op, to))
      return {};
  }
  return to;
}

StateSet ProgramPaths::runBlock(Block &block, const StateSet &from) {
  StateSet states = from;
  for (Operation &op : block.without_terminator())
    // Pure numbers are looked up where somebody asks.
    if (!isPure(&op) || op.getNumRegions() != 0)
      states = runOp(&op, states);
  return states;
}

StateSet ProgramPaths::run(sched::ProgramOp program, const StateSet &from,
                           bool last) {
  StateSet to;
  if (!program.getBody().hasOneBlock()) {
    rules.refuse(program, "is not structured: the proof does not know jumps");
    return to;
  }
  Block &block = program.getBody().front();
  for (ProofState &state : runBlock(block, from).list()) {
    state.leave(&block);
    if (rules.applyEnd(block.getTerminator(), state, last))
      to.insert(state);
  }
  return to;
}
