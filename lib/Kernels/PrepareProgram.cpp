// Brings a program into the form that kernels are made from.
#include "PrepareProgram.h"

#include "dialects/gsync/Gsync.h"
#include "rubato/Support/Stage.h"
#include "rubato/Support/Unsupported.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace rubato;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Copies the body of `call`'s function to where the call stands; the end of a
/// gradient says its `counts`.
static void inlineCall(func::CallOp call, func::FuncOp callee,
                       ArrayRef<unsigned> counts) {
  OpBuilder b(call);
  StringAttr name = call.getCalleeAttr().getAttr();
  gsync::WorkOp::create(b, call.getLoc(), /*ends=*/false, name, ValueRange());
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  SmallVector<Value> counted = llvm::map_to_vector(
      counts, [&](unsigned index) { return results[index]; });
  gsync::WorkOp::create(b, call.getLoc(), /*ends=*/true, name, counted);
  call.replaceAllUsesWith(results);
  call.erase();
}

static void inlineIntoRoles(ModuleOp module,
                            function_ref<bool(func::FuncOp)> wanted,
                            ArrayRef<unsigned> counts) {
  SymbolTable symbols(module);
  for (auto role : module.getOps<gsync::RoleOp>())
    for (bool changed = true; changed;) { // helpers may call helpers
      changed = false;
      SmallVector<func::CallOp> calls;
      role.walk([&](func::CallOp call) { calls.push_back(call); });
      for (func::CallOp call : calls) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        if (!wanted(callee) || callee->hasAttr(kKernelAttr))
          continue;
        inlineCall(call, callee, counts);
        changed = true;
      }
    }
}

void rubato::inlineGradients(ModuleOp module,
                             const nn::TrainingSignature &gradient) {
  inlineIntoRoles(
      module,
      [&](func::FuncOp callee) { return callee == gradient.getFunction(); },
      {gradient.index(nn::ResultRole::Samples),
       gradient.index(nn::ResultRole::Loss)});
}

void rubato::inlineOthers(ModuleOp module,
                          const nn::TrainingSignature &gradient) {
  inlineIntoRoles(
      module,
      [&](func::FuncOp callee) { return callee != gradient.getFunction(); },
      {});
}

//===----------------------------------------------------------------------===//
// Numbers of the host
//===----------------------------------------------------------------------===//

/// `number` as a tensor of rank 0, spread over `shape`.
static Value spread(ImplicitLocOpBuilder &b, Value number,
                    RankedTensorType type) {
  auto scalar = RankedTensorType::get({}, number.getType());
  Value value = tensor::FromElementsOp::create(b, scalar, number);
  if (type.getRank() == 0)
    return value;
  return nn::BroadcastOp::create(
      b, RankedTensorType::get(type.getShape(), number.getType()), value,
      b.getDenseI64ArrayAttr({}));
}

static void rewriteSelect(arith::SelectOp op, RankedTensorType type) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value wide = arith::ExtUIOp::create(b, b.getI64Type(), op.getCondition());
  Value mask = spread(b, wide, type);
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(cast<RankedTensorType>(mask.getType())));
  Value chosen = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, mask, zero);
  op.replaceAllUsesWith(
      arith::SelectOp::create(b, chosen, op.getTrueValue(), op.getFalseValue())
          .getResult());
  op.erase();
}

void rubato::bringNumbersIntoTensors(ModuleOp module) {
  for (auto role : module.getOps<gsync::RoleOp>())
    role.walk([](Operation *op) {
      if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
        ImplicitLocOpBuilder b(splat.getLoc(), splat);
        splat.replaceAllUsesWith(spread(b, splat.getInput(), splat.getType()));
        splat.erase();
      } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
        auto type = dyn_cast<RankedTensorType>(select.getType());
        if (type && select.getCondition().getType().isInteger(1))
          rewriteSelect(select, type);
      } else if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
        // Kernels start sums from a constant, not from somebody's memory.
        for (OpOperand &init : linalg.getDpsInitsMutable())
          if (auto zero = init.get().getDefiningOp<gsync::ZeroOp>()) {
            OpBuilder b(op);
            init.set(arith::ConstantOp::create(
                b, op->getLoc(),
                cast<TypedAttr>(b.getZeroAttr(zero.getType()))));
          }
      }
    });
}

/// Constants and broadcasts are repeated in every kernel that reads them, for
/// which they must stand in its block.
void rubato::sinkFreeOperations(ModuleOp module) {
  SmallVector<Operation *> free;
  for (auto role : module.getOps<gsync::RoleOp>())
    role.walk([&](Operation *op) {
      if (isa<nn::BroadcastOp>(op) ||
          (isa<arith::ConstantOp>(op) &&
           isa<RankedTensorType>(op->getResult(0).getType())))
        free.push_back(op);
    });
  // Users first: what they read sinks after them.
  for (Operation *op : llvm::reverse(free)) {
    llvm::SmallDenseMap<Block *, Operation *> copies;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Operation *user = use.getOwner();
      if (user->getBlock() == op->getBlock())
        continue;
      Operation *&copy = copies[user->getBlock()];
      if (!copy)
        copy = OpBuilder(user).clone(*op);
      else if (user->isBeforeInBlock(copy))
        copy->moveBefore(user);
      use.set(copy->getResult(0));
    }
    if (op->use_empty())
      op->erase();
  }
}

/// A copy would read again what the kernel has just written.
void rubato::computeHandedOutValues(ModuleOp module) {
  for (auto role : module.getOps<gsync::RoleOp>())
    role.walk([](gsync::AtomicOp atomic) {
      auto yield =
          cast<gsync::YieldOp>(atomic.getBody().front().getTerminator());
      for (OpOperand &value : yield.getValuesMutable()) {
        Operation *def = value.get().getDefiningOp();
        if (def && def->getBlock() == yield->getBlock() &&
            isa<RankedTensorType>(value.get().getType()) &&
            OpTrait::hasElementwiseMappableTraits(def) &&
            llvm::is_contained(yield.getCells(), value.get()))
          value.set(OpBuilder(def).clone(*def)->getResult(0));
      }
    });
}

//===----------------------------------------------------------------------===//
// What cannot be compiled
//===----------------------------------------------------------------------===//

LogicalResult rubato::checkCompilable(ModuleOp module,
                                      const TargetModel &target) {
  auto refuse = [](Operation *op, const Twine &why) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "kernels stage: cannot be compiled to native "
                                 "code: "
                              << why
                              << "; run the program of the sync stage with "
                                 "rubato-interp";
    markUnsupported(diag);
    return diag;
  };
  for (auto role : module.getOps<gsync::RoleOp>()) {
    WalkResult walk = role.walk([&](Operation *op) {
      if (isa<gsync::AllGatherOp, gsync::ReduceScatterOp>(op)) {
        refuse(op, "the size of its result depends on the number of members");
        return WalkResult::interrupt();
      }
      if (auto reduce = dyn_cast<gsync::AllReduceOp>(op);
          reduce && !reduce.getSparse().empty()) {
        refuse(op, "it has sparse operands");
        return WalkResult::interrupt();
      }
      if (auto repeat = dyn_cast<gsync::RepeatOp>(op);
          repeat &&
          static_cast<int64_t>(repeat.getAhead()) > target.mostAhead()) {
        refuse(op, "on " + target.name() + " at most " +
                       Twine(target.mostAhead()) +
                       " bodies run ahead of a poll");
        return WalkResult::interrupt();
      }
      if (isa<scf::SCFDialect>(op->getDialect()) &&
          !isa<scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op)) {
        refuse(op, "of the structured control flow only scf.if and scf.while "
                   "are lowered");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
