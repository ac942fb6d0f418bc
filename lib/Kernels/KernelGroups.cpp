// Which operations of a block become one kernel.
#include "KernelGroups.h"

#include "dialects/nn/Nn.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace rubato;
using Kind = KernelGroup::Kind;

bool rubato::isView(Operation *op) {
  return isa<nn::UnpackOp, nn::PackOp, nn::ReshapeOp>(op);
}

bool rubato::isFree(Operation *op) {
  if (isa<arith::ConstantOp, nn::BroadcastOp>(op))
    return true;
  // Masks never travel between kernels: they are cheaper to compute again.
  if (op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.getElementType().isInteger(1);
}

static bool isElementwise(Operation *op) {
  return isa<nn::ReluOp, nn::SigmoidOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// What a kernel around `op` would be, or nothing where `op` is no tensor work.
static std::optional<Kind> kindOf(Operation *op) {
  if (op->getNumResults() != 1 || isView(op) || isFree(op) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  if (isa<nn::MatmulOp>(op))
    return Kind::Contraction;
  if (isElementwise(op))
    return Kind::Elementwise;
  if (isa<nn::NnDialect>(op->getDialect()) || isa<linalg::LinalgOp>(op))
    return Kind::Reduction;
  return std::nullopt;
}

static RankedTensorType shapeOf(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// A free operation that something outside every kernel reads must itself be
/// computed by a kernel.
static bool isNeededOutside(Operation *op) {
  return isFree(op) && !isa<arith::ConstantOp>(op) &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           return !isFree(user) &&
                  (user->getBlock() != op->getBlock() || !kindOf(user));
         });
}

KernelGroups::KernelGroups(Block &block, const TargetModel &target)
    : block(block), target(target) {
  for (Operation &op : block) {
    if (auto kind = kindOf(&op))
      place(&op, *kind);
    else if (isNeededOutside(&op))
      place(&op, Kind::Elementwise);
  }
  sinkProducers();
}

void KernelGroups::place(Operation *op, Kind kind) {
  if (kind == Kind::Elementwise) {
    // Join the latest group that computes an operand, where that is legal.
    for (Value operand : llvm::reverse(op->getOperands())) {
      KernelGroup *group = membership.lookup(operand.getDefiningOp());
      if (group && canJoin(op, group)) {
        group->ops.push_back(op);
        membership[op] = group;
        return;
      }
    }
  }
  storage.push_back(
      std::make_unique<KernelGroup>(KernelGroup{kind, shapeOf(op), {op}}));
  membership[op] = storage.back().get();
}

/// Values that a kernel around `op` would read, looking through free
/// operations, which are repeated inside.
static void forEachInput(Operation *op, function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (def && def->getBlock() == op->getBlock() && isFree(def))
      forEachInput(def, visit);
    else
      visit(operand);
  }
}

bool KernelGroups::dependsOn(Value value, KernelGroup *target) {
  llvm::SetVector<Operation *> worklist;
  llvm::SmallPtrSet<KernelGroup *, 16> seen;
  auto push = [&](Value v) {
    Operation *def = v.getDefiningOp();
    if (!def || def->getBlock() != &block)
      return;
    // A group runs as a whole: it needs the inputs of all its members.
    KernelGroup *group = membership.lookup(def);
    if (!group)
      worklist.insert(def);
    else if (seen.insert(group).second)
      worklist.insert_range(group->ops);
  };
  push(value);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    if (membership.lookup(worklist[i]) == target)
      return true;
    for (Value operand : worklist[i]->getOperands())
      push(operand);
  }
  return false;
}

bool KernelGroups::canJoin(Operation *op, KernelGroup *group) {
  if (shapeOf(op).getShape() != group->shape.getShape())
    return false;
  bool legal = true;
  forEachInput(op, [&](Value input) {
    Operation *def = input.getDefiningOp();
    if (!def || membership.lookup(def) != group)
      legal &= !dependsOn(input, group);
  });
  return legal;
}

KernelGroup *KernelGroups::onlyUser(KernelGroup *group) {
  KernelGroup *user = nullptr;
  // Free operations in between are repeated in the kernel, so their users
  // count.
  llvm::SetVector<Operation *> producers;
  producers.insert_range(group->ops);
  for (unsigned i = 0; i < producers.size(); ++i) {
    for (Operation *use : producers[i]->getUsers()) {
      if (use->getBlock() == &block && isFree(use)) {
        producers.insert(use);
        continue;
      }
      KernelGroup *other = membership.lookup(use);
      if (other == group)
        continue;
      if (!other || (user && user != other))
        return nullptr;
      user = other;
    }
  }
  return user;
}

void KernelGroups::sinkProducers() {
  // A producer whose results go to one kernel only is computed there.
  for (auto &entry : llvm::reverse(storage)) {
    KernelGroup *group = entry.get();
    KernelGroup *user = onlyUser(group);
    if (!user)
      continue;
    bool sameShape = group->shape.getShape() == user->shape.getShape();
    bool legal = false;
    switch (user->kind) {
    case Kind::Contraction:
      // As an operand of the epilogue, not of the product itself.
      legal = group->kind == Kind::Elementwise && sameShape &&
              !llvm::any_of(group->ops, [&](Operation *op) {
                return llvm::is_contained(op->getUsers(), user->ops.front());
              });
      break;
    case Kind::Reduction:
      legal = group->kind == Kind::Elementwise ||
              (group->kind == Kind::Reduction &&
               group->shape.getNumElements() <= target.mostRecomputed());
      break;
    case Kind::Elementwise:
      legal = group->kind == Kind::Elementwise && sameShape;
      break;
    }
    if (!legal)
      continue;
    user->ops.insert(user->ops.begin(), group->ops.begin(), group->ops.end());
    for (Operation *op : group->ops)
      membership[op] = user;
    group->ops.clear();
  }
  for (auto &group : storage)
    llvm::sort(group->ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
}

SmallVector<KernelGroup *> KernelGroups::groups() const {
  SmallVector<KernelGroup *> result;
  for (const auto &group : storage)
    if (!group->ops.empty())
      result.push_back(group.get());
  llvm::sort(result, [](KernelGroup *a, KernelGroup *b) {
    return a->ops.front()->isBeforeInBlock(b->ops.front());
  });
  return result;
}
