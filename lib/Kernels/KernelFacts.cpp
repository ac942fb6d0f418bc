// What a kernel is, decided on nn and on linalg form alike.
#include "rubato/Kernels/KernelFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace rubato;
using nn::KernelKind;

/// The shape that all results have; null if they differ.
static RankedTensorType commonShape(func::FuncOp kernel) {
  auto types = kernel.getResultTypes();
  auto first = types.empty() ? RankedTensorType()
                             : dyn_cast<RankedTensorType>(types.front());
  bool same = first && llvm::all_of(types, [&](Type type) {
                auto tensor = dyn_cast<RankedTensorType>(type);
                return tensor && tensor.getShape() == first.getShape();
              });
  return same ? first : RankedTensorType();
}

/// Whether `op` computes a tensor of `shape`, or a scalar, index by index.
static bool isElementwise(Operation *op, ArrayRef<int64_t> shape) {
  if (isa<arith::ConstantOp>(op))
    return true;
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || (type.getRank() != 0 && type.getShape() != shape))
    return false;
  // Its dimensions ascend: an operand of as many elements has the same order.
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<nn::ReluOp, nn::SigmoidOp, nn::BroadcastOp>(op);
}

/// Whether dimensions are read in the order of the loops.
static bool ascends(AffineMap map) {
  int64_t last = -1;
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim) {
      if (!isa<AffineConstantExpr>(result))
        return false;
      continue;
    }
    if (static_cast<int64_t>(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

/// Parallel, writes at the loop indices, and reads an operand of as many
/// elements where it writes.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           AffineMap map = op.getMatchingIndexingMap(&operand);
           return op.isDpsInit(&operand)
                      ? map.isIdentity() &&
                            !op.payloadUsesValueFromOperand(&operand)
                      : ascends(map);
         });
}

/// The first operation that is not computed index by index, or the return
/// where it hands on what nothing computed; null if there is none.
static Operation *findObstacle(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  RankedTensorType type = commonShape(kernel);
  if (!type)
    return body.getTerminator();
  linalg::GenericOp only;
  for (Operation &op : body.without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      // A second one would read what the first has written over.
      if (only || !isElementwise(generic) ||
          generic.getStaticLoopRanges() !=
              SmallVector<int64_t>(type.getShape()))
        return &op;
      only = generic;
    } else if (!isa<tensor::EmptyOp>(op) &&
               !isElementwise(&op, type.getShape())) {
      return &op;
    }
  }
  for (Value value : body.getTerminator()->getOperands())
    if (Operation *op = value.getDefiningOp();
        !op || isa<arith::ConstantOp, tensor::EmptyOp>(op))
      return body.getTerminator();
  return nullptr;
}

/// Whether `op` sums products over what its two operands share: a product of
/// a column and a row is not enough.
static bool isContraction(Operation *op) {
  if (isa<nn::MatmulOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalg::isaContractionOpInterface(linalgOp))
    return false;
  auto dims = linalg::inferContractionDims(linalgOp);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty();
}

/// Rows where `op` reduces along the last dimension of what it reads, columns
/// where along others only, else elementwise.
static KernelKind kindOf(Operation *op) {
  if (isContraction(op))
    return KernelKind::Contraction;
  if (auto reduce = dyn_cast<nn::ReduceOp>(op)) {
    if (reduce.getDims().empty())
      return KernelKind::Elementwise;
    int64_t rank =
        cast<RankedTensorType>(reduce.getInput().getType()).getRank();
    return llvm::is_contained(reduce.getDims(), rank - 1) ? KernelKind::Rows
                                                          : KernelKind::Columns;
  }
  if (isa<nn::SoftmaxOp, nn::LogSoftmaxOp, nn::SoftmaxCrossEntropyOp,
          nn::SoftmaxCrossEntropyGradOp, nn::CountCorrectOp>(op))
    return KernelKind::Rows;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return KernelKind::Elementwise;
  // Loops stand in the order of what is reduced, however its elements are read.
  return linalgOp.getIteratorTypesArray().back() ==
                 utils::IteratorType::reduction
             ? KernelKind::Rows
             : KernelKind::Columns;
}

KernelFacts KernelFacts::derive(func::FuncOp kernel, Operation **obstacle) {
  KernelFacts facts;
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock())
    return facts;
  for (Operation &op : kernel.getBody().front().without_terminator())
    facts.kind = std::min(facts.kind, kindOf(&op)); // the most that it does
  Operation *found = findObstacle(kernel);
  if (obstacle)
    *obstacle = found;
  facts.indexByIndex = !found;
  RankedTensorType shape = commonShape(kernel);
  if (facts.indexByIndex && shape.getRank() != 0)
    facts.split = shape.getDimSize(0);
  return facts;
}

KernelFacts KernelFacts::of(func::FuncOp kernel) {
  auto written = kernel->getAttrOfType<nn::KernelAttr>(kKernelAttr);
  if (!written)
    return derive(kernel);
  return {written.getKind(), written.getSplit(), written.getIndexByIndex(),
          written.getWorkspace()};
}

nn::KernelAttr KernelFacts::toAttribute(MLIRContext *context) const {
  return nn::KernelAttr::get(context, kind, split, indexByIndex, workspace);
}

int64_t rubato::iterationsOf(func::FuncOp kernel) {
  int64_t all = 0;
  kernel.walk([&](linalg::LinalgOp op) {
    int64_t size = 1;
    for (int64_t range : op.getStaticLoopRanges())
      size *= range;
    all += size;
  });
  return all;
}
