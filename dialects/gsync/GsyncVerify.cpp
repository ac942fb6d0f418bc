// Verifiers of the gsync dialect: what one operation can be checked for. What
// is true of paths and of whole programs is checked by passes.
#include "dialects/gsync/Gsync.h"

using namespace mlir;
using namespace rubato::gsync;

/// The operation of kind `Op` that `name` refers to, or an error.
template <typename Op>
static FailureOr<Op> lookup(Operation *user, FlatSymbolRefAttr name,
                            SymbolTableCollection &symbols) {
  if (auto op = symbols.lookupNearestSymbolFrom<Op>(user, name))
    return op;
  return user->emitOpError("names no ")
         << Op::getOperationName() << ": " << name;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verify() {
  if (getMin().has_value() != getMax().has_value())
    return emitOpError("elastic bounds come in pairs: min and max");
  if (getMin()) {
    int64_t min = *getMin(), max = *getMax(); // the accessors drop the sign
    if (min < 1 || max < min)
      return emitOpError("elastic bounds must be 1 <= min <= max, got ")
             << min << " to " << max;
  }
  if (!getRoles() && !getCounts())
    return success();
  if (!getRoles() || !getCounts() || getRoles()->size() != getCounts()->size())
    return emitOpError("needs one count per role");
  unsigned rest = llvm::count(*getCounts(), -1);
  if (rest != 1)
    return emitOpError("needs exactly one role with = rest, has ") << rest;
  if (llvm::any_of(*getCounts(), [](int64_t n) { return n < -1 || n == 0; }))
    return emitOpError("a role needs at least one member");
  return success();
}

LogicalResult GroupOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (ArrayAttr roles = getRolesAttr())
    for (auto role : roles.getAsRange<FlatSymbolRefAttr>())
      if (failed(lookup<RoleOp>(*this, role, symbols)))
        return failure();
  return success();
}

LogicalResult ChannelOp::verify() {
  if ((getKind() == ChannelKind::Mailbox) != getServer().has_value())
    return emitOpError("of kind ")
           << stringifyChannelKind(getKind())
           << (getServer() ? " has no server; leave out server(…)"
                           : " needs server(@role)");
  if (IntegerAttr exempt = getExemptAttr()) {
    if (getKind() != ChannelKind::Mailbox)
      return emitOpError("of kind ") << stringifyChannelKind(getKind())
                                     << " restarts nobody; leave out exempt(…)";
    if (exempt.getInt() < 1)
      return emitOpError("exempt must be at least 1, got ") << exempt.getInt();
  }
  if (IntegerAttr ahead = getAheadAttr()) {
    if (getKind() != ChannelKind::Mailbox)
      return emitOpError("of kind ")
             << stringifyChannelKind(getKind())
             << " holds nobody back; leave out ahead(…)";
    if (ahead.getInt() < 0)
      return emitOpError("ahead must be at least 0, got ") << ahead.getInt();
  }
  return success();
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(lookup<GroupOp>(*this, getGroupAttr(), symbols)))
    return failure();
  if (getServerAttr() &&
      failed(lookup<RoleOp>(*this, getServerAttr(), symbols)))
    return failure();
  return success();
}

LogicalResult PolicyOp::verifyRegions() {
  for (Operation &op : getEntries().front())
    if (!isa<EntryOp>(op))
      return op.emitOpError("may not stand in a gsync.policy; it holds only "
                            "gsync.entry");
  if (getEntries().front().empty())
    return emitOpError("needs at least one gsync.entry");
  return success();
}

LogicalResult EntryOp::verify() {
  auto allowed = [](Type type) {
    return type.isInteger(64) || type.isInteger(1) || type.isF64();
  };
  FunctionType type = getSignature();
  if (!llvm::all_of(type.getInputs(), allowed) ||
      !llvm::all_of(type.getResults(), allowed))
    return emitOpError("takes and gives i64, f64 and i1 only, got ") << type;
  return success();
}

LogicalResult CellOp::verify() {
  bool stored =
      getRole() == CellRole::Parameter || getRole() == CellRole::Frozen;
  if (stored != getLayout().has_value())
    return emitOpError("of role ")
           << stringifyCellRole(getRole())
           << (stored ? " needs the layout of its slots" : " takes no layout");
  if (getDefaultValue() && getRole() != CellRole::Setting)
    return emitOpError("only a setting has a default");
  return success();
}

//===----------------------------------------------------------------------===//
// Roles and their parts
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<GroupOp>(*this, getGroupAttr(), symbols);
}

SmallVector<Type> RoleOp::carriedTypes() {
  SmallVector<Type> types;
  for (StrandOp strand : strands())
    llvm::append_range(types, strand.getBody().getArgumentTypes());
  return types;
}

/// Where a part stands in a role; negative for what is no part.
static int position(Operation &op) {
  return isa<InitOp>(op)     ? 0
         : isa<StrandOp>(op) ? 1
         : isa<DrainOp>(op)  ? 2
         : isa<ModelOp>(op)  ? 3
                             : -1;
}

LogicalResult RoleOp::verifyRegions() {
  int last = 0;
  unsigned count[4] = {};
  for (Operation &op : getBody().front()) {
    int at = position(op);
    if (at < 0)
      return op.emitOpError("may not stand directly in a role");
    if (at < last || (at != 1 && count[at]))
      return op.emitOpError("a role holds at most one init, its strands, at "
                            "most one drain and one model, in this order");
    last = at;
    ++count[at];
  }
  if (count[1] == 0)
    return emitOpError("needs at least one gsync.strand");
  SmallVector<Type> carried = carriedTypes();
  if (auto init = part<InitOp>()) {
    auto yield = cast<YieldOp>(init.getBody().front().getTerminator());
    if (TypeRange(carried) != yield.getValues().getTypes())
      return init.emitOpError("must yield what the strands carry, strand by "
                              "strand: ")
             << carried;
  } else if (!carried.empty()) {
    return emitOpError("carries values from round to round, so it needs a "
                       "gsync.init that yields the first ones");
  }
  auto drain = part<DrainOp>();
  if (drain && TypeRange(carried) != drain.getBody().getArgumentTypes())
    return drain.emitOpError("must take what the strands carry, strand by "
                             "strand: ")
           << carried;
  if (count[1] > 1)
    for (StrandOp strand : strands())
      if (!strand.getLabel())
        return strand.emitOpError("needs a name: its role has several strands");
  return success();
}

LogicalResult StrandOp::verifyRegions() {
  Block &body = getBody().front();
  auto next = body.empty() ? NextOp() : dyn_cast<NextOp>(body.back());
  if (!next)
    return emitOpError("must end in gsync.next");
  if (next.getCarried().getTypes() != body.getArgumentTypes())
    return next.emitOpError("must carry what the strand takes: ")
           << body.getArgumentTypes();
  return success();
}

/// The yield that ends a part, of `values` values (any number if negative).
static FailureOr<YieldOp> endOf(Operation *part, Region &body) {
  auto yield =
      body.front().empty() ? YieldOp() : dyn_cast<YieldOp>(body.front().back());
  if (!yield)
    return part->emitOpError("must end in gsync.yield");
  if (!yield.getCells().empty())
    return yield.emitOpError("yields cells only in a gsync.atomic");
  return yield;
}

LogicalResult InitOp::verifyRegions() { return endOf(*this, getBody()); }

LogicalResult DrainOp::verifyRegions() {
  auto yield = endOf(*this, getBody());
  if (failed(yield))
    return failure();
  if (!yield->getValues().empty())
    return yield->emitOpError("a gsync.drain yields nothing");
  return success();
}

LogicalResult ModelOp::verifyRegions() {
  auto yield = endOf(*this, getBody());
  if (failed(yield))
    return failure();
  if (yield->getValues().size() != 1)
    return emitOpError("must end in gsync.yield of the flat parameters");
  return success();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto cell = lookup<CellOp>(*this, getCellAttr(), symbols);
  if (failed(cell))
    return failure();
  if (cell->getType() != getType())
    return emitOpError("has type ")
           << getType() << " but the cell has " << cell->getType();
  return success();
}

LogicalResult AtomicOp::verifySymbolUses(SymbolTableCollection &symbols) {
  llvm::SmallPtrSet<Attribute, 8> seen;
  auto arguments = getBody().front().getArguments();
  if (arguments.size() != getCells().size())
    return emitOpError("body needs one argument per cell");
  for (auto [name, argument] :
       llvm::zip(getCells().getAsRange<FlatSymbolRefAttr>(), arguments)) {
    auto cell = lookup<CellOp>(*this, name, symbols);
    if (failed(cell))
      return failure();
    if (!seen.insert(name).second)
      return emitOpError("names cell ") << name << " twice";
    if (cell->getRole() == CellRole::Setting ||
        cell->getRole() == CellRole::Frozen)
      return emitOpError("may not change ")
             << name << ": its role is " << stringifyCellRole(cell->getRole());
    if (cell->getType() != argument.getType())
      return emitOpError("argument for ")
             << name << " has type " << argument.getType() << ", expected "
             << cell->getType();
  }
  return success();
}

LogicalResult AtomicOp::verifyRegions() {
  if (getCells().empty())
    return emitOpError("changes no cell; use gsync.load to read one");
  Block &body = getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getCells().getTypes() != body.getArgumentTypes())
    return emitOpError("must yield one new value per cell, of its type");
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpError("must yield the values it gives: ") << getResultTypes();
  WalkResult walk = getBody().walk([&](Operation *op) {
    if (!isa<GsyncDialect>(op->getDialect()) ||
        isa<LoadOp, NowOp, WorkOp, ZeroOp, SizeOp, YieldOp>(op))
      return WalkResult::advance();
    op->emitOpError("may not stand in a gsync.atomic: it could wait; move it "
                    "in front of the atomic");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult YieldOp::verify() {
  if (!getCells().empty() && !isa<AtomicOp>((*this)->getParentOp()))
    return emitOpError("yields cells only in a gsync.atomic");
  return success();
}
