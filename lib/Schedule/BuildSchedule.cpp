// Turns a program of kernel calls into overlapped segments.
#include "ArenaPlanner.h"
#include "Buckets.h"
#include "Placement.h"
#include "ProgramParts.h"
#include "ScheduleProgram.h"
#include "SegmentBuilder.h"
#include "UnitDescription.h"

#include "rubato/Kernels/SynchronousProgram.h"
#include "rubato/Schedule/Passes.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace rubato {
#define GEN_PASS_DEF_BUILDSCHEDULE
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using sched::ArenaRegion;

namespace {

class BuildSchedule : public rubato::impl::BuildScheduleBase<BuildSchedule> {
public:
  using BuildScheduleBase::BuildScheduleBase;

  void runOnOperation() override {
    const TargetModel *model =
        TargetModel::findOrReport(target, getOperation());
    if (!model)
      return signalPassFailure();
    if (kArenaAlignment % model->alignment() != 0) {
      getOperation().emitError("target '")
          << model->name() << "' wants buffers aligned to "
          << model->alignment() << " bytes, the arena is aligned to "
          << kArenaAlignment;
      return signalPassFailure();
    }
    if (!isSynchronous(getOperation())) {
      if (failed(scheduleProgram(getOperation())))
        return signalPassFailure();
      markStage();
      return;
    }
    auto signature = nn::TrainingSignature::findDefined(
        getOperation(), nn::TrainingKind::Evaluate);
    if (failed(signature))
      return signalPassFailure();
    evaluate = *signature;
    auto found = ProgramParts::find(getOperation());
    if (failed(found))
      return signalPassFailure();
    parts = *found;
    buckets = cutBuckets(parts.layout,
                         bucketBytes ? bucketBytes : model->bucketBytes());
    if (failed(placeCells()) || failed(placeBatch()) ||
        failed(placeReduction()) || failed(placeEvaluation()) ||
        failed(placeRest()))
      return signalPassFailure();
    renameKernels();
    if (failed(emitSegments()) || failed(emitRound()))
      return signalPassFailure();
    emitProgram("gradient", "accumulate");
    emitProgram("evaluate", "evaluate.batch");
    std::unique_ptr<Block> entries =
        describeRound(getOperation(), parts, placement);
    eraseProgram();
    emitArena();
    placeEntries(getOperation(), *entries);
    markStage();
  }

  void markStage() {
    getOperation()->setAttr(
        kStageAttr, StringAttr::get(&getContext(), stageName(Stage::Schedule)));
  }

private:
  LogicalResult placeCells();
  LogicalResult placeBatch();
  LogicalResult placeReduction();
  LogicalResult placeEvaluation();
  LogicalResult placeRest();
  void emitArena();
  void renameKernels();
  LogicalResult emitSegments();
  LogicalResult emitRound();
  void emitProgram(StringRef name, StringRef segment);
  void eraseProgram();
  FailureOr<Value> hostValue(ImplicitLocOpBuilder &b, Value value,
                             IRMapping &mapping);

  ProgramParts parts;
  std::optional<nn::TrainingSignature> evaluate;
  Placement placement;
  SmallVector<BucketRange> buckets;
  llvm::StringMap<unsigned> cells;
};

} // namespace

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

LogicalResult BuildSchedule::placeCells() {
  for (auto cell : getOperation().getOps<gsync::CellOp>())
    cells[cell.getSymName()] = placement.addBuffer(
        cell.getSymName(), ArenaRegion::Private, bytesOf(cell.getType()));
  parts.strand.walk([&](gsync::LoadOp load) {
    placement.set(load.getValue(), {cells.lookup(load.getCell()), 0});
  });

  // A load shows the cell itself, so it must not be used once it was changed.
  for (auto load : parts.strand.getBody().front().getOps<gsync::LoadOp>()) {
    bool written =
        llvm::is_contained(parts.update.getCells(), load.getCellAttr());
    for (Operation *user : load.getValue().getUsers())
      if (written && load->isBeforeInBlock(parts.update) &&
          user->getBlock() == load->getBlock() &&
          parts.update->isBeforeInBlock(user))
        return user->emitOpError("schedule: uses a cell's old value after the "
                                 "cell was changed; load it again");
  }

  Block &update = parts.update.getBody().front();
  Operation *yield = update.getTerminator();
  for (auto [i, name] : llvm::enumerate(
           parts.update.getCells().getAsRange<FlatSymbolRefAttr>())) {
    Address cell{cells.lookup(name.getValue()), 0};
    placement.set(update.getArgument(i), cell);
    Value next = yield->getOperand(i);
    if (next == update.getArgument(i))
      continue;
    if (failed(placement.direct(next, cell)))
      return failure();
    // The new value overwrites the old one: its other readers come first.
    for (Operation *user : update.getArgument(i).getUsers())
      if (next.getDefiningOp() && next.getDefiningOp()->isBeforeInBlock(user) &&
          user != yield)
        return user->emitOpError("schedule: reads cell ")
               << name << " after its new value was written";
  }
  return success();
}

LogicalResult BuildSchedule::placeBatch() {
  SmallVector<unsigned> buffers;
  for (unsigned i : evaluate->batch())
    buffers.push_back(placement.addBuffer(
        ("batch." + evaluate->name(i)).str(), ArenaRegion::Private,
        bytesOf(evaluate->argument(i).getType())));
  bool takes = false;
  WalkResult walk = parts.strand.walk([&](gsync::NextBatchOp next) {
    takes = true;
    if (next.getResultTypes() != TypeRange(evaluate->batchTypes())) {
      next.emitOpError("schedule: takes another batch than @evaluate");
      return WalkResult::interrupt();
    }
    for (auto [buffer, value] : llvm::zip(buffers, next.getValues()))
      placement.set(value, {buffer, 0});
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!takes)
    return parts.strand.emitOpError("schedule: takes no batch");

  // An evaluation reads the same cells and batch.
  placement.set(evaluate->argument(nn::ArgumentRole::Parameters),
                {cells.lookup("w"), 0});
  for (unsigned i : evaluate->indices(nn::ArgumentRole::Frozen))
    placement.set(evaluate->argument(i), {cells.lookup("w_frozen"), 0});
  for (auto [buffer, i] : llvm::zip(buffers, evaluate->batch()))
    placement.set(evaluate->argument(i), {buffer, 0});
  return success();
}

LogicalResult BuildSchedule::placeReduction() {
  std::string channel = parts.reduce.getChannel().str();
  for (auto [i, operand] : llvm::enumerate(parts.reduce.getValues())) {
    int64_t bytes = bytesOf(operand.getType());
    std::string suffix = std::to_string(i);
    unsigned in = placement.addBuffer(channel + ".in" + suffix,
                                      ArenaRegion::Shared, bytes);
    unsigned out = placement.addBuffer(channel + ".out" + suffix,
                                       ArenaRegion::Result, bytes);
    if (failed(placement.direct(operand, {in, 0})))
      return failure();
    placement.set(parts.await.getValues()[i], {out, 0});
  }
  if (!parts.repeat)
    return success();

  // What the loop accumulates is accumulated where the reduction reads it.
  for (Value carried : parts.repeat.getResults())
    for (Value operand : parts.reduce.getValues()) {
      if (operand.getType() != carried.getType())
        continue;
      bool accumulates = false;
      auto reads = [&](Value value) {
        if (auto call = value.getDefiningOp<func::CallOp>())
          for (Value input : call.getOperands()) {
            auto unpack = input.getDefiningOp<nn::UnpackOp>();
            accumulates |=
                input == carried || (unpack && unpack.getFlat() == carried);
          }
      };
      reads(operand);
      if (auto pack = operand.getDefiningOp<nn::PackOp>())
        llvm::for_each(pack.getValues(), reads);
      if (accumulates && !placement.isPlaced(carried) &&
          failed(placement.direct(carried, placement.at(operand))))
        return failure();
    }
  for (Value carried : parts.repeat.getResults())
    if (!placement.isPlaced(carried))
      return parts.repeat.emitOpError(
          "schedule: a carried value is not added to an operand of the "
          "reduction");
  return success();
}

LogicalResult BuildSchedule::placeEvaluation() {
  for (nn::ResultRole role :
       {nn::ResultRole::Loss, nn::ResultRole::Correct, nn::ResultRole::Valid}) {
    Value value = evaluate->returned(role);
    unsigned buffer =
        placement.addBuffer(("evaluate." + nn::stringifyResultRole(role)).str(),
                            ArenaRegion::Private, bytesOf(value.getType()));
    if (failed(placement.direct(value, {buffer, 0})))
      return failure();
  }
  return success();
}

LogicalResult BuildSchedule::placeRest() {
  auto place = [&](Block &block, ArrayRef<func::CallOp> calls,
                   StringRef prefix) {
    placement.placeScratch(calls, prefix, calls.size());
    placement.placeViews(block);
  };
  Block &strand = parts.strand.getBody().front();
  placement.placeViews(strand);
  placement.placeViews(parts.evaluate.getBody().front());
  // The round and its update run in one segment: one line of lifetimes.
  SmallVector<func::CallOp> round(parts.roundCalls);
  llvm::append_range(round, parts.updateCalls);
  // Buckets repeat the update, so what it uses stays until the end.
  placement.placeScratch(round, "round", parts.roundCalls.size());
  placement.placeViews(strand);
  if (parts.repeat)
    place(parts.repeat.getBody().front(), parts.accumulateCalls, "accumulate");
  place(parts.evaluate.getBody().front(), parts.evaluateCalls, "evaluate");

  WalkResult walk = getOperation().walk([&](func::CallOp call) {
    if (call->getParentOfType<func::FuncOp>() == parts.gradient)
      return WalkResult::advance();
    for (Value operand : call.getOperands())
      if (!placement.isPlaced(operand)) {
        call.emitOpError("schedule: operand has no place in the arena: ")
            << operand;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

void BuildSchedule::emitArena() {
  ModuleOp module = getOperation();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  int64_t bytes[3];
  for (auto region :
       {ArenaRegion::Private, ArenaRegion::Shared, ArenaRegion::Result})
    bytes[static_cast<int>(region)] = placement.finish(region);
  sched::ArenaOp::create(b, module.getLoc(), bytes[0], bytes[1], bytes[2],
                         /*scratch_bytes=*/0);
  for (const Buffer &buffer : placement.allBuffers())
    sched::BufferOp::create(b, module.getLoc(), buffer.name, buffer.region,
                            buffer.offset, buffer.bytes);
}

/// A node of the model may have the name of a buffer, segment or program.
void BuildSchedule::renameKernels() {
  llvm::StringSet<> ours;
  for (StringRef name :
       {"round", "gradient", "evaluate", "synchronise", "synchronise.fresh",
        "accumulate", "accumulate.fresh", "evaluate.batch"})
    ours.insert(name);
  for (const Buffer &buffer : placement.allBuffers())
    ours.insert(buffer.name);
  SymbolTable symbols(getOperation());
  for (auto kernel : getOperation().getOps<func::FuncOp>())
    if (kernel->hasAttr(kKernelAttr) && ours.contains(kernel.getName()))
      (void)symbols.rename(kernel, ("kernel." + kernel.getName()).str());
}

LogicalResult BuildSchedule::emitSegments() {
  SegmentBuilder segments(getOperation(), parts, placement, buckets);
  ArrayRef<func::CallOp> calls =
      parts.repeat ? parts.accumulateCalls : parts.roundCalls;
  if (failed(segments.verifyFresh(parts.roundCalls)) ||
      failed(segments.verifyFresh(calls)))
    return failure();
  segments.buildRound("synchronise", false);
  segments.buildRound("synchronise.fresh", true);
  segments.buildPlain("accumulate", calls, false);
  segments.buildPlain("accumulate.fresh", calls, true);
  segments.buildPlain("evaluate.batch", parts.evaluateCalls, false);
  return success();
}

/// A scalar of the program as host code: reads of the arena, arithmetic.
FailureOr<Value> BuildSchedule::hostValue(ImplicitLocOpBuilder &b, Value value,
                                          IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Operation *def = value.getDefiningOp();
  Value result;
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(def)) {
    result = sched::ReadOp::create(b, value.getType(),
                                   placement.range(extract.getTensor()));
  } else if (isa_and_nonnull<gsync::QuantaOp>(def)) {
    result = sched::QuantaOp::create(b, value.getType());
  } else if (def && isPure(def) && def->getNumRegions() == 0) {
    for (Value operand : def->getOperands())
      if (failed(hostValue(b, operand, mapping)))
        return failure();
    return b.clone(*def, mapping)->getResult(0);
  } else {
    return emitError(value.getLoc())
           << "schedule: not a value the host can compute";
  }
  mapping.map(value, result);
  return result;
}

LogicalResult BuildSchedule::emitRound() {
  ModuleOp module = getOperation();
  ImplicitLocOpBuilder b(parts.strand.getLoc(), &getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto program = sched::ProgramOp::create(b, "round", /*hasGo=*/true);
  b.setInsertionPointToEnd(&program.getBody().front());
  IRMapping mapping;

  // Small accumulators start at zero, stop requests ride in the reduction.
  if (parts.repeat)
    for (Value carried : parts.repeat.getResults()) {
      auto type = cast<RankedTensorType>(carried.getType());
      if (type.getRank() != 0)
        continue;
      Value zero =
          arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
      sched::WriteOp::create(b, zero, placement.range(carried));
    }
  for (auto stop :
       parts.strand.getBody().front().getOps<gsync::StopRequestedOp>()) {
    Value requested = sched::StopRequestedOp::create(b, b.getI64Type());
    sched::WriteOp::create(b, requested, placement.range(stop.getValue()));
  }

  auto batchAndRun = [&](OpBuilder &at, StringRef segment) {
    sched::NextBatchOp::create(at, b.getLoc());
    sched::WorkOp::create(at, b.getLoc(), /*ends=*/false, "gradient");
    sched::RunOp::create(at, b.getLoc(), segment);
    sched::WorkOp::create(at, b.getLoc(), /*ends=*/true, "gradient");
  };
  if (!parts.repeat) {
    batchAndRun(b, "synchronise.fresh");
  } else {
    auto count = hostValue(b, parts.repeat.getAtLeast(), mapping);
    if (failed(count))
      return failure();
    Value one = arith::ConstantIntOp::create(b, 1, 64);
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, *count, one);
    auto branch = scf::IfOp::create(b, none, /*withElse=*/true);
    OpBuilder single = branch.getThenBodyBuilder();
    batchAndRun(single, "synchronise.fresh");
    OpBuilder several = branch.getElseBodyBuilder();
    batchAndRun(several, "accumulate.fresh");
    auto loop = scf::ForOp::create(several, b.getLoc(), one, *count, one);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    batchAndRun(inner, "accumulate");
    batchAndRun(several, "synchronise");
  }
  auto next = cast<gsync::NextOp>(parts.strand.getBody().front().back());
  auto go = hostValue(b, next.getGo(), mapping);
  if (failed(go))
    return failure();
  sched::ReturnOp::create(b, *go);
  return success();
}

void BuildSchedule::emitProgram(StringRef name, StringRef segment) {
  ModuleOp module = getOperation();
  ImplicitLocOpBuilder b(module.getLoc(), &getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto program = sched::ProgramOp::create(b, name, /*hasGo=*/false);
  b.setInsertionPointToEnd(&program.getBody().front());
  sched::RunOp::create(b, segment);
  sched::ReturnOp::create(b);
}

void BuildSchedule::eraseProgram() {
  ModuleOp module = getOperation();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<gsync::RoleOp, gsync::CellOp, gsync::ChannelOp, gsync::GroupOp>(
            op) ||
        &op == parts.gradient || &op == parts.evaluate)
      op.erase();
}
