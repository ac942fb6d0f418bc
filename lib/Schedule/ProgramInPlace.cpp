// Which values of a program are computed over others: cells, what loops carry,
// and sums of gradients.
#include "ProgramPlaces.h"

#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Support/Stage.h"

using namespace mlir;
using namespace rubato;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

static bool overlaps(Address a, int64_t aBytes, Address b, int64_t bBytes) {
  return a.buffer == b.buffer && a.offset < b.offset + bBytes &&
         b.offset < a.offset + aBytes;
}

/// Whether `call` may write `bytes` at `address`, whose old content nobody
/// reads afterwards.
bool ProgramPlaces::mayWrite(func::CallOp call, Address address, int64_t bytes,
                             Operation *sink) {
  func::FuncOp kernel = kernelOf(call);
  auto adds = kernel->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr);
  bool indexByIndex = KernelFacts::of(kernel).indexByIndex;
  auto reads = [&](Value value) {
    return isTensor(value.getType()) && placement.isPlaced(value) &&
           overlaps(placement.at(value), bytesOf(value.getType()), address,
                    bytes);
  };
  for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
    if (!reads(operand))
      continue;
    // Index by index, or added to: read before it is written.
    bool inPlace =
        placement.at(operand) == address &&
        bytesOf(operand.getType()) == bytes &&
        (indexByIndex || (adds && llvm::is_contained(adds.asArrayRef(),
                                                     static_cast<int64_t>(i))));
    if (!inPlace)
      return false;
  }
  for (Operation *op = call->getNextNode(); op; op = op->getNextNode()) {
    bool read = op->walk([&](Operation *inner) {
                    if (isa<nn::UnpackOp, nn::ReshapeOp>(inner))
                      return WalkResult::advance(); // a view reads nothing yet
                    return llvm::any_of(inner->getOperands(), reads)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  }).wasInterrupted();
    if (read)
      return false;
    if (op == sink)
      break;
  }
  return true;
}

void ProgramPlaces::tryDirect(Value value, Address address, Operation *sink) {
  Operation *def = value.getDefiningOp();
  // Counts and losses are copied by the host; parameters, however few, are not.
  if (placement.isPlaced(value) ||
      (bytesOf(value.getType()) <= 8 && !isa_and_nonnull<nn::PackOp>(def)))
    return;
  if (!def || def->getBlock() != sink->getBlock())
    return;
  if (auto pack = dyn_cast<nn::PackOp>(def)) {
    auto layout = SymbolTable::lookupNearestSymbolFrom<nn::LayoutOp>(
        pack, pack.getLayoutAttr());
    for (auto [slot, operand] : llvm::zip(layout.slots(), pack.getValues())) {
      int64_t width = slot.getType().getElementTypeBitWidth() / 8;
      Address part{address.buffer, address.offset + slot.getOffset() * width};
      auto same = operand.getDefiningOp<nn::UnpackOp>();
      if (same && placement.isPlaced(operand) && placement.at(operand) == part)
        continue; // passed through
      Value computed = operand;
      while (auto reshape = computed.getDefiningOp<nn::ReshapeOp>())
        computed = reshape.getInput();
      auto call = computed.getDefiningOp<func::CallOp>();
      if (!call || placement.isPlaced(computed) ||
          call->getBlock() != sink->getBlock() ||
          !mayWrite(call, part, bytesOf(operand.getType()), sink))
        return;
    }
    (void)placement.direct(value, address);
    return;
  }
  auto call = dyn_cast<func::CallOp>(def);
  if (call && mayWrite(call, address, bytesOf(value.getType()), sink))
    placement.set(value, address);
}

Value ProgramPlaces::accumulated(func::CallOp call) const {
  auto adds =
      kernelOf(call)->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr);
  if (!adds || adds.empty())
    return {};
  Value flat = origin(call.getOperand(adds[0]));
  for (int64_t index : adds.asArrayRef())
    if (origin(call.getOperand(index)) != flat)
      return {};
  return flat;
}

/// Gradients that nothing above has placed: added to in place where that is
/// the last use of the accumulator, else at a place of their own.
LogicalResult ProgramPlaces::placePacks(Block &block) {
  for (auto pack : block.getOps<nn::PackOp>()) {
    if (placement.isPlaced(pack))
      continue;
    Value flat;
    for (Value operand : pack.getValues()) {
      while (auto reshape = operand.getDefiningOp<nn::ReshapeOp>())
        operand = reshape.getInput();
      if (auto call = operand.getDefiningOp<func::CallOp>();
          call && !flat && isKernelCall(call))
        flat = accumulated(call);
    }
    if (flat && !flat.getDefiningOp<gsync::ZeroOp>() &&
        placement.isPlaced(flat)) {
      tryDirect(pack, placement.at(flat), block.getTerminator());
      if (!placement.isPlaced(pack))
        return pack.emitOpError("schedule: adds to a value that is still read "
                                "afterwards");
      continue;
    }
    if (failed(placement.direct(pack, {own("gradient", pack.getType()), 0})))
      return failure();
  }
  return success();
}

ProgramPlaces::Fresh ProgramPlaces::freshness(func::CallOp call) const {
  Value flat = accumulated(call);
  if (!flat)
    return Fresh::Never;
  if (flat.getDefiningOp<gsync::ZeroOp>())
    return Fresh::Always;
  auto argument = dyn_cast<BlockArgument>(flat);
  auto repeat =
      argument ? dyn_cast<gsync::RepeatOp>(argument.getOwner()->getParentOp())
               : gsync::RepeatOp();
  if (!repeat || argument.getArgNumber() == 0 ||
      call->getBlock() != argument.getOwner() ||
      clearing(repeat, argument.getArgNumber() - 1) == Clearing::Always)
    return Fresh::Never;
  return Fresh::FirstBody;
}

bool rubato::isCounted(gsync::RepeatOp repeat) {
  return !repeat.getUntil() && repeat.getAtLeast() == repeat.getAtMost();
}

/// The first body need not find zeros if all that reads the value in it has a
/// variant that starts from zero.
ProgramPlaces::Clearing ProgramPlaces::clearing(gsync::RepeatOp repeat,
                                                unsigned index) const {
  Value init = repeat.getInits()[index];
  if (!init.getDefiningOp<gsync::ZeroOp>())
    return Clearing::Always;
  APInt least;
  bool certain = matchPattern(repeat.getAtLeast(), m_ConstantInt(&least)) &&
                 least.getSExtValue() >= 1;
  if (!certain && !isCounted(repeat))
    return Clearing::Always;
  bool cleared = false;
  Value argument = repeat.getBody().front().getArgument(index + 1);
  forEachReader(argument, [&](Operation *user) {
    if (isa<nn::UnpackOp, nn::ReshapeOp>(user))
      return;
    auto call = dyn_cast<func::CallOp>(user);
    cleared |= !call || call->getBlock() != &repeat.getBody().front() ||
               accumulated(call) != argument ||
               kernelOf(call)
                       ->getAttrOfType<DenseI64ArrayAttr>(kAccumulatorsAttr)
                       .size() !=
                   llvm::count_if(call.getOperands(), [&](Value operand) {
                     return origin(operand) == argument;
                   });
  });
  if (cleared)
    return Clearing::Always;
  return certain ? Clearing::Never : Clearing::IfEmpty;
}
