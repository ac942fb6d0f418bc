// Verifiers of the sched dialect: every rule that concerns one operation and
// the symbols it names. Order between operations is sched-verify-segments.
#include "dialects/sched/SchedVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato::sched;

LogicalResult rubato::sched::detail::verifyInProgram(Operation *op) {
  if (op->getParentOfType<ProgramOp>())
    return success();
  return op->emitOpError("is host code and must lie in a sched.program");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int64_t ArenaOp::getBytes(ArenaRegion region) {
  switch (region) {
  case ArenaRegion::Private:
    return getPrivateBytes();
  case ArenaRegion::Scratch:
    return getScratchBytes();
  case ArenaRegion::Host:
    return getHostBytes();
  case ArenaRegion::Value:
    return 0;
  }
  llvm_unreachable("unknown region");
}

LogicalResult ArenaOp::verify() {
  std::optional<ArrayRef<int64_t>> numbers = getNumbers();
  if (!numbers)
    return success();
  if (numbers->size() != 2)
    return emitOpError("needs a place and a number of bytes for its numbers");
  int64_t begin = (*numbers)[0], bytes = (*numbers)[1];
  if (begin < 0 || bytes < 0 || bytes > int64_t(getPrivateBytes()) - begin)
    return emitOpError("has numbers outside its private region of ")
           << getPrivateBytes() << " bytes";
  return success();
}

ArenaOp ArenaOp::of(Operation *module) {
  auto arenas = cast<ModuleOp>(module).getOps<ArenaOp>();
  return arenas.empty() ? ArenaOp() : *arenas.begin();
}

LogicalResult ArenaOp::verifySymbolUses(SymbolTableCollection &) {
  ArenaOp first = of((*this)->getParentOp());
  if (first == *this)
    return success();
  InFlightDiagnostic diag = emitOpError("stands twice in the module");
  diag.attachNote(first.getLoc()) << "the first one is here";
  return diag;
}

LogicalResult BufferOp::verifySymbolUses(SymbolTableCollection &) {
  ArenaOp arena = ArenaOp::of((*this)->getParentOp());
  if (!arena)
    return emitOpError("needs a sched.arena in the module");
  if (isValue())
    return success(); // no range of the arena
  uint64_t size = arena.getBytes(getRegion());
  if (getOffset() <= size && getBytes() <= size - getOffset())
    return success();
  InFlightDiagnostic diag = emitOpError("needs bytes [")
                            << getOffset() << ", " << getOffset() + getBytes()
                            << ") of the " << stringifyArenaRegion(getRegion())
                            << " region, which has " << size;
  diag.attachNote(arena.getLoc()) << "the arena is here";
  return diag;
}

BufferOp rubato::sched::findBuffer(Operation *op,
                                   SymbolTableCollection &symbols,
                                   FlatSymbolRefAttr name) {
  auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(op, name);
  if (!buffer)
    op->emitOpError("names no sched.buffer: ") << name;
  return buffer;
}

/// The buffer of `range`, reported if there is none or the range leaves it.
static BufferOp checkRange(Operation *op, SymbolTableCollection &symbols,
                           StringRef what, RangeAttr range) {
  BufferOp buffer = findBuffer(op, symbols, range.getBuffer());
  if (!buffer)
    return {};
  int64_t bytes = buffer.getBytes();
  if (range.getOffset() <= bytes &&
      range.getSize() <= bytes - range.getOffset())
    return buffer;
  InFlightDiagnostic diag = op->emitOpError()
                            << what << ' ' << range.getBuffer() << '['
                            << range.getOffset() << ", " << range.getSize()
                            << "] but the buffer has " << bytes << " bytes";
  diag.attachNote(buffer.getLoc()) << "the buffer is here";
  return {};
}

LogicalResult rubato::sched::checkAligned(Operation *op, BufferOp buffer,
                                          int64_t offset, Type type) {
  if ((buffer.getStart() % bytesOf(type) + offset) % bytesOf(type) == 0)
    return success();
  return op->emitOpError("needs ")
         << FlatSymbolRefAttr::get(buffer.getSymNameAttr()) << " at " << offset
         << " aligned to " << bytesOf(type) << " bytes for " << type
         << "; the buffer begins at byte " << buffer.getStart();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void SegmentOp::build(OpBuilder &builder, OperationState &state,
                      StringRef name) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addRegion()->emplaceBlock();
}

LogicalResult SegmentOp::verifyRegions() {
  for (Operation &op : *getLine())
    if (!isa<LaneOpInterface>(op))
      return op.emitOpError(
          "cannot stand in a sched.segment, which holds "
          "launches, records, waits and parts of reductions only");
  return success();
}

void LaunchOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  for (auto range : getReads().getAsRange<RangeAttr>())
    accesses.push_back({range, /*isWrite=*/false});
  for (auto range : getWrites().getAsRange<RangeAttr>())
    accesses.push_back({range, /*isWrite=*/true});
}

std::string LaunchOp::getLabel() { return ("@" + getKernel()).str(); }

LogicalResult LaunchOp::verify() {
  if (getLo() > getHi())
    return emitOpError("has the empty part [")
           << getLo() << ", " << getHi() << "]: lo must not exceed hi";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!kernel)
    return emitOpError("names no function: ") << getKernelAttr();
  // A kernel in tensor form tells how many operands and results it has.
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  size_t arity = kernel.getNumArguments() + kernel.getNumResults();
  if (llvm::any_of(kernel.getResultTypes(), isTensor) &&
      arity != getArgs().size())
    return emitOpError("has ")
           << getArgs().size() << " args but " << getKernelAttr() << " has "
           << arity << " operands and results";

  for (auto place : getArgs().getAsRange<PlaceAttr>()) {
    BufferOp buffer = findBuffer(*this, symbols, place.getBuffer());
    if (!buffer)
      return failure();
    if (place.getOffset() >= int64_t(buffer.getBytes()))
      return emitOpError("takes the address ")
             << place.getBuffer() << '[' << place.getOffset()
             << "] but the buffer has " << buffer.getBytes() << " bytes";
    if (buffer.getRegion() == ArenaRegion::Host)
      return emitOpError("takes the address of ")
             << place.getBuffer()
             << ", which is in the host region: kernels cannot reach it, put "
                "it "
                "in the private one";
  }
  for (auto range : getReads().getAsRange<RangeAttr>())
    if (!checkRange(*this, symbols, "reads", range))
      return failure();
  for (auto range : getWrites().getAsRange<RangeAttr>()) {
    BufferOp buffer = checkRange(*this, symbols, "writes", range);
    if (!buffer)
      return failure();
  }
  return success();
}

/// Rules of a part of a value that is on its way to others or from them.
static LogicalResult checkPart(Operation *op, SymbolTableCollection &symbols,
                               TypedRangeAttr range, StringRef what) {
  BufferOp buffer = checkRange(op, symbols, what, range.getRange());
  if (!buffer)
    return failure();
  if (buffer.isValue())
    return checkAligned(op, buffer, range.getOffset(), range.getType());
  InFlightDiagnostic diag = op->emitOpError(what)
                            << ' ' << range.getBuffer()
                            << ", which is no value: only the memory of values "
                               "is handed over and brought";
  diag.attachNote(buffer.getLoc()) << "the buffer is here";
  return diag;
}

void ReadyOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  RangeAttr whole = getOperandRange().getRange();
  accesses.push_back(
      {RangeAttr::get(getContext(), whole.getBuffer(),
                      whole.getOffset() + getFrom(), getTo() - getFrom()),
       /*isWrite=*/false});
}

std::string ReadyOp::getLabel() {
  return ("ready (channel " + Twine(getChannel()) + ", bytes " +
          Twine(getFrom()) + " to " + Twine(getTo()) + ")")
      .str();
}

/// A share of a segment's work.
static LogicalResult checkShare(Operation *op, std::optional<APFloat> done) {
  double share = done ? done->convertToDouble() : 0;
  if (share >= 0 && share <= 1)
    return success();
  return op->emitOpError("has done(") << share
                                      << "), which is no share: it "
                                         "lies between 0 and 1";
}

LogicalResult ReadyOp::verify() {
  if (getIns().size() != 1)
    return emitOpError("has ")
           << getIns().size()
           << " ins; it is about the first operand of a reduction only";
  int64_t size = getOperandRange().getSize();
  int64_t width = bytesOf(getOperandRange().getType());
  if (getFrom() >= getTo() || int64_t(getTo()) > size)
    return emitOpError("has bytes ")
           << getFrom() << " to " << getTo() << " of an operand of " << size;
  if (getFrom() % width != 0 || getTo() % width != 0)
    return emitOpError("cuts a number in two: bytes ")
           << getFrom() << " to " << getTo() << " of "
           << getOperandRange().getType();
  return checkShare(*this, getDone());
}

LogicalResult ReadyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkPart(*this, symbols, getOperandRange(), "hands over");
}

void ArriveOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getArriving().getRange(), /*isWrite=*/true});
}

std::string ArriveOp::getLabel() {
  return ("arrive (@" + getArriving().getBuffer().getValue() + ")").str();
}

LogicalResult ArriveOp::verify() {
  if (getOuts().size() == 1)
    return checkShare(*this, getDone());
  return emitOpError("has ")
         << getOuts().size() << " outs; it is about one value only";
}

LogicalResult ArriveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkPart(*this, symbols, getArriving(), "brings");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      bool hasGo) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  if (hasGo)
    state.addAttribute(getResultAttrName(state.name),
                       TypeAttr::get(builder.getI1Type()));
  state.addRegion()->emplaceBlock();
}

LogicalResult ReturnOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  bool wantsValue = program.getResult().has_value();
  if (wantsValue == static_cast<bool>(getGo()))
    return success();
  return emitOpError(wantsValue ? "must return the program's i1"
                                : "returns a value but the program has none");
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<SegmentOp>(*this, getSegmentAttr()))
    return success();
  return emitOpError("names no sched.segment: ") << getSegmentAttr();
}

/// Rules of host access to one scalar; the buffer, or null if one is broken.
static BufferOp checkScalar(Operation *op, SymbolTableCollection &symbols,
                            StringRef what, RangeAttr range, Type type) {
  BufferOp buffer = checkRange(op, symbols, what, range);
  if (!buffer)
    return {};
  if (range.getSize() != bytesOf(type)) {
    op->emitOpError() << what << ' ' << range.getSize() << " bytes of "
                      << range.getBuffer() << " as " << type << ", which has "
                      << bytesOf(type);
    return {};
  }
  if (failed(checkAligned(op, buffer, range.getOffset(), type)))
    return {};
  return buffer;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(static_cast<bool>(
      checkScalar(*this, symbols, "reads", getRange(), getValue().getType())));
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  BufferOp buffer =
      checkScalar(*this, symbols, "writes", getRange(), getValue().getType());
  return success(buffer);
}

//===----------------------------------------------------------------------===//
// Programs: values of other members
//===----------------------------------------------------------------------===//

/// Ranges that the runtime reads or, with `written`, writes.
static LogicalResult checkValues(Operation *op, SymbolTableCollection &symbols,
                                 ArrayAttr ranges, bool written) {
  for (auto range : ranges.getAsRange<TypedRangeAttr>()) {
    BufferOp buffer =
        checkRange(op, symbols, written ? "writes" : "reads", range.getRange());
    if (!buffer ||
        failed(checkAligned(op, buffer, range.getOffset(), range.getType())))
      return failure();
  }
  return success();
}

#define VALUES(OP, LIST, WRITTEN)                                              \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbols) {         \
    return checkValues(*this, symbols, LIST(), WRITTEN);                       \
  }
VALUES(StartOp, getIns, false)
VALUES(ExchangeOp, getIns, false)
VALUES(PushOp, getIns, false)
VALUES(GrantOp, getIns, false)
VALUES(CollectOp, getOuts, true)
#undef VALUES

LogicalResult AwaitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(checkValues(*this, symbols, getOuts(), /*written=*/true)))
    return failure();
  if (!getFirst())
    return success();
  if (getOuts().empty())
    return emitOpError("has first bytes of nothing");
  auto brought = cast<TypedRangeAttr>(getOuts()[0]);
  if (int64_t(*getFirst()) >= brought.getSize() ||
      *getFirst() % bytesOf(brought.getType()) != 0)
    return emitOpError("waits for the first ")
           << *getFirst() << " of " << brought.getSize()
           << " bytes; they must be fewer, and whole numbers";
  return checkPart(*this, symbols, brought, "brings");
}

LogicalResult CopyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  BufferOp from = checkRange(*this, symbols, "reads", getFrom());
  BufferOp to = checkRange(*this, symbols, "writes", getTo());
  if (!from || !to)
    return failure();
  if (getFrom().getSize() != getTo().getSize())
    return emitOpError("copies ")
           << getFrom().getSize() << " bytes to " << getTo().getSize();
  return success();
}

LogicalResult ClearOp::verifySymbolUses(SymbolTableCollection &symbols) {
  BufferOp buffer = checkRange(*this, symbols, "writes", getRange());
  return success(buffer);
}

/// Only values have memory that can be exchanged.
static LogicalResult checkValue(Operation *op, SymbolTableCollection &symbols,
                                FlatSymbolRefAttr name) {
  BufferOp buffer = findBuffer(op, symbols, name);
  if (!buffer)
    return failure();
  if (!buffer.isValue())
    return op->emitOpError("needs a value, but ")
           << name << " is in the " << stringifyArenaRegion(buffer.getRegion())
           << " region";
  return success();
}

LogicalResult RenewOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkValue(*this, symbols, getBufferAttr());
}

LogicalResult DropOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkValue(*this, symbols, getBufferAttr());
}

LogicalResult LookOp::verifySymbolUses(SymbolTableCollection &symbols) {
  BufferOp from = checkRange(*this, symbols, "reads", getFrom());
  if (!from || failed(checkValue(*this, symbols, getBufferAttr())))
    return failure();
  if (from.isValue())
    return emitOpError("shows a cell, but ")
           << getFrom().getBuffer() << " is a value";
  if (from.getRegion() == ArenaRegion::Host)
    return emitOpError("shows a cell that a device reaches, but ")
           << getFrom().getBuffer() << " is in the host region";
  auto to = symbols.lookupNearestSymbolFrom<BufferOp>(*this, getBufferAttr());
  if (getFrom().getSize() != static_cast<int64_t>(to.getBytes()))
    return emitOpError("shows ")
           << getFrom().getSize() << " bytes in a value of " << to.getBytes();
  return success();
}
