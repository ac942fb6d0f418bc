// Verifiers and assembly of the gsync dialect.
#include "dialects/gsync/Gsync.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace rubato::gsync;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseCellList(OpAsmParser &parser, ArrayAttr &cells) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    names.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseName))
    return failure();
  cells = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printCellList(OpAsmPrinter &printer, Operation *, ArrayAttr cells) {
  printer << "(";
  llvm::interleaveComma(cells, printer);
  printer << ")";
}

#define GET_OP_CLASSES
#include "dialects/gsync/GsyncOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

LogicalResult TrainOp::verify() {
  if (!isa<SyncAlgorithm>(getAlgorithm()))
    return emitOpError("algorithm must implement SyncAlgorithm, got ")
           << getAlgorithm();
  return success();
}

/// The operation of kind `Op` that `name` refers to, or an error.
template <typename Op>
static FailureOr<Op> lookup(Operation *user, FlatSymbolRefAttr name,
                            SymbolTableCollection &symbols) {
  if (auto op = symbols.lookupNearestSymbolFrom<Op>(user, name))
    return op;
  return user->emitOpError("names no ")
         << Op::getOperationName() << ": " << name;
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<GroupOp>(*this, getGroupAttr(), symbols);
}

LogicalResult RoleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return lookup<GroupOp>(*this, getGroupAttr(), symbols);
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

LogicalResult RoleOp::verifyRegions() {
  unsigned models = 0, strands = 0;
  for (Operation &op : getBody().front()) {
    if (isa<ModelOp>(op))
      ++models;
    else if (isa<StrandOp>(op))
      ++strands;
    else
      return op.emitOpError("may not stand directly in a role");
  }
  if (strands == 0 || models != 1)
    return emitOpError("needs at least one gsync.strand and one gsync.model");
  return success();
}

LogicalResult StrandOp::verifyRegions() {
  if (getBody().front().empty() || !isa<NextOp>(getBody().front().back()))
    return emitOpError("must end in gsync.next");
  return success();
}

LogicalResult ModelOp::verifyRegions() {
  Block &body = getBody().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValues().size() != 1)
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
  Block &body = getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getValues().getTypes() != body.getArgumentTypes())
    return emitOpError("must yield one new value per cell, of its type");
  WalkResult walk = getBody().walk([&](Operation *op) {
    if (!isa<AllReduceOp, AwaitOp, NextBatchOp, RepeatOp, AtomicOp>(op))
      return WalkResult::advance();
    op->emitOpError("may not stand in a gsync.atomic: it could wait; move it "
                    "in front of the atomic");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Communication and control
//===----------------------------------------------------------------------===//

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto channel = lookup<ChannelOp>(*this, getChannelAttr(), symbols);
  if (failed(channel))
    return failure();
  if (channel->getKind() != ChannelKind::Collective)
    return emitOpError("needs a collective channel");
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (TypeRange(getFuture().getType().getTypes()) != getValues().getTypes())
    return emitOpError("future must carry the types of the operands");
  return success();
}

LogicalResult AwaitOp::verify() {
  if (TypeRange(getFuture().getType().getTypes()) != getResultTypes())
    return emitOpError("must give the values its future carries: ")
           << getFuture().getType();
  return success();
}

LogicalResult RepeatOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInits().getTypes())
    return emitOpError("body needs one argument per carried value");
  if (cast<YieldOp>(body.getTerminator()).getValues().getTypes() !=
      getInits().getTypes())
    return emitOpError("body must yield one value per carried value");
  WalkResult walk = getBody().walk([&](AllReduceOp op) {
    op.emitOpError("on a collective channel may not stand in a gsync.repeat: "
                   "members may repeat it differently often");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
