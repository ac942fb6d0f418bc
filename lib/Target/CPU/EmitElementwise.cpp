// cpu-emit-elementwise: kernels that are one elementwise linalg.generic, as
// loops over vectors.
#include "Emitters.h"

#include "rubato/Target/CPU/EmitSupport.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_CPUEMITELEMENTWISEPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

namespace rubato::cpu {

/// Elements computed at once: two AVX2 registers of f32, so that two chains
/// of operations overlap.
static constexpr int64_t chunk = 16;

namespace {

/// The one operation of a kernel. `results[i]` says which of its results the
/// kernel's result i is.
struct ElementwiseKernel {
  linalg::GenericOp op;
  SmallVector<unsigned> results;
  bool split = false; // the launch says which part of dimension 0
};

} // namespace

static std::optional<ElementwiseKernel> matchElementwise(func::FuncOp func,
                                                         Refusal &refuse) {
  ElementwiseKernel kernel;
  if (!isTensorKernel(func))
    return refuse("an operand or a result is empty or has no static shape");
  for (Operation &op : func.front().without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return refuse("'" + op.getName().getStringRef() +
                    "' stands in the kernel");
    if (kernel.op)
      return refuse("its results are not computed together");
    if (!isElementwise(generic))
      return refuse("it reads along another dimension than it writes, or "
                    "computes something that has no vector form");
    if (!llvm::all_of(generic.getDpsInputs(), isReadable))
      return refuse("it reads a constant tensor of several values");
    kernel.op = generic;
  }
  if (!kernel.op)
    return refuse("it computes nothing");
  for (Value v : func.front().getTerminator()->getOperands()) {
    if (v.getDefiningOp() != kernel.op)
      return refuse("it returns what it was given");
    kernel.results.push_back(cast<OpResult>(v).getResultNumber());
  }
  int64_t split = KernelFacts::of(func).split;
  SmallVector<int64_t> shape = kernel.op.getStaticLoopRanges();
  if (split != 1 && split != shape.front())
    return refuse("it is split along another dimension than the first");
  kernel.split = split == shape.front();
  return kernel;
}

bool takesElementwise(func::FuncOp kernel, Refusal &refusal) {
  return matchElementwise(kernel, refusal).has_value();
}

namespace {

class Emitter {
public:
  Emitter(linalg::GenericOp op, const MemrefKernel &kernel,
          ArrayRef<unsigned> results, bool split)
      : op(op), kernel(kernel), results(results), loc(op.getLoc()),
        shape(op.getStaticLoopRanges()), split(split) {
    flat = llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
      return map.isIdentity() || map.getNumResults() == 0;
    });
  }

  void emit();

private:
  void emitRow(OpBuilder &b, SmallVector<Value> outer, Value lo, Value hi);
  void emitElements(OpBuilder &b, ValueRange ivs, int64_t lanes);
  Value flatten(OpBuilder &b, Value memref);

  linalg::GenericOp op;
  const MemrefKernel &kernel;
  ArrayRef<unsigned> results;
  Location loc;
  SmallVector<int64_t> shape;
  bool split;                     // the launch says which part of dimension 0
  bool flat;                      // storage of any rank is one row
  DenseMap<Value, Value> scalars; // operands of rank 0, read once
  DenseMap<Value, Value> views;   // memrefs seen as vectors
};

} // namespace

/// Row-major storage of any rank is one row.
Value Emitter::flatten(OpBuilder &b, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 1)
    return memref;
  auto flatType =
      MemRefType::get({type.getNumElements()}, type.getElementType());
  return memref::ReinterpretCastOp::create(b, loc, flatType, memref,
                                           /*offset=*/int64_t(0),
                                           {type.getNumElements()}, {1});
}

void Emitter::emit() {
  OpBuilder b = kernel.builder();
  for (OpOperand *in : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(in).getNumResults() == 0)
      scalars[in->get()] = readOperand(b, loc, kernel, in->get(),
                                       op.getMatchingIndexingMap(in), {}, 0);
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value first = split ? kernel.lo() : zero;
  Value end = split ? kernel.hi() : constantIndex(b, loc, shape[0]);
  if (flat) {
    for (OpOperand *in : op.getDpsInputOperands())
      if (!scalars.count(in->get()) && isa<BlockArgument>(in->get())) {
        Value memref = kernel.operand(in->get());
        views[memref] = flatten(b, memref);
      }
    for (unsigned i = 0; i < results.size(); ++i)
      views[kernel.destination(i)] = flatten(b, kernel.destination(i));
    int64_t inner = 1;
    for (int64_t extent : ArrayRef(shape).drop_front())
      inner *= extent;
    emitRow(b, {}, mulIndex(b, loc, first, inner),
            mulIndex(b, loc, end, inner));
    return;
  }
  if (shape.size() == 1)
    return emitRow(b, {}, first, end);
  SmallVector<Value> ivs;
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    Value lo = d ? zero : first;
    Value hi = d ? constantIndex(b, loc, shape[d]) : end;
    auto loop = scf::ForOp::create(b, loc, lo, hi, one);
    b.setInsertionPointToStart(loop.getBody());
    ivs.push_back(loop.getInductionVar());
  }
  emitRow(b, ivs, zero, constantIndex(b, loc, shape.back()));
}

/// All of `[lo, hi)` along the last loop: chunks, then what is left.
void Emitter::emitRow(OpBuilder &b, SmallVector<Value> outer, Value lo,
                      Value hi) {
  auto forLoop = [&](Value from, Value to, int64_t step, int64_t lanes) {
    scf::ForOp::create(b, loc, from, to, constantIndex(b, loc, step), {},
                       [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
                         SmallVector<Value> ivs(outer);
                         ivs.push_back(iv);
                         emitElements(b, ivs, lanes);
                         scf::YieldOp::create(b, loc);
                       });
  };
  if (!outer.empty()) { // the extent is known: no loop over the tail
    int64_t whole = shape.back() / chunk * chunk;
    if (whole)
      forLoop(lo, constantIndex(b, loc, whole), chunk, chunk);
    for (int64_t lanes : splitLanes(shape.back() - whole, chunk)) {
      SmallVector<Value> ivs(outer);
      ivs.push_back(constantIndex(b, loc, whole));
      emitElements(b, ivs, lanes == 1 ? 0 : lanes);
      whole += lanes;
    }
    return;
  }
  Value count = arith::SubIOp::create(b, loc, hi, lo);
  Value size = constantIndex(b, loc, chunk);
  Value rest = arith::RemSIOp::create(b, loc, count, size);
  Value border = arith::SubIOp::create(b, loc, hi, rest);
  forLoop(lo, border, chunk, chunk);
  forLoop(border, hi, 1, 0);
}

/// `lanes` elements (zero: one scalar): every read comes before every store.
void Emitter::emitElements(OpBuilder &b, ValueRange ivs, int64_t lanes) {
  SmallVector<Value> inputs;
  for (OpOperand *in : op.getDpsInputOperands()) {
    Value operand = in->get();
    AffineMap map = op.getMatchingIndexingMap(in);
    Type element = getElementTypeOrSelf(operand.getType());
    if (Value scalar = scalars.lookup(operand)) {
      inputs.push_back(
          lanes ? vector::BroadcastOp::create(
                      b, loc, VectorType::get({lanes}, element), scalar)
                      .getResult()
                : scalar);
    } else if (flat && isa<BlockArgument>(operand)) {
      Value view = views.lookup(kernel.operand(operand));
      inputs.push_back(
          lanes ? vector::LoadOp::create(
                      b, loc, VectorType::get({lanes}, element), view, ivs)
                      .getResult()
                : memref::LoadOp::create(b, loc, view, ivs).getResult());
    } else {
      inputs.push_back(readOperand(b, loc, kernel, operand, map, ivs, lanes));
    }
  }
  SmallVector<Value> values = emitPayload(b, op, inputs, lanes);
  for (auto [i, result] : llvm::enumerate(results)) {
    Value to = kernel.destination(i);
    storeAt(b, loc, values[result], flat ? views.lookup(to) : to, ivs);
  }
}

namespace {

struct CPUEmitElementwisePass
    : impl::CPUEmitElementwisePassBase<CPUEmitElementwisePass> {
  void runOnOperation() override {
    Refusal refusal;
    std::optional<ElementwiseKernel> found =
        matchElementwise(getOperation(), refusal);
    if (!found)
      return;
    MemrefKernel kernel(getOperation());
    Emitter(found->op, kernel, found->results, found->split).emit();
  }
};

} // namespace
} // namespace rubato::cpu
