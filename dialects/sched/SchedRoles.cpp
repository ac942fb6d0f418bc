// Verifiers of roles, strands, channels, policies and meeting points.
#include "dialects/sched/SchedVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace rubato::sched;

/// Nothing but `Entry` may stand in `block`, each under a name of its own.
template <typename Entry>
static LogicalResult checkEntries(Operation *op, Block &block, StringRef kind) {
  llvm::StringSet<> names;
  for (Operation &inner : block) {
    auto entry = dyn_cast<Entry>(inner);
    if (!entry)
      return inner.emitOpError("cannot stand in a ")
             << op->getName() << ", which holds " << kind << "s only";
    if (!names.insert(entry.getName()).second)
      return entry.emitOpError()
             << kind << " \"" << entry.getName() << "\" stands twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

SmallVector<FlatSymbolRefAttr> RoleOp::parts() {
  SmallVector<FlatSymbolRefAttr> parts;
  if (getInit())
    parts.push_back(getInitAttr());
  for (StrandOp strand : strands())
    parts.push_back(strand.getProgramAttr());
  if (getDrain())
    parts.push_back(getDrainAttr());
  if (getModel())
    parts.push_back(getModelAttr());
  return parts;
}

LogicalResult RoleOp::verify() {
  if (getCount() == 0)
    return emitOpError("must have a member at least, or the rest of them");
  return success();
}

LogicalResult RoleOp::verifyRegions() {
  if (getBody().front().empty())
    return emitOpError("needs a sched.strand");
  return checkEntries<StrandOp>(*this, getBody().front(), "strand");
}

LogicalResult RoleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return failure(
      failed(checkProgram(*this, symbols, "init", getInitAttr(), false)) ||
      failed(checkProgram(*this, symbols, "drain", getDrainAttr(), false)) ||
      failed(checkProgram(*this, symbols, "model", getModelAttr(), false)));
}

SmallVector<FrameOp> StrandOp::frames() {
  if (getBody().empty())
    return {};
  return llvm::to_vector(getBody().front().getOps<FrameOp>());
}

LogicalResult StrandOp::verifyRegions() {
  if (!getBody().empty() &&
      failed(checkEntries<FrameOp>(*this, getBody().front(), "frame")))
    return failure();
  if (getPolls() && llvm::none_of(frames(), [](FrameOp frame) {
        return frame.getKind() == FrameKind::Future;
      }))
    return emitOpError("polls what it carries, but it carries no future");
  return success();
}

LogicalResult StrandOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(checkProgram(*this, symbols, "runs", getProgramAttr(), true)))
    return failure();
  if (!getPolls())
    return success();
  for (auto name : getPollsAttr().getAsRange<FlatSymbolRefAttr>()) {
    auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(*this, name);
    if (!channel || channel.getKind() != ChannelKind::Collective)
      return emitOpError("polls ")
             << name << ", which is no collective sched.channel";
  }
  return success();
}

LogicalResult FrameOp::verify() {
  auto types = getTypes().getAsValueRange<TypeAttr>();
  size_t count = getTypes().size();
  for (Type type : types)
    if (failed(checkElement(*this, type)))
      return failure();
  if (getKind() == FrameKind::Future)
    return success();
  bool tensor = getKind() == FrameKind::Tensor;
  if (count != 1 || isa<RankedTensorType>(*types.begin()) != tensor)
    return emitOpError("carries a ")
           << stringifyFrameKind(getKind()) << ", so its type must be one "
           << (tensor ? "tensor" : "f32, f64 or i64") << ", not " << getTypes();
  return success();
}

LogicalResult FrameOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getKind() == FrameKind::Tensor) {
    Type type = *getTypes().getAsValueRange<TypeAttr>().begin();
    return checkFilled(*this, symbols, getBufferAttr(), sizeOf(type),
                       getElementTypeOrSelf(type), {ArenaRegion::Private});
  }
  // Handles are numbers of 64 bits, and every number has room for one.
  Type word = IntegerType::get(getContext(), 64);
  return checkFilled(*this, symbols, getBufferAttr(), bytesOf(word), word,
                     {ArenaRegion::Private, ArenaRegion::Host});
}

//===----------------------------------------------------------------------===//
// Channels, policies, meeting points
//===----------------------------------------------------------------------===//

LogicalResult ChannelOp::verify() {
  bool mailbox = getKind() == ChannelKind::Mailbox;
  if (mailbox != getServer().has_value())
    return emitOpError(mailbox ? "is a mailbox and needs a server"
                               : "has a server, which only a mailbox has");
  if (!mailbox && getExempt())
    return emitOpError("exempts members, which only a mailbox does");
  if (!mailbox && getAhead())
    return emitOpError("holds members back, which only a mailbox does");
  return success();
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getServer())
    return success();
  auto role = symbols.lookupNearestSymbolFrom<RoleOp>(*this, getServerAttr());
  if (role && role.getCount() == 1)
    return success();
  return emitOpError("needs a sched.role of one member as its server, which ")
         << getServerAttr() << " is not";
}

LogicalResult PolicyOp::verify() {
  if (DictionaryAttr settings = getSettingsAttr())
    for (NamedAttribute setting : settings) {
      auto number = dyn_cast<TypedAttr>(setting.getValue());
      bool fits = isa<BoolAttr, StringAttr>(setting.getValue()) ||
                  (number && (number.getType().isSignlessInteger(64) ||
                              number.getType().isF64()));
      if (!fits)
        return emitOpError("setting '")
               << setting.getName().getValue()
               << "' must be an i64, an f64, a string, true or false";
    }
  return success();
}

LogicalResult PolicyOp::verifyRegions() {
  for (Operation &op : getEntries().front())
    if (!isa<EntryOp>(op))
      return op.emitOpError("cannot stand in a sched.policy, which holds "
                            "entries only");
  return success();
}

LogicalResult PolicyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getAskers())
    return success();
  // The policy is a symbol table itself: its askers stand beside it.
  for (auto name : getAskersAttr().getAsRange<FlatSymbolRefAttr>())
    if (!dyn_cast_or_null<RoleOp>(
            symbols.lookupSymbolIn((*this)->getParentOp(), name)))
      return emitOpError("askers name no sched.role: ") << name;
  return success();
}

LogicalResult EntryOp::verify() {
  auto signature = cast<FunctionType>(getSignature());
  for (ArrayRef<Type> types : {signature.getInputs(), signature.getResults()}) {
    for (Type type : types)
      if (!type.isSignlessInteger(1) && !type.isSignlessInteger(64) &&
          !type.isF64())
        return emitOpError("takes and gives i1, i64 and f64, not ") << type;
    constexpr size_t askLimit = 16; // of rb_ask
    if (types.size() > askLimit)
      return emitOpError("has ") << types.size() << " values on one side; "
                                 << askLimit << " are the most";
  }
  return success();
}

LogicalResult RendezvousOp::verifySymbolUses(SymbolTableCollection &) {
  if (!getStrands())
    return success();
  auto module = cast<ModuleOp>((*this)->getParentOp());
  for (auto name : getStrandsAttr().getAsRange<FlatSymbolRefAttr>()) {
    bool found = llvm::any_of(module.getOps<RoleOp>(), [&](RoleOp role) {
      return llvm::any_of(role.strands(), [&](StrandOp strand) {
        return strand.getProgramAttr() == name;
      });
    });
    if (!found)
      return emitOpError("no sched.strand runs ") << name;
  }
  return success();
}
