// Control flow of a program: branches, loops and atomics. Numbers of the host
// are carried as values, tensors in memory.
#include "ProgramEmitter.h"

using namespace mlir;
using namespace rubato;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

LogicalResult ProgramEmitter::emitAtomic(gsync::AtomicOp op) {
  Block &body = op.getBody().front();
  auto names = op.getCells().getAsRange<FlatSymbolRefAttr>();
  SmallVector<StringRef> list;
  for (auto name : names)
    list.push_back(name.getValue());
  auto lock = static_cast<int32_t>(numbers.locks.lookup(list.front()));
  sched::LockOp::create(b, lock, b.getStringAttr(llvm::join(list, " ")));
  for (auto [name, argument] : llvm::zip(names, body.getArguments()))
    if (!isTensor(argument.getType()))
      mapping.map(argument,
                  read(places.cell(name.getValue()), argument.getType()));
  if (failed(emitBlock(body)))
    return failure();
  flush();
  b.setLoc(op.getLoc());
  auto yield = cast<gsync::YieldOp>(body.getTerminator());
  // The values of the operation first: some may show what cells held before.
  SmallVector<Assignment> results, cells;
  for (auto [result, value] : llvm::zip(op.getResults(), yield.getValues())) {
    if (isTensor(value.getType()))
      results.push_back({value, places.places().at(result)});
    else
      mapping.map(result, get(value));
  }
  for (auto [name, value] : llvm::zip(names, yield.getCells()))
    if (isTensor(value.getType()))
      cells.push_back({value, places.cell(name.getValue())});
  if (failed(assign(results, op)) || failed(assign(cells, op)))
    return failure();
  for (auto [name, argument, value] :
       llvm::zip(names, body.getArguments(), yield.getCells()))
    if (!isTensor(value.getType()) && value != argument)
      write(get(value), places.cell(name.getValue()));
  dropAfter(yield);
  sched::UnlockOp::create(b, lock);
  return success();
}

LogicalResult ProgramEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    if (!isTensor(type))
      types.push_back(hostType(type));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, types, get(op.getCondition()), hasElse);
  auto fill = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    Block &block = to.front();
    if (!block.empty())
      block.back().erase(); // the terminator that the builder made
    b.setInsertionPointToEnd(&block);
    if (failed(emitBlock(from.front())))
      return failure();
    flush();
    Operation *yield = from.front().getTerminator();
    SmallVector<Assignment> tensors;
    for (auto [result, value] :
         llvm::zip(op.getResults(), yield->getOperands()))
      if (isTensor(value.getType()))
        tensors.push_back({value, places.places().at(result)});
    if (failed(assign(tensors, op)))
      return failure();
    dropAfter(yield);
    scf::YieldOp::create(b, getNumbers(yield->getOperands()));
    return success();
  };
  if (failed(fill(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(fill(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTensor(result.getType()))
      mapping.map(result, branch.getResult(next++));
  return success();
}

/// Maps the arguments of `from` that are numbers to those of `to`, in order.
static void mapNumbers(IRMapping &mapping, ValueRange from, ValueRange to,
                       unsigned first = 0) {
  for (Value value : from)
    if (!isTensor(value.getType()))
      mapping.map(value, to[first++]);
}

LogicalResult ProgramEmitter::emitWhile(scf::WhileOp op) {
  SmallVector<Assignment> tensors;
  for (auto [init, argument] :
       llvm::zip(op.getInits(), op.getBefore().getArguments()))
    if (isTensor(init.getType()))
      tensors.push_back({init, places.places().at(argument)});
  if (failed(assign(tensors, op)))
    return failure();
  auto types = [&](TypeRange all) {
    SmallVector<Type> result;
    for (Type type : all)
      if (!isTensor(type))
        result.push_back(hostType(type));
    return result;
  };
  SmallVector<Type> carried = types(op.getBefore().getArgumentTypes());
  SmallVector<Type> passed = types(op.getResultTypes());
  auto loop = scf::WhileOp::create(b, passed, getNumbers(op.getInits()));
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> carriedLocs(carried.size(), b.getLoc());
  SmallVector<Location> passedLocs(passed.size(), b.getLoc());
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, carriedLocs);
  mapNumbers(mapping, op.getBefore().getArguments(), before->getArguments());
  if (failed(emitBlock(op.getBefore().front())))
    return failure();
  flush();
  scf::ConditionOp condition = op.getConditionOp();
  tensors.clear();
  for (auto [value, argument] :
       llvm::zip(condition.getArgs(), op.getAfter().getArguments()))
    if (isTensor(value.getType()))
      tensors.push_back({value, places.places().at(argument)});
  if (failed(assign(tensors, op)))
    return failure();
  dropAfter(condition);
  scf::ConditionOp::create(b, get(condition.getCondition()),
                           getNumbers(condition.getArgs()));

  Block *after = b.createBlock(&loop.getAfter(), {}, passed, passedLocs);
  mapNumbers(mapping, op.getAfter().getArguments(), after->getArguments());
  if (failed(emitBlock(op.getAfter().front())))
    return failure();
  flush();
  Operation *yield = op.getAfter().front().getTerminator();
  tensors.clear();
  for (auto [value, argument] :
       llvm::zip(yield->getOperands(), op.getBefore().getArguments()))
    if (isTensor(value.getType()))
      tensors.push_back({value, places.places().at(argument)});
  if (failed(assign(tensors, op)))
    return failure();
  dropAfter(yield);
  scf::YieldOp::create(b, getNumbers(yield->getOperands()));
  mapNumbers(mapping, op.getResults(), loop.getResults());
  return success();
}

LogicalResult ProgramEmitter::assignInits(gsync::RepeatOp op) {
  SmallVector<Assignment> always, ifEmpty;
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    if (!isTensor(init.getType()))
      continue;
    Assignment first{init, places.places().at(op.getResults()[i])};
    switch (places.clearing(op, i)) {
    case ProgramPlaces::Clearing::Always:
      always.push_back(first);
      break;
    case ProgramPlaces::Clearing::IfEmpty:
      ifEmpty.push_back(first);
      break;
    case ProgramPlaces::Clearing::Never:
      break;
    }
  }
  if (failed(assign(always, op)))
    return failure();
  if (ifEmpty.empty())
    return success();
  // Else the first body starts them.
  Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                     get(op.getAtLeast()), constant(1));
  auto branch = scf::IfOp::create(b, none, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  return assign(ifEmpty, op);
}

/// The body of a repeat whose index and numbers are `arguments`; what it
/// yields.
FailureOr<SmallVector<Value>> ProgramEmitter::emitBody(gsync::RepeatOp op,
                                                       ValueRange arguments) {
  Block &body = op.getBody().front();
  mapping.map(body.getArgument(0), arguments[0]);
  mapNumbers(mapping, body.getArguments().drop_front(), arguments, 1);
  Value outer = std::exchange(bodyIndex, arguments[0]);
  if (failed(emitBlock(body)))
    return failure();
  flush();
  bodyIndex = outer;
  b.setLoc(op.getLoc());
  Operation *yield = body.getTerminator();
  SmallVector<Assignment> tensors;
  for (auto [value, result] : llvm::zip(yield->getOperands(), op.getResults()))
    if (isTensor(value.getType()))
      tensors.push_back({value, places.places().at(result)});
  if (failed(assign(tensors, op)))
    return failure();
  dropAfter(yield);
  return getNumbers(yield->getOperands());
}

/// A loop whose number of bodies is known before its first. It becomes scf.for,
/// not scf.while, so that whoever looks for the last body can ask for it.
LogicalResult ProgramEmitter::emitCounted(gsync::RepeatOp op) {
  Value zero = constant(0), one = constant(1), count = get(op.getAtLeast());
  auto loop =
      scf::ForOp::create(b, zero, count, one, getNumbers(op.getInits()));
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    if (!body->empty())
      body->back().erase(); // the terminator that the builder made
    b.setInsertionPointToEnd(body);
    auto yielded = emitBody(op, body->getArguments());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(b, *yielded);
  }
  Value bodies = arith::MaxSIOp::create(b, count, zero);
  mapping.map(op.getCount(), bodies);
  mapNumbers(mapping, op.getResults(), loop.getResults());
  sched::RepeatedOp::create(b, bodies);
  return success();
}

/// Body k runs if k < at_least, or if k < at_most and the future is not done;
/// only then is the future asked.
LogicalResult ProgramEmitter::emitRepeat(gsync::RepeatOp op) {
  if (failed(assignInits(op)))
    return failure();
  if (isCounted(op))
    return emitCounted(op);
  SmallVector<Value> inits{constant(0)};
  llvm::append_range(inits, getNumbers(op.getInits()));
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);

  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  Value count = before->getArgument(0);
  auto below = [&](Value bound) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, count,
                                 get(bound));
  };
  Value go = below(op.getAtLeast());
  {
    auto asked = scf::IfOp::create(b, b.getI1Type(), go, /*withElse=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(&asked.getThenRegion().front());
    scf::YieldOp::create(b, go);
    b.setInsertionPointToStart(&asked.getElseRegion().front());
    Value open = op.getAtMost() ? below(op.getAtMost())
                                : Value(arith::ConstantIntOp::create(b, 1, 1));
    if (op.getUntil()) {
      auto poll = scf::IfOp::create(b, b.getI1Type(), open, /*withElse=*/true);
      OpBuilder::InsertionGuard deeper(b);
      b.setInsertionPointToStart(&poll.getThenRegion().front());
      Value done = sched::PollOp::create(b, b.getI1Type(), get(op.getUntil()),
                                         static_cast<int32_t>(op.getAhead()));
      Value one = arith::ConstantIntOp::create(b, 1, 1);
      scf::YieldOp::create(b, Value(arith::XOrIOp::create(b, done, one)));
      b.setInsertionPointToStart(&poll.getElseRegion().front());
      scf::YieldOp::create(b, open);
      open = poll.getResult(0);
    }
    b.setInsertionPointToEnd(&asked.getElseRegion().front());
    scf::YieldOp::create(b, open);
    go = asked.getResult(0);
  }
  b.setInsertionPointToEnd(before);
  scf::ConditionOp::create(b, go, before->getArguments());

  Block *after = b.createBlock(&loop.getAfter(), {}, types, locs);
  auto yielded = emitBody(op, after->getArguments());
  if (failed(yielded))
    return failure();
  if (op.getUntil())
    sched::BodyOp::create(b);
  SmallVector<Value> next{
      arith::AddIOp::create(b, after->getArgument(0), constant(1)).getResult()};
  llvm::append_range(next, *yielded);
  scf::YieldOp::create(b, next);

  b.setInsertionPointAfter(loop);
  mapping.map(op.getCount(), loop.getResult(0));
  mapNumbers(mapping, op.getResults(), loop.getResults(), 1);
  sched::RepeatedOp::create(b, loop.getResult(0));
  return success();
}
