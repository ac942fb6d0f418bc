// Verifiers of the operations on channels, of futures and of rounds.
#include "dialects/gsync/Gsync.h"

using namespace mlir;
using namespace rubato::gsync;

/// Checks that an operation's channel exists and is of the kind it needs.
static LogicalResult checkChannel(Operation *op, ChannelKind kind,
                                  SymbolTableCollection &symbols) {
  FlatSymbolRefAttr name = channelOf(op);
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(op, name);
  if (!channel)
    return op->emitOpError("names no gsync.channel: ") << name;
  if (channel.getKind() != kind)
    return op->emitOpError("needs a ")
           << stringifyChannelKind(kind) << " channel, " << name << " is a "
           << stringifyChannelKind(channel.getKind()) << " channel";
  return success();
}

/// Whether an operation stands in the role that serves its mailbox. Outside of
/// any role, in a helper function, it is not known which role runs it.
static LogicalResult checkSide(Operation *op, bool server,
                               SymbolTableCollection &symbols) {
  if (failed(checkChannel(op, ChannelKind::Mailbox, symbols)))
    return failure();
  auto role = op->getParentOfType<RoleOp>();
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(op, channelOf(op));
  if (!role || (role.getSymName() == *channel.getServer()) == server)
    return success();
  return op->emitOpError("belongs to ")
         << (server ? "the server" : "a worker") << " of " << channelOf(op)
         << ", but stands in role @" << role.getSymName();
}

#define COLLECTIVE(Op)                                                         \
  LogicalResult Op::verifySymbolUses(SymbolTableCollection &symbols) {         \
    return checkChannel(*this, ChannelKind::Collective, symbols);              \
  }
COLLECTIVE(AllReduceOp)
COLLECTIVE(AllGatherOp)
COLLECTIVE(ReduceScatterOp)
COLLECTIVE(BroadcastOp)
#undef COLLECTIVE

#define MAILBOX(Op, server)                                                    \
  LogicalResult Op::verifySymbolUses(SymbolTableCollection &symbols) {         \
    return checkSide(*this, server, symbols);                                  \
  }
MAILBOX(PullOp, false)
MAILBOX(PushOp, false)
MAILBOX(CollectOp, true)
MAILBOX(GrantOp, true)
MAILBOX(WorkersOp, true)
MAILBOX(CloseOp, true)
#undef MAILBOX

LogicalResult ExchangeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkChannel(*this, ChannelKind::Pair, symbols);
}

//===----------------------------------------------------------------------===//
// Types of futures
//===----------------------------------------------------------------------===//

static LogicalResult carries(Operation *op, FutureType future,
                             TypeRange expected) {
  if (TypeRange(future.getTypes()) == expected)
    return success();
  return op->emitOpError("future must carry ")
         << expected << ", got " << future;
}

/// `type` with `dims` in place of its first `drop` dimensions.
static Type reshaped(Type type, ArrayRef<int64_t> dims, unsigned drop) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(dims);
  llvm::append_range(shape, tensor.getShape().drop_front(drop));
  return RankedTensorType::get(shape, tensor.getElementType());
}

LogicalResult AllReduceOp::verify() {
  if (getValues().empty() && getSparse().empty())
    return emitOpError("needs something to sum");
  SmallVector<Type> types(getValues().getTypes());
  if (getSparse().size() % 2)
    return emitOpError("sparse operands come in pairs (indices, rows)");
  for (unsigned i = 0; i < getSparse().size(); i += 2) {
    auto indices = cast<RankedTensorType>(getSparse()[i].getType());
    auto rows = cast<RankedTensorType>(getSparse()[i + 1].getType());
    if (indices.getRank() != 1 || !indices.getElementType().isInteger(64) ||
        rows.getRank() == 0 || rows.getDimSize(0) != indices.getDimSize(0))
      return emitOpError("sparse operands need i64 indices and one row for "
                         "each, got ")
             << indices << " and " << rows;
    types.push_back(reshaped(indices, ShapedType::kDynamic, 1));
    types.push_back(reshaped(rows, ShapedType::kDynamic, 1));
  }
  return carries(*this, getFuture().getType(), types);
}

LogicalResult AllGatherOp::verify() {
  SmallVector<Type> types;
  for (Type type : getValues().getTypes())
    types.push_back(reshaped(type, ShapedType::kDynamic, 0));
  return carries(*this, getFuture().getType(), types);
}

LogicalResult ReduceScatterOp::verify() {
  SmallVector<Type> types;
  for (Type type : getValues().getTypes()) {
    if (cast<RankedTensorType>(type).getRank() == 0)
      return emitOpError("cannot scatter a scalar: ") << type;
    types.push_back(reshaped(type, ShapedType::kDynamic, 1));
  }
  return carries(*this, getFuture().getType(), types);
}

LogicalResult BroadcastOp::verify() {
  return carries(*this, getFuture().getType(), getValues().getTypes());
}

LogicalResult ExchangeOp::verify() {
  return carries(*this, getFuture().getType(), getValues().getTypes());
}

LogicalResult PullOp::verify() {
  ArrayRef<Type> types = getFuture().getType().getTypes();
  if (types.size() < 2 || !types.back().isInteger(1) ||
      !types.drop_back().back().isInteger(64))
    return emitOpError("future must end in the ticket (i64) and whether to go "
                       "on (i1), got ")
           << getFuture().getType();
  return success();
}

LogicalResult ReadyOp::verify() {
  for (Type type : getFuture().getType().getTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!type.isIntOrFloat() && !(tensor && tensor.hasStaticShape()))
      return emitOpError("has no zero of type ") << type;
  }
  return success();
}

LogicalResult AwaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto future = dyn_cast<FutureType>(adaptor.getFuture().getType());
  if (!future)
    return failure();
  llvm::append_range(types, future.getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

LogicalResult RepeatOp::verify() {
  int64_t ahead = getAhead(); // the attribute's accessor drops the sign
  if (ahead < 0)
    return emitOpError("ahead must not be negative, got ") << ahead;
  if (!getUntil() && !getAtMost())
    return emitOpError("would never end: it needs until or at_most");
  return success();
}

LogicalResult RepeatOp::verifyRegions() {
  Block &body = getBody().front();
  SmallVector<Type> arguments{IntegerType::get(getContext(), 64)};
  llvm::append_range(arguments, getInits().getTypes());
  if (body.getArgumentTypes() != TypeRange(arguments))
    return emitOpError("body takes its index (i64) and one argument per "
                       "carried value");
  if (cast<YieldOp>(body.getTerminator()).getValues().getTypes() !=
      getInits().getTypes())
    return emitOpError("body must yield one value per carried value");
  return success();
}

LogicalResult NextBatchOp::verify() {
  size_t keys = getKeys().size();
  auto wrong = [&](StringRef needs) {
    return emitOpError("from ")
           << stringifyBatchSource(getSource()) << " takes " << needs;
  };
  if (getAckedBy() && getSource() != BatchSource::Queue)
    return wrong("no acked_by; only a queue does");
  switch (getSource()) {
  case BatchSource::Cursor:
  case BatchSource::Peek:
    return keys ? wrong("no operands") : success();
  case BatchSource::Queue:
    if (keys > 1 || (keys && getAckedBy()))
      return wrong("one lease or one acked_by");
    return success();
  case BatchSource::Keyed:
    return keys ? success() : wrong("at least one key");
  case BatchSource::Range:
    return keys == 2 ? success() : wrong("where the rows begin and end");
  case BatchSource::Whole:
    return keys == 1 ? success() : wrong("the number of the micro-batch");
  }
  return success();
}

LogicalResult NextBatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getAckedBy())
    return success();
  auto channel =
      symbols.lookupNearestSymbolFrom<ChannelOp>(*this, getAckedByAttr());
  if (!channel || channel.getKind() != ChannelKind::Collective)
    return emitOpError("is acknowledged by a reduction, so acked_by must name "
                       "a collective channel, not ")
           << getAckedByAttr();
  return success();
}

LogicalResult AskOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto entry = symbols.lookupNearestSymbolFrom<EntryOp>(*this, getEntryAttr());
  if (!entry)
    return emitOpError("names no gsync.entry of a gsync.policy: ")
           << getEntryAttr();
  if (entry.getSignature().getInputs() !=
          ArrayRef<Type>(SmallVector<Type>(getInputs().getTypes())) ||
      entry.getSignature().getResults() !=
          ArrayRef<Type>(SmallVector<Type>(getResultTypes())))
    return emitOpError("asks ")
           << getEntryAttr()
           << " with other types than it has: " << entry.getSignature();
  return success();
}

LogicalResult MeetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<RendezvousOp>(*this,
                                                     getRendezvousAttr()))
    return emitOpError("names no gsync.rendezvous: ") << getRendezvousAttr();
  return success();
}

template <typename Op>
static LogicalResult checkGroup(Op op, SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<GroupOp>(op, op.getGroupAttr()))
    return op.emitOpError("names no gsync.group: ") << op.getGroupAttr();
  return success();
}

LogicalResult ViewOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkGroup(*this, symbols);
}

LogicalResult CommitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkGroup(*this, symbols);
}
