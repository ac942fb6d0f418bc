// Where values live: named buffers, and addresses in them.
#include "Placement.h"

#include "ArenaPlanner.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"

using namespace mlir;
using namespace rubato;

int64_t rubato::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
}

std::string Placement::uniqueName(StringRef wanted) const {
  std::string name = wanted.str();
  auto taken = [&](const Buffer &buffer) { return buffer.name == name; };
  for (unsigned i = 1; llvm::any_of(buffers, taken); ++i)
    name = (wanted + "." + llvm::Twine(i)).str();
  return name;
}

unsigned Placement::addBuffer(StringRef name, sched::ArenaRegion region,
                              int64_t bytes) {
  if (region == sched::ArenaRegion::Value) {
    int64_t number = llvm::count_if(buffers, std::mem_fn(&Buffer::isValue));
    buffers.push_back({uniqueName(name), region, bytes, number});
    return buffers.size() - 1;
  }
  int64_t &end = pinnedBytes[static_cast<int>(region)];
  buffers.push_back({uniqueName(name), region, bytes, end});
  end = alignUp(end + bytes);
  return buffers.size() - 1;
}

void Placement::pin(unsigned index) {
  Buffer &buffer = buffers[index];
  // The values behind it move up.
  for (Buffer &other : buffers)
    if (other.isValue() && other.offset > buffer.offset)
      --other.offset;
  int64_t &end = pinnedBytes[static_cast<int>(sched::ArenaRegion::Private)];
  buffer.region = sched::ArenaRegion::Private;
  buffer.offset = end;
  end = alignUp(end + buffer.bytes);
}

/// The layout a pack or an unpack names.
template <typename Op> static nn::LayoutOp layoutOf(Op op) {
  return SymbolTable::lookupNearestSymbolFrom<nn::LayoutOp>(op,
                                                            op.getLayoutAttr());
}

static int64_t byteOffset(nn::SlotAttr slot) {
  return slot.getOffset() * (slot.getType().getElementTypeBitWidth() / 8);
}

LogicalResult Placement::direct(Value value, Address address) {
  if (isPlaced(value)) {
    if (at(value) == address)
      return success();
    return emitError(value.getLoc()) << "value is needed in two places: "
                                     << buffers[at(value).buffer].name
                                     << " and " << buffers[address.buffer].name;
  }
  set(value, address);
  Operation *def = value.getDefiningOp();
  if (auto pack = dyn_cast_or_null<nn::PackOp>(def)) {
    for (auto [slot, operand] :
         llvm::zip(layoutOf(pack).slots(), pack.getValues())) {
      Address part{address.buffer, address.offset + byteOffset(slot)};
      // A slot without gradient passes its accumulator through, unchanged.
      auto same = operand.getDefiningOp<nn::UnpackOp>();
      if (same && same.getSlot() == slot.getName())
        continue;
      if (failed(direct(operand, part)))
        return failure();
    }
  }
  if (auto reshape = dyn_cast_or_null<nn::ReshapeOp>(def))
    return direct(reshape.getInput(), address);
  if (auto repeat = dyn_cast_or_null<gsync::RepeatOp>(def)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    Block &body = repeat.getBody().front();
    set(body.getArgument(index + 1), address); // after the body's index
    return direct(body.getTerminator()->getOperand(index), address);
  }
  return success();
}

void Placement::placeViews(Block &block) {
  block.walk([&](Operation *op) {
    if (auto unpack = dyn_cast<nn::UnpackOp>(op)) {
      if (!isPlaced(unpack.getFlat()) || isPlaced(unpack.getValue()))
        return;
      Address flat = at(unpack.getFlat());
      nn::SlotAttr slot = layoutOf(unpack).lookup(unpack.getSlot());
      set(unpack.getValue(), {flat.buffer, flat.offset + byteOffset(slot)});
    } else if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
      if (isPlaced(reshape.getInput()) && !isPlaced(reshape.getResult()))
        set(reshape.getResult(), at(reshape.getInput()));
    }
  });
}

/// The value whose memory `value` shows, looking through views.
static Value origin(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto unpack = dyn_cast<nn::UnpackOp>(def))
      value = unpack.getFlat();
    else if (auto reshape = dyn_cast<nn::ReshapeOp>(def))
      value = reshape.getInput();
    else
      break;
  }
  return value;
}

void Placement::placeScratch(ArrayRef<func::CallOp> order, StringRef prefix) {
  llvm::MapVector<Value, ArenaRequest> requests;
  for (auto [step, call] : llvm::enumerate(order)) {
    auto now = static_cast<int64_t>(step);
    for (Value operand : call->getOperands())
      if (auto found = requests.find(origin(operand)); found != requests.end())
        found->second.last = now;
    for (Value result : call->getResults())
      if (!isPlaced(result))
        requests.insert({result, {bytesOf(result.getType()), now, now}});
  }
  SmallVector<ArenaRequest> plan(llvm::make_second_range(requests));
  scratchBytes = std::max(scratchBytes, planArena(plan));
  for (auto [value, request] :
       llvm::zip(llvm::make_first_range(requests), plan)) {
    auto result = cast<OpResult>(value);
    auto call = cast<func::CallOp>(result.getOwner());
    std::string name = uniqueName((prefix + "." + call.getCallee()).str());
    buffers.push_back(
        {name, sched::ArenaRegion::Scratch, request.bytes, request.offset});
    scratch.push_back(buffers.size() - 1);
    set(value, {static_cast<unsigned>(buffers.size() - 1), 0});
  }
}

int64_t Placement::finish(sched::ArenaRegion region) {
  int64_t pinned = pinnedBytes[static_cast<int>(region)];
  if (region != sched::ArenaRegion::Scratch)
    return pinned;
  for (unsigned index : scratch)
    buffers[index].offset += pinned;
  return pinned + scratchBytes;
}
