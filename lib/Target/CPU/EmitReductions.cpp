// cpu-emit-reductions: kernels that are a sum over the rows of a matrix, as
// loops over vectors of columns.
#include "Emitters.h"

#include "rubato/Target/CPU/EmitSupport.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_CPUEMITREDUCTIONSPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

namespace rubato::cpu {

namespace {

/// result[n] = epilogue(sum over m of x[m, n])
struct ColumnSum {
  linalg::LinalgOp sum;
  linalg::GenericOp epilogue; // null if there is none
  SmallVector<int> results;   // results of the epilogue; -1 is the sum
  int64_t rows = 0, columns = 0;
};

} // namespace

/// Columns summed together: four registers, to hide the latency of addition.
static constexpr int64_t lanes = 8, group = 4 * lanes;

static bool matchSum(linalg::LinalgOp op, ColumnSum &c) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 2 || op.getNumReductionLoops() != 1 ||
      !op.hasPureTensorSemantics() || !isa<BlockArgument>(op.getDpsInputs()[0]))
    return false;
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isPermutation() || maps[1].getNumResults() != 1 ||
      maps[1].getResult(0) != maps[0].getResult(1))
    return false;
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value x = body->getArgument(0), acc = body->getArgument(1);
  if (!add || !acc.getType().isF32() ||
      !((add.getLhs() == x && add.getRhs() == acc) ||
        (add.getLhs() == acc && add.getRhs() == x)))
    return false;
  auto type = cast<RankedTensorType>(op.getDpsInputs()[0].getType());
  c.sum = op;
  c.rows = type.getDimSize(0);
  c.columns = type.getDimSize(1);
  return true;
}

static std::optional<ColumnSum> matchColumnSum(func::FuncOp func,
                                               Refusal &refuse) {
  if (!isTensorKernel(func))
    return refuse("an operand or a result is empty or has no static shape");
  ColumnSum c;
  for (Operation &op : func.front().without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!c.sum) {
      if (!linalgOp || !matchSum(linalgOp, c))
        return refuse("'" + op.getName().getStringRef() +
                      "' is no sum in f32 over the rows of a matrix that is an "
                      "operand of the kernel");
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (c.epilogue || !generic || !isElementwise(generic) ||
        generic.getNumLoops() != 1)
      return refuse("what follows the sum is more than one elementwise "
                    "operation on it");
    for (Value in : generic.getDpsInputs())
      if (in != c.sum->getResult(0) && !isReadable(in))
        return refuse("what follows the sum reads a constant tensor of several "
                      "values");
    c.epilogue = generic;
  }
  if (!c.sum)
    return refuse("there is no sum");
  for (Value v : func.front().getTerminator()->getOperands()) {
    if (v == c.sum->getResult(0))
      c.results.push_back(-1);
    else if (c.epilogue && v.getDefiningOp() == c.epilogue)
      c.results.push_back(cast<OpResult>(v).getResultNumber());
    else
      return refuse("a result is neither the sum nor computed from it");
  }
  return c;
}

bool takesColumnSum(func::FuncOp kernel, Refusal &refusal) {
  return matchColumnSum(kernel, refusal).has_value();
}

/// Sums the columns from `col` on, cut into vectors of `parts` lanes.
static void emitColumns(OpBuilder &b, ColumnSum &c, const MemrefKernel &kernel,
                        Value col, ArrayRef<int64_t> parts) {
  Location loc = c.sum.getLoc();
  Value x = kernel.operand(c.sum.getDpsInputs()[0]);
  SmallVector<Value> zeros, starts;
  int64_t offset = 0;
  for (int64_t part : parts) {
    zeros.push_back(zeroVector(b, loc, part));
    starts.push_back(addIndex(b, loc, col, offset));
    offset += part;
  }
  auto loop = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, c.rows),
      constantIndex(b, loc, 1), zeros,
      [&](OpBuilder &b, Location loc, Value row, ValueRange acc) {
        SmallVector<Value> next;
        for (auto [start, sum] : llvm::zip(starts, acc)) {
          Value v =
              vector::LoadOp::create(b, loc, cast<VectorType>(sum.getType()), x,
                                     ValueRange{row, start});
          next.push_back(arith::AddFOp::create(b, loc, sum, v));
        }
        scf::YieldOp::create(b, loc, next);
      });
  for (auto [start, sum, part] : llvm::zip(starts, loop.getResults(), parts)) {
    SmallVector<Value> values;
    if (linalg::GenericOp e = c.epilogue) {
      SmallVector<Value> inputs;
      for (OpOperand *in : e.getDpsInputOperands())
        inputs.push_back(in->get() == c.sum->getResult(0)
                             ? Value(sum)
                             : readOperand(b, loc, kernel, in->get(),
                                           e.getMatchingIndexingMap(in), start,
                                           part));
      values = emitPayload(b, e, inputs, part);
    }
    for (auto [i, result] : llvm::enumerate(c.results))
      storeAt(b, loc, result < 0 ? Value(sum) : values[result],
              kernel.destination(i), start);
  }
}

static void emitColumnSum(ColumnSum &c, const MemrefKernel &kernel) {
  OpBuilder b = kernel.builder();
  Location loc = c.sum.getLoc();
  int64_t whole = c.columns / group * group;
  if (whole)
    scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, whole),
        constantIndex(b, loc, group), {},
        [&](OpBuilder &b, Location loc, Value col, ValueRange) {
          emitColumns(b, c, kernel, col, splitLanes(group, lanes));
          scf::YieldOp::create(b, loc);
        });
  if (whole < c.columns)
    emitColumns(b, c, kernel, constantIndex(b, loc, whole),
                splitLanes(c.columns - whole, lanes));
}

namespace {

struct CPUEmitReductionsPass
    : impl::CPUEmitReductionsPassBase<CPUEmitReductionsPass> {
  void runOnOperation() override {
    Refusal refusal;
    std::optional<ColumnSum> c = matchColumnSum(getOperation(), refusal);
    if (!c)
      return;
    MemrefKernel kernel(getOperation());
    emitColumnSum(*c, kernel);
  }
};

} // namespace
} // namespace rubato::cpu
