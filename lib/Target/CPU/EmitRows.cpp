// cpu-emit-rows: recognises kernels that work row by row, such as softmax and
// the losses on it.
#include "EmitRows.h"

#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_CPUEMITROWSPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

namespace rubato::cpu {

/// The one value that `init` is full of; null if there is none.
static TypedAttr initialValue(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs()[0];
  return uniformConstant(init);
}

/// Whether `op` reduces along its last loop and no other.
static bool reducesColumns(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 1 &&
         op.getIteratorTypesArray().back() == utils::IteratorType::reduction;
}

/// The number of row loops: a reduction along rows tells it; without one, the
/// operations on whole rows have the fewest loops, unless all have columns.
static unsigned countRowLoops(ArrayRef<linalg::GenericOp> ops) {
  unsigned fewest = std::numeric_limits<unsigned>::max(), most = 0;
  bool reduces = false;
  for (linalg::GenericOp op : ops) {
    unsigned loops = op.getNumLoops();
    if (loops > 1 && reducesColumns(op))
      return loops - 1;
    fewest = std::min(fewest, loops);
    most = std::max(most, loops);
    reduces |= op.getNumReductionLoops() != 0;
  }
  return fewest == most && fewest > 1 && !reduces ? fewest - 1 : fewest;
}

/// Completes `row`, a reduction along the columns; false if it is neither a
/// combination of all nor the choice of one.
static bool matchReduction(RowOp &row) {
  linalg::GenericOp op = row.op;
  Block *body = op.getBody();
  if (op.getNumDpsInits() != 1)
    return false;
  BlockArgument running = op.getRegionOutputArgs()[0];
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getBlock() != body || !running.hasOneUse() ||
      *running.user_begin() != last)
    return false;
  row.step = RowStep::Reduce;
  if (last->getNumOperands() == 2 && last->hasTrait<OpTrait::IsCommutative>())
    if (std::optional<TypedAttr> neutral = arith::getNeutralElement(last)) {
      row.combine = last;
      row.neutral = *neutral;
      return true;
    }

  // select(column == label, x, running): at most one column is the label.
  row.step = RowStep::Pick;
  auto select = dyn_cast<arith::SelectOp>(last);
  if (!select || select.getFalseValue() != running)
    return false;
  auto equal = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value column = equal.getLhs(), label = equal.getRhs();
  if (isa<BlockArgument>(column))
    std::swap(column, label);
  auto cast = column.getDefiningOp<arith::IndexCastOp>();
  auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : nullptr;
  auto argument = dyn_cast<BlockArgument>(label);
  if (!index || index.getDim() + 1 != op.getNumLoops() || !argument ||
      argument.getOwner() != body ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return false;
  row.column = op.getDpsInputOperand(argument.getArgNumber());
  // A narrower number could stand for several columns.
  return label.getType().getIntOrFloatBitWidth() >= 32 &&
         !op.getMatchingIndexingMap(row.column)
              .isFunctionOfDim(op.getNumLoops() - 1);
}

/// What `op` does with one row of a chain with `rowLoops` loops over rows.
static std::optional<RowOp> classify(linalg::GenericOp op, unsigned rowLoops) {
  RowOp row{op, RowStep::Scalar, {}, nullptr, {}, nullptr};
  unsigned loops = op.getNumLoops(), reductions = op.getNumReductionLoops();
  MLIRContext *context = op.getContext();
  AffineMap result = AffineMap::getMultiDimIdentityMap(loops, context);
  if (loops == rowLoops && reductions == loops) {
    row.step = RowStep::Total;
    result = AffineMap::get(loops, 0, context);
  } else if (loops == rowLoops + 1 && reducesColumns(op)) {
    result = result.getMajorSubMap(rowLoops);
    if (op.getStaticLoopRanges().back() == 1)
      row.step = RowStep::Single;
    else if (!matchReduction(row))
      return std::nullopt;
  } else if (reductions == 0 && loops == rowLoops + 1) {
    row.step = RowStep::Columns;
  } else if (reductions != 0 || loops != rowLoops) {
    return std::nullopt;
  }

  for (OpOperand &out : op.getDpsInitsMutable()) {
    if (op.getMatchingIndexingMap(&out) != result)
      return std::nullopt;
    if (reductions != 0) {
      row.inits.push_back(initialValue(out.get()));
      if (!row.inits.back())
        return std::nullopt;
    } else if (op.payloadUsesValueFromOperand(&out)) {
      return std::nullopt;
    }
  }
  return row;
}

/// Whether every operand of `row` can be read while one row is computed.
static bool readsOneRow(RowOp &row, const DenseMap<Value, RowStep> &computed) {
  linalg::GenericOp op = row.op;
  for (OpOperand *in : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(in);
    if (!isVectorReadable(map))
      return false;
    auto step = computed.find(in->get());
    if (step == computed.end()) {
      if (!isReadable(in->get()))
        return false;
      continue;
    }
    // A value of the chain is there for the present row only.
    if (step->second == RowStep::Total ||
        map !=
            AffineMap::getMultiDimIdentityMap(map.getNumDims(), op.getContext())
                .getMajorSubMap(map.getNumResults()))
      return false;
  }
  return true;
}

/// The stack for columns that are neither returned nor unused.
static int64_t scratchBytes(const RowChain &chain) {
  int64_t bytes = 0;
  for (const RowOp &row : chain.ops)
    for (Value result : row.op->getResults()) {
      if (row.step != RowStep::Columns || result.use_empty() ||
          llvm::is_contained(chain.results, result))
        continue;
      Type element = getElementTypeOrSelf(result.getType());
      bytes += chain.columns * element.getIntOrFloatBitWidth() / 8;
    }
  return bytes;
}

std::optional<RowChain> matchRowChain(func::FuncOp func, Refusal &refuse) {
  if (!isTensorKernel(func))
    return refuse("an operand or a result is empty or has no static shape");
  SmallVector<linalg::GenericOp> generics;
  for (Operation &op : func.front().without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || generic.getNumLoops() == 0 ||
        !generic.hasPureTensorSemantics() || !hasVectorPayload(generic))
      return refuse("'" + op.getName().getStringRef() + "' has no vector form");
    generics.push_back(generic);
  }
  if (generics.empty())
    return refuse("it computes nothing");

  RowChain chain;
  unsigned rowLoops = countRowLoops(generics);
  DenseMap<Value, RowStep> computed;
  bool totals = false;
  for (linalg::GenericOp op : generics) {
    std::optional<RowOp> row = classify(op, rowLoops);
    if (!row)
      return refuse("a reduction is neither along the rows nor over all of "
                    "them");
    if (!readsOneRow(*row, computed))
      return refuse("a step reads something else than its own row");
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    if (llvm::any_of(ranges, [](int64_t range) { return range <= 0; }))
      return refuse("a loop is empty, or its length is not known");
    int64_t columns = ranges.size() > rowLoops ? ranges.pop_back_val() : 0;
    if (chain.ops.empty())
      chain.rows = ranges;
    if (chain.columns == 0)
      chain.columns = columns;
    if (ranges != chain.rows || (columns != 0 && columns != chain.columns))
      return refuse("its steps differ in the number of rows or columns");
    for (Value result : op->getResults()) {
      if (row->step == RowStep::Columns &&
          !isStorable(getElementTypeOrSelf(result.getType())))
        return refuse("a step gives a vector of bits");
      computed[result] = row->step;
    }
    totals |= row->step == RowStep::Total;
    chain.ops.push_back(*row);
  }
  for (Value v : func.front().getTerminator()->getOperands()) {
    if (!computed.contains(v) || !isStorable(getElementTypeOrSelf(v.getType())))
      return refuse("a result is not computed here, or is bits");
    chain.results.push_back(v);
  }
  if (scratchBytes(chain) > kRowScratchLimit)
    return refuse("what lies between its steps takes " +
                  Twine(scratchBytes(chain)) + " bytes, more than " +
                  Twine(kRowScratchLimit));
  int64_t split = KernelFacts::of(func).split;
  chain.split = split != 1;
  if (chain.split && (totals || split != chain.rows.front()))
    return refuse("it is split along something else than its rows");
  return chain;
}

namespace {

struct CPUEmitRowsPass : impl::CPUEmitRowsPassBase<CPUEmitRowsPass> {
  void runOnOperation() override {
    Refusal refusal;
    std::optional<RowChain> chain = matchRowChain(getOperation(), refusal);
    if (!chain)
      return;
    MemrefKernel kernel(getOperation());
    emitRowChain(*chain, kernel);
  }
};

} // namespace
} // namespace rubato::cpu
