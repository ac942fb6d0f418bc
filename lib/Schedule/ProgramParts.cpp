// Finds the parts of a synchronous program.
#include "ProgramParts.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// The only operation of a kind directly in a block, or null; `ok` turns false
/// where there are several.
template <typename Op> static Op single(Block &block, bool &ok) {
  Op found;
  for (Op op : block.getOps<Op>()) {
    ok &= !found;
    found = op;
  }
  return found;
}

/// The call whose result `value` shows, looking through views.
static Operation *producer(Value value) {
  Operation *def = value.getDefiningOp();
  while (def && isa<nn::UnpackOp, nn::ReshapeOp>(def))
    def = def->getOperand(0).getDefiningOp();
  return def;
}

/// Calls that only produce small values for the reduction come as early as
/// their operands allow: these values ride with the first bucket.
static void hoistSmallOperands(SmallVectorImpl<func::CallOp> &calls,
                               AllReduceOp reduce) {
  for (Value operand : reduce.getValues()) {
    auto call = operand.getDefiningOp<func::CallOp>();
    auto type = cast<RankedTensorType>(operand.getType());
    auto *found = llvm::find(calls, call);
    if (!call || type.getRank() != 0 || found == calls.end())
      continue;
    calls.erase(found);
    unsigned position = 0;
    for (auto [i, earlier] : llvm::enumerate(calls))
      if (llvm::any_of(call.getOperands(), [&](Value v) {
            return producer(v) == earlier.getOperation();
          }))
        position = i + 1;
    calls.insert(calls.begin() + position, call);
  }
}

FailureOr<ProgramParts> ProgramParts::find(ModuleOp module) {
  ProgramParts parts;
  bool ok = true;
  auto role = single<RoleOp>(*module.getBody(), ok);
  if (!role || !ok)
    return module.emitError("schedule: expected one gsync.role");
  parts.strand = single<StrandOp>(role.getBody().front(), ok);
  if (!parts.strand || !ok)
    return role.emitOpError("schedule: expected one gsync.strand");
  Block &body = parts.strand.getBody().front();
  parts.repeat = single<RepeatOp>(body, ok);
  parts.reduce = single<AllReduceOp>(body, ok);
  parts.await = single<AwaitOp>(body, ok);
  parts.update = single<AtomicOp>(body, ok);
  if (!ok || !parts.reduce || !parts.await || !parts.update)
    return parts.strand.emitOpError(
        "schedule: expected one all_reduce with its await, one atomic and at "
        "most one repeat in the strand");
  if (parts.repeat && parts.repeat.getAtLeast() != parts.repeat.getAtMost())
    return parts.repeat.emitOpError(
        "schedule: only counted loops (equal bounds) can be scheduled");

  parts.gradient = module.lookupSymbol<func::FuncOp>("gradient");
  parts.evaluate = module.lookupSymbol<func::FuncOp>("evaluate");
  parts.layout = module.lookupSymbol<nn::LayoutOp>("params");
  if (!parts.gradient || !parts.evaluate || !parts.layout)
    return module.emitError(
        "schedule: needs @gradient, @evaluate and the layout @params");

  parts.roundCalls = llvm::to_vector(body.getOps<func::CallOp>());
  hoistSmallOperands(parts.roundCalls, parts.reduce);
  if (parts.repeat)
    parts.accumulateCalls =
        llvm::to_vector(parts.repeat.getBody().front().getOps<func::CallOp>());
  parts.updateCalls =
      llvm::to_vector(parts.update.getBody().front().getOps<func::CallOp>());
  parts.evaluateCalls =
      llvm::to_vector(parts.evaluate.getBody().front().getOps<func::CallOp>());
  return parts;
}
