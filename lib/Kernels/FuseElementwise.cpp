// Fusion after nn-to-linalg: chains by upstream's patterns, siblings here.
#include "NnToLinalg.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

bool isParallel(linalg::GenericOp op) {
  return op.getNumLoops() == op.getNumParallelLoops();
}

/// Costs nothing to do again: a copy under another map, or scalar work, which
/// leaves the loops it is put into.
bool isCheap(linalg::GenericOp op) {
  return isParallel(op) && op->getNumResults() == 1 &&
         (op.getNumLoops() == 0 || llvm::hasSingleElement(*op.getBody()));
}

/// Gives every reader of a cheap operation its own copy, so that each can be
/// fused away.
void cloneCheapProducers(func::FuncOp function) {
  SmallVector<linalg::GenericOp> producers;
  function.walk([&](linalg::GenericOp op) { producers.push_back(op); });
  for (linalg::GenericOp op : llvm::reverse(producers)) {
    if (!isCheap(op))
      continue;
    OpBuilder b(op);
    for (OpOperand &use : llvm::drop_begin(
             llvm::make_early_inc_range(op->getResult(0).getUses())))
      if (isa<linalg::GenericOp>(use.getOwner()))
        use.set(b.clone(*op)->getResult(0));
  }
}

/// Whether computing the producer inside the consumer does no work twice.
bool fusesWell(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() ||
      linalg::isaContractionOpInterface(consumer))
    return false;
  return isCheap(producer) ||
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Parallel, with every result computed at the index of its loops.
bool isIndexByIndex(linalg::GenericOp op) {
  return isParallel(op) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isIdentity() &&
                  !op.payloadUsesValueFromOperand(&init);
         });
}

/// Whether `first` can be computed together with the later `second`.
bool areSiblings(linalg::GenericOp first, linalg::GenericOp second) {
  if (first->getBlock() != second->getBlock() || !isIndexByIndex(first) ||
      !isIndexByIndex(second) ||
      first.getStaticLoopRanges() != second.getStaticLoopRanges())
    return false;
  for (OpOperand &use : first->getUses()) {
    Operation *user = first->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user == second) {
      if (use.getOwner() != second ||
          !second.getMatchingIndexingMap(&use).isIdentity())
        return false;
    } else if (!second->isBeforeInBlock(user)) {
      return false;
    }
  }
  return true;
}

/// Replaces both by one operation with the results of both.
void merge(RewriterBase &rewriter, linalg::GenericOp first,
           linalg::GenericOp second) {
  SmallVector<Value> inputs(first.getInputs());
  SmallVector<AffineMap> firstMaps = first.getIndexingMapsArray();
  SmallVector<AffineMap> maps(
      ArrayRef(firstMaps).take_front(first.getNumDpsInputs()));
  for (OpOperand *operand : second.getDpsInputOperands())
    if (operand->get().getDefiningOp() != first) {
      inputs.push_back(operand->get());
      maps.push_back(second.getMatchingIndexingMap(operand));
    }
  SmallVector<Value> inits(first.getOutputs());
  llvm::append_range(inits, second.getOutputs());
  AffineMap identity = rewriter.getMultiDimIdentityMap(first.getNumLoops());
  maps.append(inits.size(), identity);

  rewriter.setInsertionPoint(second);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto build = [&](OpBuilder &b, Location, ValueRange args) {
    IRMapping mapping;
    SmallVector<Value> yields;
    auto inlineBody = [&](linalg::GenericOp op) {
      for (Operation &inner : op.getBody()->without_terminator())
        b.clone(inner, mapping);
      for (Value value : op.getBody()->getTerminator()->getOperands())
        yields.push_back(mapping.lookupOrDefault(value));
    };
    unsigned next = 0;
    for (BlockArgument argument :
         first.getBody()->getArguments().take_front(first.getNumDpsInputs()))
      mapping.map(argument, args[next++]);
    inlineBody(first);
    for (OpOperand *operand : second.getDpsInputOperands()) {
      auto result = dyn_cast<OpResult>(operand->get());
      BlockArgument argument = second.getMatchingBlockArgument(operand);
      if (result && result.getOwner() == first)
        mapping.map(argument, yields[result.getResultNumber()]);
      else
        mapping.map(argument, args[next++]);
    }
    inlineBody(second);
    linalg::YieldOp::create(b, loc, yields);
  };
  SmallVector<Type> types(first->getResultTypes());
  llvm::append_range(types, second->getResultTypes());
  auto merged =
      linalg::GenericOp::create(rewriter, loc, types, inputs, inits, maps,
                                first.getIteratorTypesArray(), build);
  unsigned split = first->getNumResults();
  rewriter.replaceOp(second, merged->getResults().drop_front(split));
  rewriter.replaceOp(first, merged->getResults().take_front(split));
}

/// Merges siblings until none are left.
void mergeSiblings(func::FuncOp function) {
  IRRewriter rewriter(function->getContext());
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<linalg::GenericOp> ops;
    function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (size_t i = 0; i < ops.size() && !changed; ++i)
      for (size_t j = i + 1; j < ops.size() && !changed; ++j)
        if ((changed = areSiblings(ops[i], ops[j])))
          merge(rewriter, ops[i], ops[j]);
  }
}

} // namespace

void rubato::fuseElementwise(func::FuncOp function) {
  cloneCheapProducers(function);
  RewritePatternSet chains(function->getContext());
  linalg::populateElementwiseOpsFusionPatterns(chains, fusesWell);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(chains);
  // Not converging would leave correct, only less fused code.
  (void)applyPatternsGreedily(function, std::move(chains));

  mergeSiblings(function);
  RewritePatternSet cleanup(function->getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(cleanup);
  (void)applyPatternsGreedily(function, std::move(cleanup));
  IRRewriter rewriter(function->getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}
