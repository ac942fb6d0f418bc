// In which order kernels and the operations around them stand.
#include "KernelOrder.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace rubato;

namespace {

class Orderer {
public:
  Orderer(Block &block, const KernelGroups &groups);
  FailureOr<SmallVector<KernelItem>> run();

private:
  bool isReady(const KernelItem &item);
  bool isReady(Operation *op, KernelGroup *own);
  bool isDone(Value value, KernelGroup *own);
  KernelItem *next();

  Block &block;
  const KernelGroups &groups;
  SmallVector<KernelItem> waiting;
  llvm::SmallPtrSet<Operation *, 32> done;
};

} // namespace

Orderer::Orderer(Block &block, const KernelGroups &groups)
    : block(block), groups(groups) {
  llvm::SmallPtrSet<KernelGroup *, 16> seen;
  for (Operation &op : block) {
    if (KernelGroup *group = groups.groupOf(&op)) {
      if (seen.insert(group).second)
        waiting.push_back({group, nullptr});
    } else if (!isFree(&op)) {
      waiting.push_back({nullptr, &op});
    }
  }
}

/// Whether `value` exists when a kernel of `own` (or null) is put out. Free
/// operations are repeated inside kernels, so what they read must exist.
bool Orderer::isDone(Value value, KernelGroup *own) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != &block || done.contains(def))
    return true;
  if (KernelGroup *group = groups.groupOf(def))
    return group == own;
  return isFree(def) && llvm::all_of(def->getOperands(), [&](Value operand) {
           return isDone(operand, own);
         });
}

bool Orderer::isReady(Operation *op, KernelGroup *own) {
  // Operands used inside regions count as well.
  WalkResult walk = op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!isDone(operand, own))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

bool Orderer::isReady(const KernelItem &item) {
  if (item.op)
    return isReady(item.op, nullptr);
  return llvm::all_of(item.group->ops,
                      [&](Operation *op) { return isReady(op, item.group); });
}

KernelItem *Orderer::next() {
  // Views first: they cost nothing and kernels wait for them.
  for (KernelItem &item : waiting)
    if (item.op && isView(item.op) && isReady(item))
      return &item;
  bool effectWaits = false;
  for (KernelItem &item : waiting) {
    bool hasEffect = item.op && !isView(item.op) && !isPure(item.op);
    if (!(hasEffect && effectWaits) && isReady(item))
      return &item;
    effectWaits |= hasEffect;
  }
  return nullptr;
}

FailureOr<SmallVector<KernelItem>> Orderer::run() {
  SmallVector<KernelItem> order;
  while (!waiting.empty()) {
    KernelItem *item = next();
    if (!item)
      return block.getParentOp()->emitError(
          "kernels that wait for each other; this is a bug of form-kernels");
    order.push_back(*item);
    waiting.erase(item);
    if (order.back().op)
      done.insert(order.back().op);
    else
      done.insert_range(order.back().group->ops);
  }
  return order;
}

FailureOr<SmallVector<KernelItem>>
rubato::orderItems(Block &block, const KernelGroups &groups) {
  return Orderer(block, groups).run();
}
