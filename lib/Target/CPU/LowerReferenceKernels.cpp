// cpu-lower-reference-kernels: linalg on tensors to plain loops on memrefs.
//
// Not by bufferization: a destination may be an operand of the epilogue, so a
// contraction must not use it as scratch, and scratch of that size may not be
// allocated. Computing a value where it is read needs neither.
#include "rubato/Kernels/KernelExtent.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {
#define GEN_PASS_DEF_CPULOWERREFERENCEKERNELSPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using linalg::LinalgOp;

namespace {

MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Takes one kernel from tensor form to memref form.
class KernelLowering {
public:
  KernelLowering(func::FuncOp kernel, SymbolTable &symbols,
                 int64_t scratchLimit)
      : kernel(kernel), symbols(symbols), scratchLimit(scratchLimit),
        b(kernel.getLoc(), kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check();
  func::FuncOp createLowered();
  void assignDestination(Value value, Value destination);
  LogicalResult lower(Operation &op);
  LogicalResult store(LinalgOp op);
  LogicalResult bufferFor(Value value);
  void copy(Value from, Value to);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  SmallVector<Value> apply(AffineMap map, ArrayRef<Value> ivs);
  void loops(ArrayRef<int64_t> sizes, bool split,
             llvm::function_ref<void(ArrayRef<Value>)> body);
  SmallVector<Value> evaluate(LinalgOp op, SmallVector<Value> ivs);
  SmallVector<Value> reduceOver(LinalgOp op, SmallVector<Value> &ivs,
                                ArrayRef<unsigned> dims,
                                SmallVector<Value> values);
  SmallVector<Value> element(LinalgOp op, ArrayRef<Value> ivs,
                             ArrayRef<Value> running);
  Value read(Value tensor, ArrayRef<Value> indices);
  bool isComputedWhereRead(LinalgOp op) const;

  func::FuncOp kernel;
  SymbolTable &symbols;
  int64_t scratchLimit, scratch = 0, extent = 1;
  ImplicitLocOpBuilder b;
  /// The memref behind each tensor that is stored.
  DenseMap<Value, Value> buffers;
  /// Scalars defined outside of linalg bodies.
  IRMapping scalars;
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
    if (isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
            arith::ConstantOp>(op))
      continue;
    auto linalgOp = dyn_cast<LinalgOp>(op);
    if (!linalgOp)
      return kernelError(&op, kernel)
             << "'" << op.getName()
             << "' has no reference lowering; run nn-to-linalg first";
    for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&init);
      if (!map.isProjectedPermutation() ||
          map.getNumResults() != linalgOp.getNumParallelLoops())
        return kernelError(&op, kernel)
               << "a result is indexed by something else than the parallel "
                  "loops";
    }
    if (extent != 1 && linalgOp.getNumLoops() != 0 &&
        (!writesItsIndex(linalgOp) ||
         linalgOp.getStaticLoopRanges().front() != extent))
      return kernelError(&op, kernel)
             << "said to split into " << extent
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
    OpBuilder atModule(kernel);
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

SmallVector<Value> KernelLowering::apply(AffineMap map, ArrayRef<Value> ivs) {
  SmallVector<Value> results;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      results.push_back(ivs[dim.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      results.push_back(index(constant.getValue()));
    else
      results.push_back(affine::AffineApplyOp::create(
          b, AffineMap::get(map.getNumDims(), 0, expr), ivs));
  }
  return results;
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

/// Whether each element of the result is read exactly once, or costs nothing.
bool KernelLowering::isComputedWhereRead(LinalgOp op) const {
  if (op->getNumResults() != 1 || buffers.contains(op->getResult(0)))
    return false;
  if (isa<linalg::FillOp>(op))
    return llvm::all_of(op->getUsers(), llvm::IsaPred<LinalgOp>);
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->getResult(0).use_begin();
  auto user = dyn_cast<LinalgOp>(use.getOwner());
  return user && user.getMatchingIndexingMap(&use).isPermutation();
}

/// The element of `tensor` at `indices`, loaded or computed.
Value KernelLowering::read(Value tensor, ArrayRef<Value> indices) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return scalars.lookup(tensor);
  if (Value buffer = buffers.lookup(tensor))
    return memref::LoadOp::create(b, buffer, indices);
  Operation *op = tensor.getDefiningOp();
  if (isa<tensor::EmptyOp>(op)) {
    // Undefined by definition; zero keeps every run the same.
    Type type = getElementTypeOrSelf(tensor.getType());
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  auto producer = cast<LinalgOp>(op);
  AffineMap map =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  SmallVector<Value> ivs(producer.getNumLoops());
  for (auto [i, value] : llvm::enumerate(indices))
    ivs[map.getDimPosition(i)] = value;
  return evaluate(producer, ivs).front();
}

/// The results of `op` at the indices of its parallel loops.
SmallVector<Value> KernelLowering::evaluate(LinalgOp op,
                                            SmallVector<Value> ivs) {
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  SmallVector<Value> running;
  for (OpOperand &init : op.getDpsInitsMutable())
    running.push_back(
        !dims.empty() || op.payloadUsesValueFromOperand(&init)
            ? read(init.get(), apply(op.getMatchingIndexingMap(&init), ivs))
            : Value());
  return reduceOver(op, ivs, dims, running);
}

/// Loops over `dims` that carry the running values in registers.
SmallVector<Value> KernelLowering::reduceOver(LinalgOp op,
                                              SmallVector<Value> &ivs,
                                              ArrayRef<unsigned> dims,
                                              SmallVector<Value> running) {
  if (dims.empty())
    return element(op, ivs, running);
  OpBuilder::InsertionGuard guard(b);
  int64_t size = op.getStaticLoopRanges()[dims.front()];
  auto loop = scf::ForOp::create(b, index(0), index(size), index(1), running);
  ivs[dims.front()] = loop.getInductionVar();
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      reduceOver(op, ivs, dims.drop_front(),
                 llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, next);
  return loop.getResults();
}

/// The body of `op`, once.
SmallVector<Value> KernelLowering::element(LinalgOp op, ArrayRef<Value> ivs,
                                           ArrayRef<Value> running) {
  Block *body = op.getBlock();
  IRMapping mapping = scalars;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      mapping.map(
          op.getMatchingBlockArgument(input),
          read(input->get(), apply(op.getMatchingIndexingMap(input), ivs)));
  for (auto [i, value] : llvm::enumerate(running))
    if (value)
      mapping.map(op.getMatchingBlockArgument(op.getDpsInitOperand(i)), value);
  for (Operation &inner : body->without_terminator()) {
    if (auto position = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(position.getResult(), ivs[position.getDim()]);
    else
      b.clone(inner, mapping);
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
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
  loops(sizes, extent != 1 && !sizes.empty(), [&](ArrayRef<Value> outer) {
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
  loops(cast<RankedTensorType>(from.getType()).getShape(), extent != 1,
        [&](ArrayRef<Value> ivs) {
          memref::StoreOp::create(b, read(from, ivs), to, ivs);
        });
}

LogicalResult KernelLowering::run() {
  extent = rubato::kernelExtent(kernel);
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
