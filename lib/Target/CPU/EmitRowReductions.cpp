// Reductions along a row for cpu-emit-rows, in an order that the vector length
// of the machine does not change.
#include "EmitRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace rubato::cpu {

/// Four running values hide the latency of an addition.
static constexpr int64_t lanes = kRowLanes, accumulators = 4,
                         group = accumulators * lanes;

/// Two values, or two halves of one, made one.
static Value combine(OpBuilder &b, const RowOp &row, Value x, Value y) {
  Operation *copy = b.clone(*row.combine);
  copy->setOperands({x, y});
  copy->getResult(0).setType(x.getType());
  return copy->getResult(0);
}
static Value combineHalves(OpBuilder &b, const RowOp &row, Value x) {
  Location loc = row.op->getLoc();
  int64_t half = cast<VectorType>(x.getType()).getNumElements() / 2;
  auto part = [&](int64_t which) -> Value {
    if (half == 1)
      return vector::ExtractOp::create(b, loc, x, which);
    return sliceLanes(b, loc, x, which * half, half);
  };
  Value low = part(0), high = part(1);
  return combine(b, row, low, high);
}

Value emitRowReduction(OpBuilder &b, const RowOp &row, int64_t columns,
                       AddColumns add) {
  Location loc = row.op->getLoc();
  auto neutral = [&](int64_t count) {
    return splatConstant(b, loc, row.neutral, count);
  };
  int64_t at = columns / group * group;
  SmallVector<Value> sums(std::min(columns / lanes, accumulators),
                          columns < lanes ? Value() : neutral(lanes));
  if (at) {
    auto loop = scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, at),
        constantIndex(b, loc, group), sums,
        [&](OpBuilder &b, Location loc, Value iv, ValueRange running) {
          SmallVector<Value> next;
          for (auto [i, sum] : llvm::enumerate(running))
            next.push_back(add(b, addIndex(b, loc, iv, i * lanes), lanes, sum));
          scf::YieldOp::create(b, loc, next);
        });
    llvm::copy(loop.getResults(), sums.begin());
  }
  for (Value &sum : sums)
    if (columns - at >= lanes) {
      sum = add(b, constantIndex(b, loc, at), lanes, sum);
      at += lanes;
    }
  while (sums.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i < sums.size(); i += 2)
      next.push_back(i + 1 == sums.size()
                         ? sums[i]
                         : combine(b, row, sums[i], sums[i + 1]));
    sums = next;
  }

  Value sum = sums.empty() ? Value() : sums.front();
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    if (sum)
      sum = combineHalves(b, row, sum);
    if (columns - at < width)
      continue;
    int64_t count = width == 1 ? 0 : width;
    sum = add(b, constantIndex(b, loc, at), count, sum ? sum : neutral(count));
    at += width;
  }
  if (row.inits.front() == row.neutral)
    return sum;
  return combine(b, row, splatConstant(b, loc, row.inits.front(), 0), sum);
}

} // namespace rubato::cpu
