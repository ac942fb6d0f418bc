// cpu-emit-contractions: finds kernels that are a matrix product with an
// optional epilogue and lets the loops of EmitContractionLoops.cpp replace
// them.
#include "EmitContraction.h"
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
#define GEN_PASS_DEF_CPUEMITCONTRACTIONSPASS
#include "rubato/Target/CPU/Passes.h.inc"
} // namespace rubato

namespace rubato::cpu {

/// Whether the payload is out + a * b in f32, in either order of operands.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (body->getNumArguments() != 3 ||
      !llvm::all_of(body->getArgumentTypes(), [](Type t) { return t.isF32(); }))
    return false;
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value acc = body->getArgument(2);
  Value other = add.getLhs() == acc   ? add.getRhs()
                : add.getRhs() == acc ? add.getLhs()
                                      : Value();
  auto mul = other ? other.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!mul)
    return false;
  Value x = body->getArgument(0), y = body->getArgument(1);
  return (mul.getLhs() == x && mul.getRhs() == y) ||
         (mul.getLhs() == y && mul.getRhs() == x);
}

static bool isZeroFill(Value v) {
  auto fill = v.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Whether `map` reads (first, second), or the other way round: `swapped`.
static bool readsDims(AffineMap map, unsigned first, unsigned second,
                      bool &swapped) {
  if (map.getNumResults() != 2 || !map.isProjectedPermutation())
    return false;
  unsigned x = map.getDimPosition(0), y = map.getDimPosition(1);
  swapped = x == second && y == first;
  return swapped || (x == first && y == second);
}

/// Fills in what `op` says; nothing if it is not a product.
static std::optional<Contraction> matchProduct(linalg::LinalgOp op,
                                               Refusal &refuse) {
  Contraction c;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 3 || op.getNumReductionLoops() != 1 ||
      !op.hasPureTensorSemantics())
    return refuse("'" + op->getName().getStringRef() +
                  "' is no product of two matrices");
  if (!isMultiplyAdd(op))
    return refuse("the product is not a sum of products in f32");
  if (!isZeroFill(op.getDpsInits()[0]))
    return refuse("the sum of the product does not start from zero");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[2].getNumResults() != 2 || !maps[2].isProjectedPermutation())
    return refuse("the result of the product is no matrix");
  unsigned m = maps[2].getDimPosition(0), n = maps[2].getDimPosition(1);
  unsigned k = 3 - m - n;
  if (op.getIteratorTypesArray()[k] != utils::IteratorType::reduction ||
      !readsDims(maps[0], m, k, c.transposeA) ||
      !readsDims(maps[1], k, n, c.transposeB))
    return refuse("an operand of the product is not read as a matrix");
  c.a = op.getDpsInputs()[0];
  c.b = op.getDpsInputs()[1];
  if (!isa<BlockArgument>(c.a) || !isa<BlockArgument>(c.b))
    return refuse("an operand of the product is computed in the kernel");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  c.product = op;
  c.m = ranges[m];
  c.n = ranges[n];
  c.k = ranges[k];
  return c;
}

/// Whether `op` can run on the registers that hold the product.
static bool matchEpilogue(linalg::GenericOp op, Contraction &c) {
  if (!isElementwise(op) || op.getNumLoops() != 2)
    return false;
  for (OpOperand *in : op.getDpsInputOperands()) {
    bool isProduct = in->get() == c.product->getResult(0);
    if (isProduct ? !op.getMatchingIndexingMap(in).isIdentity()
                  : !isReadable(in->get()))
      return false;
  }
  return true;
}

std::optional<Contraction> matchContraction(func::FuncOp func,
                                            Refusal &refuse) {
  if (!isTensorKernel(func))
    return refuse("an operand or a result is empty or has no static shape");
  Contraction c;
  for (Operation &op : func.front().without_terminator()) {
    if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op))
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return refuse("'" + op.getName().getStringRef() +
                    "' stands in the kernel");
    if (!c.product) {
      std::optional<Contraction> product = matchProduct(linalgOp, refuse);
      if (!product)
        return std::nullopt;
      c = *product;
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (c.epilogue || !generic || !matchEpilogue(generic, c))
      return refuse("what follows the product is more than one elementwise "
                    "operation on it");
    c.epilogue = generic;
  }
  if (!c.product)
    return refuse("there is no product");
  for (Value v : func.front().getTerminator()->getOperands()) {
    if (v == c.product->getResult(0))
      c.results.push_back(-1);
    else if (c.epilogue && v.getDefiningOp() == c.epilogue)
      c.results.push_back(cast<OpResult>(v).getResultNumber());
    else
      return refuse("a result is neither the product nor computed from it");
  }
  return c;
}

namespace {

struct CPUEmitContractionsPass
    : impl::CPUEmitContractionsPassBase<CPUEmitContractionsPass> {
  void runOnOperation() override {
    Refusal refusal;
    std::optional<Contraction> c = matchContraction(getOperation(), refusal);
    if (!c)
      return;
    MemrefKernel kernel(getOperation());
    emitContraction(*c, kernel);
  }
};

} // namespace
} // namespace rubato::cpu
