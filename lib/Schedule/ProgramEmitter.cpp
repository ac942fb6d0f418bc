// Writes the parts of a role as programs that run segments.
#include "ProgramEmitter.h"

#include "SegmentValues.h"

#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rubato;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

//===----------------------------------------------------------------------===//
// Memory and numbers of the host
//===----------------------------------------------------------------------===//

Type ProgramEmitter::hostType(Type type) {
  // Futures and sets of members are handles.
  return isa<gsync::FutureType, gsync::MembersType>(type) ? b.getI64Type()
                                                          : type;
}

sched::RangeAttr ProgramEmitter::bytes(Address address, int64_t size) {
  return sched::RangeAttr::get(
      b.getContext(),
      FlatSymbolRefAttr::get(b.getContext(),
                             places.places().buffer(address.buffer).name),
      address.offset, size);
}

Address ProgramEmitter::addressOf(Value value) {
  if (value.getDefiningOp<gsync::ZeroOp>() && !places.places().isPlaced(value))
    return places.zeros(value.getType());
  return places.places().at(value);
}

Value ProgramEmitter::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, value, 64);
}

void ProgramEmitter::write(Value number, Address address) {
  if (number.getType().isInteger(1))
    number = arith::ExtUIOp::create(b, b.getI64Type(), number);
  sched::WriteOp::create(b, number,
                         bytes(address, sched::bytesOf(number.getType())));
}

Value ProgramEmitter::read(Address address, Type type) {
  Type stored = type.isInteger(1) ? Type(b.getI64Type()) : type;
  Value number =
      sched::ReadOp::create(b, stored, bytes(address, sched::bytesOf(stored)));
  if (!type.isInteger(1))
    return number;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number,
                               constant(0));
}

SmallVector<Value> ProgramEmitter::getNumbers(ValueRange values) {
  SmallVector<Value> numbers;
  for (Value value : values)
    if (!isTensor(value.getType()))
      numbers.push_back(get(value));
  return numbers;
}

sched::TypedRangeAttr ProgramEmitter::typedRange(Address address, Type type) {
  Type element = type;
  int64_t count = 1;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    count = tensor.getNumElements();
  }
  if (element.isInteger(1))
    element = b.getI64Type();
  sched::RangeAttr range = bytes(address, count * sched::bytesOf(element));
  return sched::TypedRangeAttr::get(b.getContext(), range.getBuffer(),
                                    range.getOffset(), range.getSize(),
                                    element);
}

ArrayAttr ProgramEmitter::rangesOf(ValueRange values) {
  SmallVector<Attribute> ranges;
  for (Value value : values) {
    if (isTensor(value.getType())) {
      ranges.push_back(typedRange(addressOf(value), value.getType()));
      continue;
    }
    Address slot = places.newSlot("operand");
    write(get(value), slot);
    ranges.push_back(typedRange(slot, hostType(value.getType())));
  }
  return b.getArrayAttr(ranges);
}

ArrayAttr ProgramEmitter::resultRanges(ValueRange results) {
  SmallVector<Attribute> ranges;
  for (Value result : results)
    ranges.push_back(isTensor(result.getType())
                         ? typedRange(addressOf(result), result.getType())
                         : typedRange(places.slotOf(result), result.getType()));
  return b.getArrayAttr(ranges);
}

void ProgramEmitter::readNumbers(ValueRange results) {
  for (Value result : results)
    if (!isTensor(result.getType()))
      mapping.map(result, read(places.slotOf(result), result.getType()));
}

LogicalResult ProgramEmitter::assign(ArrayRef<Assignment> assignments,
                                     Operation *where) {
  // Zeros are written, not copied from somewhere.
  auto isZero = [&](Value value) {
    return value.getDefiningOp<gsync::ZeroOp>() &&
           !places.places().isPlaced(value);
  };
  SmallVector<Assignment> left;
  for (const Assignment &each : assignments)
    if (isZero(each.value) || !(addressOf(each.value) == each.to))
      left.push_back(each);
  while (!left.empty()) {
    // One whose destination no other still reads.
    auto *free = llvm::find_if(left, [&](const Assignment &each) {
      return llvm::none_of(left, [&](const Assignment &other) {
        return &other != &each && !isZero(other.value) &&
               addressOf(other.value).buffer == each.to.buffer;
      });
    });
    if (free == left.end())
      return where->emitOpError("schedule: values that change places with each "
                                "other");
    int64_t size = bytesOf(free->value.getType());
    if (isZero(free->value))
      sched::ClearOp::create(b, bytes(free->to, size));
    else
      sched::CopyOp::create(b, bytes(addressOf(free->value), size),
                            bytes(free->to, size));
    left.erase(free);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void ProgramEmitter::launch(OpBuilder &at, func::CallOp call, bool fresh) {
  auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
  SmallVector<Value> operands(call.getOperands());
  ProgramPlaces::Fresh how = places.freshness(call);
  bool isFresh = how == ProgramPlaces::Fresh::Always ||
                 (fresh && how == ProgramPlaces::Fresh::FirstBody);
  if (isFresh) {
    auto indices = kernel->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr);
    for (int64_t index : llvm::reverse(indices.asArrayRef()))
      operands.erase(operands.begin() + index);
    auto variant = kernel->getAttrOfType<FlatSymbolRefAttr>(kFreshAttr);
    kernel = module.lookupSymbol<func::FuncOp>(variant.getAttr());
  }
  SmallVector<Attribute> args, reads, writes;
  auto add = [&](Value value, SmallVectorImpl<Attribute> &accesses) {
    Address address = addressOf(value);
    sched::RangeAttr range = bytes(address, bytesOf(value.getType()));
    args.push_back(sched::PlaceAttr::get(b.getContext(), range.getBuffer(),
                                         range.getOffset()));
    accesses.push_back(range);
  };
  for (Value operand : operands)
    add(operand, reads);
  for (Value result : call.getResults())
    add(result, writes);
  auto op = sched::LaunchOp::create(
      at, call.getLoc(), sched::Lane::Compute, kernel.getName(), 0,
      KernelFacts::of(kernel).split, at.getArrayAttr(args),
      at.getArrayAttr(reads), at.getArrayAttr(writes));
  if (auto label = call->getAttrOfType<StringAttr>(kLabelAttr))
    op->setAttr(kLabelAttr,
                isFresh ? b.getStringAttr(label.getValue() + ".fresh") : label);
}

sched::SegmentOp ProgramEmitter::buildSegment(StringRef name, bool fresh) {
  OpBuilder at = OpBuilder::atBlockEnd(module.getBody());
  auto segment = sched::SegmentOp::create(at, module.getLoc(), name);
  at.setInsertionPointToEnd(segment.getLine());
  for (func::CallOp call : pending)
    launch(at, call, fresh);
  return segment;
}

/// Runs the segment of what is pending, with values that it may write.
void ProgramEmitter::run(StringRef name, bool fresh) {
  const Placement &placement = places.places();
  auto valueBytes = [&](StringAttr name) -> std::optional<int64_t> {
    for (const Buffer &buffer : placement.allBuffers())
      if (buffer.name == name.getValue())
        return buffer.isValue() ? std::optional(buffer.bytes) : std::nullopt;
    return std::nullopt;
  };
  for (auto [buffer, keep] :
       writtenValues(buildSegment(name, fresh), valueBytes))
    sched::RenewOp::create(b, buffer.getValue(), keep);
  sched::RunOp::create(b, name);
}

void ProgramEmitter::drop(unsigned buffer) {
  sched::DropOp::create(b, places.places().buffer(buffer).name);
}

void ProgramEmitter::dropAfter(Operation *op) {
  if (pending.empty())
    llvm::for_each(lives.endingAt(op), [&](unsigned each) { drop(each); });
  else
    llvm::append_range(dropped, lives.endingAt(op));
}

void ProgramEmitter::flush() {
  if (pending.empty())
    return;
  std::string name = part + (work.empty() ? "" : "." + work.str()) + "." +
                     std::to_string(segments++);
  bool varies = llvm::any_of(pending, [&](func::CallOp call) {
    return places.freshness(call) == ProgramPlaces::Fresh::FirstBody;
  });
  if (!varies) {
    run(name, /*fresh=*/false);
  } else {
    // The first body of a loop finds nothing to add to.
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bodyIndex,
                                        constant(0));
    auto branch = scf::IfOp::create(b, first, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    run(name, /*fresh=*/false);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    run(name + ".fresh", /*fresh=*/true);
  }
  pending.clear();
  for (unsigned buffer : std::exchange(dropped, {}))
    drop(buffer);
}

//===----------------------------------------------------------------------===//
// Parts and blocks
//===----------------------------------------------------------------------===//

LogicalResult ProgramEmitter::emitPart(Operation *op, StringRef name) {
  part = name.str();
  segments = 0;
  mapping.clear();
  lives = ValueLives(op, places.places());
  bool isStrand = isa<gsync::StrandOp>(op);
  b.setLoc(op->getLoc());
  b.setInsertionPointToEnd(module.getBody());
  auto program = sched::ProgramOp::create(b, name, /*hasGo=*/isStrand);
  b.setInsertionPointToEnd(&program.getBody().front());
  Block &block = op->getRegion(0).front();
  for (auto [argument, place] :
       llvm::zip(block.getArguments(), places.carried(op)))
    if (!isTensor(argument.getType()))
      mapping.map(argument, read(place, hostType(argument.getType())));
  if (failed(emitBlock(block)))
    return failure();
  flush();
  Operation *end = block.getTerminator();
  // What is carried: by the strand itself, or first of all by init.
  ValueRange values;
  if (isStrand)
    values = cast<gsync::NextOp>(end).getCarried();
  else if (isa<gsync::InitOp>(op))
    values = cast<gsync::YieldOp>(end).getValues();
  SmallVector<Assignment> tensors;
  for (auto [value, place] : llvm::zip(values, places.carried(op)))
    if (isTensor(value.getType()))
      tensors.push_back({value, place});
  if (failed(assign(tensors, end)))
    return failure();
  for (auto [value, place] : llvm::zip(values, places.carried(op)))
    if (!isTensor(value.getType()))
      write(get(value), place);
  dropAfter(end);
  if (isStrand)
    sched::ReturnOp::create(b, get(cast<gsync::NextOp>(end).getGo()));
  else
    sched::ReturnOp::create(b);
  return success();
}

LogicalResult ProgramEmitter::emitFunction(func::FuncOp function,
                                           StringRef name) {
  part = name.str();
  segments = 0;
  mapping.clear();
  lives = ValueLives(function, places.places());
  b.setLoc(function.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  auto program = sched::ProgramOp::create(b, name, /*hasGo=*/false);
  b.setInsertionPointToEnd(&program.getBody().front());
  if (failed(emitBlock(function.getBody().front())))
    return failure();
  flush();
  sched::ReturnOp::create(b);
  return success();
}

LogicalResult ProgramEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    b.setLoc(op.getLoc());
    if (endsSegment(&op))
      flush();
    if (failed(emit(&op)))
      return failure();
    b.setLoc(op.getLoc());
    dropAfter(&op);
  }
  return success();
}

LogicalResult ProgramEmitter::emit(Operation *op) {
  if (isKernelCall(op)) {
    pending.push_back(cast<func::CallOp>(op));
    return success();
  }
  if (isa<nn::UnpackOp, nn::PackOp, nn::ReshapeOp, gsync::ZeroOp>(op))
    return success();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (isa<gsync::GsyncDialect>(op->getDialect()))
    return emitGsync(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    mapping.map(extract.getResult(),
                read(addressOf(extract.getTensor()), extract.getType()));
    return success();
  }
  if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    write(get(elements.getElements()[0]), addressOf(elements));
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isTensor(constant.getType())) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !places.places().isPlaced(constant))
      return op->emitOpError("schedule: a constant tensor outside a kernel");
    write(arith::ConstantOp::create(
              b, cast<TypedAttr>(dense.getValues<Attribute>()[0])),
          addressOf(constant));
    return success();
  }
  if (!isPure(op) || op->getNumRegions() != 0 ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError("schedule: not a value the host can compute");
  b.clone(*op, mapping);
  return success();
}
