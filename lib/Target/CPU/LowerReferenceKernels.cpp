// cpu-lower-reference-kernels: linalg on tensors to plain loops on memrefs.
//
// Not by bufferization: a destination may be an operand of the epilogue, so a
// contraction must not use it as scratch, and scratch of that size may not be
// allocated. Computing a value where it is read needs neither.
#include "ElementLowering.h"

#include "rubato/Kernels/KernelFacts.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace rubato {
#define GEN_PASS_DEF_CPULOWERREFERENCEKERNELSPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using linalg::LinalgOp;
using rubato::ElementLowering;

namespace {

MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Takes one kernel from tensor form to memref form.
class KernelLowering : ElementLowering {
public:
  KernelLowering(func::FuncOp kernel, SymbolTable &symbols,
                 int64_t scratchLimit)
      : ElementLowering(kernel.getLoc()), kernel(kernel), symbols(symbols),
        scratchLimit(scratchLimit) {}

  LogicalResult run();

private:
  LogicalResult check();
  func::FuncOp createLowered();
  void assignDestination(Value value, Value destination);
  LogicalResult lower(Operation &op);
  LogicalResult store(LinalgOp op);
  LogicalResult bufferFor(Value value);
  void copy(Value from, Value to);

  void loops(ArrayRef<int64_t> sizes, bool split,
             llvm::function_ref<void(ArrayRef<Value>)> body);

  func::FuncOp kernel;
  SymbolTable &symbols;
  int64_t scratchLimit, scratch = 0, split = 1;
  /// Results that are not computed into their destination.
  SmallVector<std::pair<Value, Value>> copies;
  Value lo, hi;
};

InFlightDiagnostic kernelError(Operation *op, func::FuncOp kernel) {
  return op->emitError() << "kernel '" << kernel.getSymName() << "': ";
}

/// Every result at its own index, all dimensions of the loops in order.
bool writesItsIndex(LinalgOp op) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isIdentity();
         });
}

LogicalResult KernelLowering::check() {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernelError(kernel, kernel) << "expected one block";
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return kernelError(kernel, kernel)
             << "operands and results are tensors of static shape, not "
             << type;
  }
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isa<ShapedType>(constant.getType()) &&
          !isa<DenseElementsAttr>(constant.getValue()))
        return kernelError(&op, kernel)
               << "a constant tensor is written out (dense) or an operand of "
                  "the kernel";
      continue;
    }
    if (isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      continue;
    auto linalgOp = dyn_cast<LinalgOp>(op);
    if (!linalgOp)
      return kernelError(&op, kernel)
             << "'" << op.getName()
             << "' has no reference lowering; run nn-to-linalg first";
    SmallVector<utils::IteratorType> iterators =
        linalgOp.getIteratorTypesArray();
    for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != linalgOp.getNumParallelLoops() ||
          llvm::any_of(llvm::seq<unsigned>(0, map.getNumResults()),
                       [&](unsigned i) {
                         return iterators[map.getDimPosition(i)] !=
                                utils::IteratorType::parallel;
                       }))
        return kernelError(&op, kernel)
               << "a result is indexed by something else than the parallel "
                  "loops";
    }
    if (split != 1 && linalgOp.getNumLoops() != 0 &&
        (!writesItsIndex(linalgOp) ||
         linalgOp.getStaticLoopRanges().front() != split))
      return kernelError(&op, kernel)
             << "said to split into " << split
             << " parts, but this is not computed index by index";
  }
  return success();
}

func::FuncOp KernelLowering::createLowered() {
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes()))
    types.push_back(bufferType(type));
  types.append(2, b.getIndexType());
  b.setInsertionPoint(kernel);
  auto lowered = func::FuncOp::create(b, kernel.getSymName(),
                                      b.getFunctionType(types, {}));
  lowered.setVisibility(kernel.getVisibility());
  lowered->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  b.setInsertionPointToStart(lowered.addEntryBlock());
  return lowered;
}

/// Makes `value` be computed into `destination`, or copied there at the end.
void KernelLowering::assignDestination(Value value, Value destination) {
  Operation *op = value.getDefiningOp();
  if (!buffers.contains(value) && isa_and_nonnull<LinalgOp>(op)) {
    buffers[value] = destination;
    return;
  }
  // Through a reshape of something that only it reads.
  auto through = [&]<typename Inverse>(auto reshape, Inverse) {
    Value source = reshape.getSrc();
    if (!isa_and_nonnull<LinalgOp>(source.getDefiningOp()) ||
        !source.hasOneUse())
      return false;
    buffers[value] = destination;
    buffers[source] =
        Inverse::create(b, bufferType(source.getType()), destination,
                        reshape.getReassociationIndices());
    return true;
  };
  if (!buffers.contains(value)) {
    if (auto reshape = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
      if (through(reshape, memref::ExpandShapeOp()))
        return;
    if (auto reshape = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
      if (through(reshape, memref::CollapseShapeOp()))
        return;
  }
  copies.emplace_back(value, destination);
}

/// Gives `value` a buffer if it has none: a constant, or scratch.
LogicalResult KernelLowering::bufferFor(Value value) {
  if (buffers.contains(value))
    return success();
  MemRefType type = bufferType(value.getType());
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    OpBuilder atModule(lo.getParentBlock()->getParentOp());
    auto global = memref::GlobalOp::create(
        atModule, b.getLoc(), (kernel.getSymName() + ".constant").str(),
        b.getStringAttr("private"), type, constant, /*constant=*/true,
        /*alignment=*/b.getI64IntegerAttr(64));
    symbols.insert(global);
    buffers[value] = memref::GetGlobalOp::create(b, type, global.getSymName());
    return success();
  }
  scratch += type.getNumElements() *
             llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (scratch > scratchLimit)
    return kernelError(value.getDefiningOp(), kernel)
           << "needs more than " << scratchLimit
           << " bytes of scratch; split it into kernels that hand this tensor "
              "over";
  buffers[value] = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
  return success();
}

/// A nest of loops over `sizes`, the outermost over [lo, hi) if `split`.
void KernelLowering::loops(ArrayRef<int64_t> sizes, bool split,
                           llvm::function_ref<void(ArrayRef<Value>)> body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> ivs;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    bool part = split && i == 0;
    auto loop = scf::ForOp::create(b, part ? lo : index(0),
                                   part ? hi : index(size), index(1));
    ivs.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  body(ivs);
}

/// Computes all results of `op` into their buffers.
LogicalResult KernelLowering::store(LinalgOp op) {
  for (Value result : op->getResults())
    if (failed(bufferFor(result)))
      return failure();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(parallel, [&](unsigned dim) { return ranges[dim]; });
  loops(sizes, split != 1 && !sizes.empty(), [&](ArrayRef<Value> outer) {
    SmallVector<Value> ivs(op.getNumLoops());
    for (auto [dim, iv] : llvm::zip_equal(parallel, outer))
      ivs[dim] = iv;
    SmallVector<Value> values = evaluate(op, ivs);
    for (auto [i, value] : llvm::enumerate(values)) {
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
      memref::StoreOp::create(b, value, buffers[op->getResult(i)],
                              apply(map, ivs));
    }
  });
  return success();
}

LogicalResult KernelLowering::lower(Operation &op) {
  b.setLoc(op.getLoc());
  // Constants inside a linalg body are cloned with it; here are the others.
  DenseElementsAttr constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return constant.isSplat() ? success() : bufferFor(op.getResult(0));
  if (isa<arith::ConstantOp>(op)) {
    b.clone(op, scalars);
    return success();
  }
  if (auto linalgOp = dyn_cast<LinalgOp>(op))
    return isComputedWhereRead(linalgOp) ? success() : store(linalgOp);
  if (isa<tensor::EmptyOp>(op) || buffers.contains(op.getResult(0)))
    return success();
  // A reshape: the same memory under another type.
  if (failed(bufferFor(op.getOperand(0))))
    return failure();
  Value source = buffers[op.getOperand(0)];
  MemRefType type = bufferType(op.getResult(0).getType());
  if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op))
    buffers[reshape] = memref::CollapseShapeOp::create(
        b, type, source, reshape.getReassociationIndices());
  else if (auto reshape = dyn_cast<tensor::ExpandShapeOp>(op))
    buffers[reshape] = memref::ExpandShapeOp::create(
        b, type, source, reshape.getReassociationIndices());
  return success();
}

void KernelLowering::copy(Value from, Value to) {
  loops(cast<RankedTensorType>(from.getType()).getShape(), split != 1,
        [&](ArrayRef<Value> ivs) {
          memref::StoreOp::create(b, read(from, ivs), to, ivs);
        });
}

LogicalResult KernelLowering::run() {
  split = rubato::KernelFacts::of(kernel).split;
  if (failed(check()))
    return failure();
  func::FuncOp lowered = createLowered();
  lo = lowered.getArguments().drop_back().back();
  hi = lowered.getArguments().back();
  Block &body = kernel.getBody().front();
  for (auto [argument, buffer] :
       llvm::zip(body.getArguments(), lowered.getArguments()))
    buffers[argument] = buffer;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    assignDestination(value, lowered.getArgument(body.getNumArguments() + i));
  for (Operation &op : body.without_terminator())
    if (failed(lower(op))) {
      lowered.erase();
      return failure();
    }
  for (auto [from, to] : copies)
    copy(from, to);
  func::ReturnOp::create(b, ValueRange{});
  kernel.erase();
  return success();
}

struct LowerReferenceKernels
    : rubato::impl::CPULowerReferenceKernelsPassBase<LowerReferenceKernels> {
  using CPULowerReferenceKernelsPassBase::CPULowerReferenceKernelsPassBase;
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(rubato::kKernelAttr) && !function.isExternal() &&
          function.getNumResults() != 0)
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(
              KernelLowering(kernel, symbols, scratchLimit.getValue()).run()))
        return signalPassFailure();
  }
};

} // namespace
