// Where the values of a program live, part by part.
#include "ProgramPlaces.h"

#include "rubato/Support/Stage.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rubato;
using sched::ArenaRegion;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

bool rubato::isKernelCall(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return false;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return kernel && kernel->hasAttr(kKernelAttr);
}

bool rubato::endsSegment(Operation *op) {
  if (isKernelCall(op) || isa<nn::UnpackOp, nn::PackOp, nn::ReshapeOp>(op))
    return false;
  // Written into memory of their own, which no launch in front of them reads.
  if (isa<tensor::FromElementsOp, gsync::ZeroOp>(op))
    return false;
  return !isPure(op) || op->getNumRegions() != 0 || isa<tensor::ExtractOp>(op);
}

Value rubato::origin(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (isa<nn::UnpackOp, nn::ReshapeOp>(def))
      value = def->getOperand(0);
    else
      break;
  }
  return value;
}

func::FuncOp ProgramPlaces::kernelOf(func::CallOp call) const {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

unsigned ProgramPlaces::own(StringRef name, Type type) {
  // Of less it is cheaper to have a copy.
  constexpr int64_t cacheLine = 64;
  if (bytesOf(type) <= cacheLine)
    return ownPinned(name, type);
  return placement.addBuffer((partName + "." + name).str(), ArenaRegion::Value,
                             bytesOf(type));
}

unsigned ProgramPlaces::ownPinned(StringRef name, Type type) {
  return placement.addBuffer((partName + "." + name).str(),
                             ArenaRegion::Private, bytesOf(type));
}

Address ProgramPlaces::newSlot(StringRef name) {
  return {placement.addBuffer((partName + "." + name).str(),
                              ArenaRegion::Private, 8),
          0};
}

Address ProgramPlaces::zeros(Type type) {
  auto [found, isNew] = zeroBuffers.try_emplace(type, Address{0, 0});
  if (isNew)
    found->second = {
        placement.addBuffer("zeros", ArenaRegion::Private, bytesOf(type)), 0};
  return found->second;
}

ArrayRef<Address> ProgramPlaces::carried(Operation *strand) const {
  auto found = carriedBy.find(strand);
  return found == carriedBy.end() ? ArrayRef<Address>() : found->second;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult ProgramPlaces::run() {
  for (auto cell : module.getOps<gsync::CellOp>()) {
    int64_t bytes = isTensor(cell.getType()) ? bytesOf(cell.getType()) : 8;
    cells[cell.getSymName()] = {
        placement.addBuffer(cell.getSymName(), ArenaRegion::Private, bytes), 0};
  }
  for (auto role : module.getOps<gsync::RoleOp>()) {
    strandsOfRole = llvm::range_size(role.strands());
    // What strands carry is written by init and read by drain.
    SmallVector<Address> all;
    for (gsync::StrandOp strand : role.strands()) {
      partName = role.getSymName().str();
      if (strand.getLabel())
        partName += "." + strand.getLabel()->str();
      for (BlockArgument argument : strand.getBody().getArguments()) {
        Address place =
            isTensor(argument.getType())
                ? Address{ownPinned("carried", argument.getType()), 0}
                : newSlot("carried");
        carriedBy[strand].push_back(place);
        all.push_back(place);
        if (isTensor(argument.getType()))
          placement.set(argument, place);
      }
      if (failed(placePart(strand, partName)))
        return failure();
    }
    for (Operation &part : role.getBody().front()) {
      if (isa<gsync::StrandOp>(part))
        continue;
      std::string name =
          (role.getSymName() + "." + part.getName().stripDialect()).str();
      if (auto drain = dyn_cast<gsync::DrainOp>(part))
        for (auto [argument, place] :
             llvm::zip(drain.getBody().getArguments(), all))
          if (isTensor(argument.getType()))
            placement.set(argument, place);
      carriedBy[&part] = all;
      if (failed(placePart(&part, name)))
        return failure();
      if (auto model = dyn_cast<gsync::ModelOp>(part);
          model && failed(placeModel(model)))
        return failure();
    }
  }
  if (batch.empty())
    return module.emitError("schedule: no strand takes a batch");
  return failure(failed(placeEvaluation()) || failed(placeGradient()));
}

LogicalResult ProgramPlaces::placePart(Operation *part, StringRef name) {
  partName = name.str();
  return placeBlock(part->getRegion(0).front());
}

/// A model that is a cell stays where it is. Any other is looked at after its
/// part has ended.
LogicalResult ProgramPlaces::placeModel(gsync::ModelOp model) {
  Value flat = model.getBody().front().getTerminator()->getOperand(0);
  if (!placement.isPlaced(flat))
    return model.emitOpError("schedule: its value has no place in the arena");
  parameterPlace = placement.at(flat);
  if (placement.buffer(parameterPlace.buffer).isValue())
    placement.pin(parameterPlace.buffer);
  return success();
}

/// A training function that the runtime calls by itself: it reads the model,
/// and its numbers are looked at when it has returned.
LogicalResult ProgramPlaces::placeAlone(const nn::TrainingSignature &function,
                                        ArrayRef<nn::ResultRole> numbers) {
  placement.set(function.argument(nn::ArgumentRole::Parameters),
                parameterPlace);
  for (unsigned i : function.indices(nn::ArgumentRole::Frozen))
    placement.set(function.argument(i), cells.lookup("w_frozen"));
  for (auto [i, buffer] : llvm::zip(function.batch(), batch))
    placement.set(function.argument(i), {buffer, 0});
  for (nn::ResultRole role : numbers) {
    Value value = function.returned(role);
    unsigned buffer = ownPinned(nn::stringifyResultRole(role), value.getType());
    if (failed(placement.direct(value, {buffer, 0})))
      return failure();
  }
  return placeBlock(function.getFunction().getFunctionBody().front());
}

LogicalResult ProgramPlaces::placeEvaluation() {
  partName = "evaluate";
  using R = nn::ResultRole;
  return placeAlone(evaluate, {R::Loss, R::Correct, R::Valid});
}

/// It adds to a vector that is needed only until somebody has looked at it.
LogicalResult ProgramPlaces::placeGradient() {
  partName = "gradient";
  BlockArgument sum = gradient.argument(nn::ArgumentRole::Accumulator);
  placement.set(sum,
                {placement.addBuffer(partName + ".sum", ArenaRegion::Scratch,
                                     bytesOf(sum.getType())),
                 0});
  for (unsigned i : gradient.indices(nn::ArgumentRole::Step))
    placement.set(gradient.argument(i), newSlot("step"));
  using R = nn::ResultRole;
  return placeAlone(gradient, {R::Samples, R::Loss});
}

LogicalResult ProgramPlaces::placeBlock(Block &block) {
  for (Operation &op : block)
    if (failed(placeOperation(&op)))
      return failure();
  placement.placeViews(block);
  if (failed(placePacks(block)))
    return failure();
  placeRest(block);
  placement.placeViews(block);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult ProgramPlaces::placeOperation(Operation *op) {
  if (auto load = dyn_cast<gsync::LoadOp>(op)) {
    placeLoad(load);
    return success();
  }
  if (auto atomic = dyn_cast<gsync::AtomicOp>(op))
    return placeAtomic(atomic);
  if (auto repeat = dyn_cast<gsync::RepeatOp>(op))
    return placeRepeat(repeat);
  if (auto next = dyn_cast<gsync::NextBatchOp>(op))
    return placeBatch(next);
  if (isa<scf::IfOp>(op))
    return placeIf(op);
  if (isa<scf::WhileOp>(op))
    return placeWhile(op);
  if (isa<tensor::FromElementsOp>(op)) {
    placement.set(op->getResult(0), newSlot("number"));
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (type && type.getRank() == 0)
      placement.set(constant, newSlot("constant"));
    return success();
  }
  if (isa<gsync::GsyncDialect>(op->getDialect()) && !isa<gsync::ZeroOp>(op))
    placeWaiting(op);
  return success();
}

/// Results that the runtime brings, and numbers that it takes or brings.
void ProgramPlaces::placeWaiting(Operation *op) {
  StringRef name = op->getName().stripDialect();
  bool brings = isa<gsync::AwaitOp, gsync::CollectOp>(op);
  for (Value result : op->getResults()) {
    if (isTensor(result.getType()))
      placement.set(result, {own(name, result.getType()), 0});
    else if (brings && !isa<gsync::MembersType>(result.getType()))
      slots[result] = newSlot(name);
  }
}

LogicalResult ProgramPlaces::placeBatch(gsync::NextBatchOp next) {
  if (next.getResultTypes() != TypeRange(evaluate.batchTypes()))
    return next.emitOpError("schedule: takes another batch than @evaluate");
  if (batch.empty())
    for (unsigned i : evaluate.batch())
      batch.push_back(placement.addBuffer(
          ("batch." + evaluate.name(i)).str(), ArenaRegion::Scratch,
          bytesOf(evaluate.argument(i).getType())));
  for (auto [buffer, value] : llvm::zip(batch, next.getValues()))
    placement.set(value, {buffer, 0});
  return success();
}

/// Whether `op`, or something inside it, changes a cell.
static bool changes(Operation *op, FlatSymbolRefAttr cell) {
  return op
      ->walk([&](gsync::AtomicOp atomic) {
        return llvm::is_contained(atomic.getCells(), cell)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void rubato::forEachReader(Value value, function_ref<void(Operation *)> visit) {
  for (Operation *user : value.getUsers()) {
    visit(user);
    if (isa<nn::UnpackOp, nn::ReshapeOp>(user))
      forEachReader(user->getResult(0), visit);
  }
}

void ProgramPlaces::placeLoad(gsync::LoadOp load) {
  Value value = load.getValue();
  if (!isTensor(value.getType()))
    return; // a number of the host
  // It may show the cell itself if nobody changes that before its last use.
  Block *block = load->getBlock();
  Operation *last = load;
  forEachReader(value, [&](Operation *user) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (here && last->isBeforeInBlock(here))
      last = here;
  });
  bool changed = false;
  for (Operation *op = load; op; op = op->getNextNode()) {
    changed |= changes(op, load.getCellAttr());
    if (op == last)
      break;
  }
  if (strandsOfRole > 1) {
    auto role = load->getParentOfType<gsync::RoleOp>();
    Operation *part = load;
    while (part->getParentOp() != role)
      part = part->getParentOp();
    for (gsync::StrandOp other : role.strands())
      changed |= other != part && changes(other, load.getCellAttr());
  }
  if (changed) {
    placement.set(value, {own(load.getCell(), value.getType()), 0});
  } else {
    aliases.insert(load);
    placement.set(value, cells.lookup(load.getCell()));
  }
}

LogicalResult ProgramPlaces::placeAtomic(gsync::AtomicOp atomic) {
  Block &body = atomic.getBody().front();
  auto yield = cast<gsync::YieldOp>(body.getTerminator());
  auto names = atomic.getCells().getAsRange<FlatSymbolRefAttr>();
  for (auto [name, argument] : llvm::zip(names, body.getArguments()))
    if (isTensor(argument.getType()))
      placement.set(argument, cells.lookup(name.getValue()));
  for (Value result : atomic.getResults())
    if (isTensor(result.getType()))
      placement.set(result, {own("value", result.getType()), 0});
  placement.placeViews(body);
  for (auto [name, value] : llvm::zip(names, yield.getCells()))
    if (isTensor(value.getType()))
      tryDirect(value, cells.lookup(name.getValue()), yield);
  for (auto [result, value] : llvm::zip(atomic.getResults(), yield.getValues()))
    if (isTensor(value.getType()))
      tryDirect(value, placement.at(result), yield);
  return placeBlock(body);
}

LogicalResult ProgramPlaces::placeRepeat(gsync::RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [i, result] : llvm::enumerate(repeat.getResults())) {
    if (!isTensor(result.getType()))
      continue;
    Address place{own("loop", result.getType()), 0};
    placement.set(result, place);
    placement.set(body.getArgument(i + 1), place); // after the index
  }
  placement.placeViews(body);
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    if (isTensor(value.getType()))
      tryDirect(value, placement.at(repeat.getResults()[i]), yield);
  return placeBlock(body);
}

LogicalResult ProgramPlaces::placeIf(Operation *op) {
  for (Value result : op->getResults())
    if (isTensor(result.getType()))
      placement.set(result, {own("if", result.getType()), 0});
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Block &body = region.front();
    for (auto [result, value] :
         llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
      if (isTensor(value.getType()))
        tryDirect(value, placement.at(result), body.getTerminator());
    if (failed(placeBlock(body)))
      return failure();
  }
  return success();
}

LogicalResult ProgramPlaces::placeWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  for (BlockArgument argument : before.getArguments())
    if (isTensor(argument.getType()))
      placement.set(argument, {own("loop", argument.getType()), 0});
  if (failed(placeBlock(before)))
    return failure();
  // What the condition hands on unchanged stays where it is.
  for (auto [argument, result, value] :
       llvm::zip(after.getArguments(), loop.getResults(),
                 loop.getConditionOp().getArgs())) {
    if (!isTensor(value.getType()))
      continue;
    Address place = isa<BlockArgument>(value) &&
                            cast<BlockArgument>(value).getOwner() == &before
                        ? placement.at(value)
                        : Address{own("while", value.getType()), 0};
    placement.set(argument, place);
    placement.set(result, place);
  }
  placement.placeViews(after);
  Operation *yield = after.getTerminator();
  for (auto [argument, value] :
       llvm::zip(before.getArguments(), yield->getOperands()))
    if (isTensor(value.getType()))
      tryDirect(value, placement.at(argument), yield);
  return placeBlock(after);
}

//===----------------------------------------------------------------------===//
// What is left: scratch, or a place of its own
//===----------------------------------------------------------------------===//

void ProgramPlaces::placeRest(Block &block) {
  // Segments of the block, as the emitter cuts them.
  llvm::DenseMap<Operation *, unsigned> segment;
  SmallVector<SmallVector<func::CallOp>> calls(1);
  for (Operation &op : block) {
    if (isKernelCall(&op)) {
      segment[&op] = calls.size() - 1;
      calls.back().push_back(cast<func::CallOp>(op));
    } else if (endsSegment(&op) && !calls.back().empty()) {
      calls.emplace_back();
    }
  }
  for (ArrayRef<func::CallOp> line : calls) {
    for (func::CallOp call : line)
      for (Value result : call.getResults()) {
        if (placement.isPlaced(result))
          continue;
        bool local = true;
        forEachReader(result, [&](Operation *user) {
          auto other = segment.find(user);
          bool view = isa<nn::UnpackOp, nn::ReshapeOp>(user);
          local &= view || (other != segment.end() &&
                            other->second == segment.lookup(call));
        });
        if (!local)
          placement.set(result, {own(call.getCallee(), result.getType()), 0});
      }
    placement.placeScratch(line, partName);
  }
}
