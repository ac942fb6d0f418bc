// The loops of cpu-emit-rows: rows in order, vectors along the columns.
#include "EmitRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace rubato::cpu {

/// Columns computed at once, as in reductions.
static constexpr int64_t lanes = kRowLanes;

namespace {

class RowEmitter {
public:
  RowEmitter(const RowChain &chain, const MemrefKernel &kernel)
      : chain(chain), kernel(kernel) {}

  void emit();

private:
  /// Where the columns of a result are kept. Scratch holds the present row.
  struct Buffer {
    Value memref;
    bool isScratch;
  };

  void allocate(OpBuilder &b);
  SmallVector<Value> emitLoops(OpBuilder &b, SmallVector<Value> ivs,
                               ValueRange totals);
  SmallVector<Value> emitRow(OpBuilder &b, ValueRange ivs, ValueRange totals);
  void readScalars(OpBuilder &b, linalg::GenericOp op, ValueRange ivs);
  SmallVector<Value> evaluate(OpBuilder &b, linalg::GenericOp op,
                              ValueRange ivs, int64_t count,
                              ValueRange running = {});
  void emitColumns(OpBuilder &b, const RowOp &row, ValueRange ivs);
  Value emitPick(OpBuilder &b, const RowOp &row, ValueRange ivs);
  void storeResult(OpBuilder &b, Value result, Value value, ValueRange ivs);

  const RowChain &chain;
  const MemrefKernel &kernel;
  DenseMap<Value, Buffer> buffers; // results that have columns
  DenseMap<Value, Value> perRow;   // results that have none, of this row
  // Inputs of the present operation that are the same in all columns.
  DenseMap<OpOperand *, Value> scalars;
};

} // namespace

static SmallVector<Value> append(ValueRange ivs, Value column) {
  SmallVector<Value> all(ivs);
  all.push_back(column);
  return all;
}

/// What the results of a reduction start from.
static SmallVector<Value> initialValues(OpBuilder &b, const RowOp &row) {
  return llvm::map_to_vector(row.inits, [&](TypedAttr init) {
    return splatConstant(b, row.op->getLoc(), init, 0);
  });
}

/// A row for each result with columns that a later step reads and the kernel
/// does not return.
void RowEmitter::allocate(OpBuilder &b) {
  for (auto [i, result] : llvm::enumerate(chain.results))
    buffers.try_emplace(result, Buffer{kernel.destination(i), false});
  for (const RowOp &row : chain.ops) {
    if (row.step != RowStep::Columns)
      continue;
    for (Value result : row.op->getResults()) {
      if (buffers.contains(result) || result.use_empty())
        continue;
      auto type = MemRefType::get({chain.columns},
                                  getElementTypeOrSelf(result.getType()));
      Value memref = memref::AllocaOp::create(b, result.getLoc(), type,
                                              b.getI64IntegerAttr(64));
      buffers[result] = {memref, true};
    }
  }
}

void RowEmitter::emit() {
  OpBuilder b = kernel.builder();
  allocate(b);
  SmallVector<Value> starts, results;
  for (const RowOp &row : chain.ops)
    if (row.step == RowStep::Total) {
      llvm::append_range(starts, initialValues(b, row));
      llvm::append_range(results, row.op->getResults());
    }
  SmallVector<Value> totals = emitLoops(b, {}, starts);
  for (auto [result, total] : llvm::zip(results, totals))
    storeResult(b, result, total, {});
}

SmallVector<Value> RowEmitter::emitLoops(OpBuilder &b, SmallVector<Value> ivs,
                                         ValueRange totals) {
  size_t dim = ivs.size();
  if (dim == chain.rows.size())
    return emitRow(b, ivs, totals);
  Location loc = chain.ops.front().op->getLoc();
  bool part = dim == 0 && chain.split;
  auto loop = scf::ForOp::create(
      b, loc, part ? kernel.lo() : constantIndex(b, loc, 0),
      part ? kernel.hi() : constantIndex(b, loc, chain.rows[dim]),
      constantIndex(b, loc, 1), totals,
      [&](OpBuilder &b, Location loc, Value iv, ValueRange running) {
        scf::YieldOp::create(b, loc, emitLoops(b, append(ivs, iv), running));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> RowEmitter::emitRow(OpBuilder &b, ValueRange ivs,
                                       ValueRange totals) {
  SmallVector<Value> next;
  for (const RowOp &row : chain.ops) {
    linalg::GenericOp op = row.op;
    readScalars(b, op, ivs);
    SmallVector<Value> values;
    switch (row.step) {
    case RowStep::Columns:
      emitColumns(b, row, ivs);
      continue;
    case RowStep::Total: {
      auto running = totals.slice(next.size(), op.getNumDpsInits());
      llvm::append_range(next, evaluate(b, op, ivs, 0, running));
      continue;
    }
    case RowStep::Scalar:
      values = evaluate(b, op, ivs, 0);
      break;
    case RowStep::Reduce:
      values = {emitRowReduction(
          b, row, chain.columns,
          [&](OpBuilder &b, Value column, int64_t count, Value running) {
            return evaluate(b, op, append(ivs, column), count, running).front();
          })};
      break;
    case RowStep::Single:
      values = evaluate(b, op, append(ivs, constantIndex(b, op.getLoc(), 0)), 0,
                        initialValues(b, row));
      break;
    case RowStep::Pick:
      values = {emitPick(b, row, ivs)};
      break;
    }
    for (auto [result, value] : llvm::zip(op->getResults(), values)) {
      perRow[result] = value;
      storeResult(b, result, value, ivs);
    }
  }
  return next;
}

/// What does not depend on the column is read once, before the columns.
void RowEmitter::readScalars(OpBuilder &b, linalg::GenericOp op,
                             ValueRange ivs) {
  scalars.clear();
  for (OpOperand *in : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(in);
    if (Value value = perRow.lookup(in->get()))
      scalars[in] = value;
    else if (isa<BlockArgument>(in->get()) &&
             !(op.getNumLoops() > chain.rows.size() &&
               map.isFunctionOfDim(op.getNumLoops() - 1)))
      scalars[in] = readOperand(b, op.getLoc(), kernel, in->get(), map, ivs, 0);
  }
}

/// The payload of `op` on `count` columns from the last of `ivs` on; zero
/// means one scalar.
SmallVector<Value> RowEmitter::evaluate(OpBuilder &b, linalg::GenericOp op,
                                        ValueRange ivs, int64_t count,
                                        ValueRange running) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  for (OpOperand *in : op.getDpsInputOperands()) {
    Type element = getElementTypeOrSelf(in->get().getType());
    auto type = VectorType::get({count ? count : 1}, element);
    if (Value scalar = scalars.lookup(in)) {
      inputs.push_back(
          count ? vector::BroadcastOp::create(b, loc, type, scalar).getResult()
                : scalar);
    } else if (auto it = buffers.find(in->get()); it != buffers.end()) {
      auto [memref, isScratch] = it->second;
      ValueRange at = isScratch ? ivs.take_back() : ivs;
      inputs.push_back(
          count ? vector::LoadOp::create(b, loc, type, memref, at).getResult()
                : memref::LoadOp::create(b, loc, memref, at).getResult());
    } else {
      inputs.push_back(readOperand(b, loc, kernel, in->get(),
                                   op.getMatchingIndexingMap(in), ivs, count));
    }
  }
  llvm::append_range(inputs, running);
  return emitPayload(b, op, inputs, count, ivs);
}

void RowEmitter::emitColumns(OpBuilder &b, const RowOp &row, ValueRange ivs) {
  Location loc = row.op->getLoc();
  auto some = [&](OpBuilder &b, Value column, int64_t count) {
    SmallVector<Value> at = append(ivs, column);
    SmallVector<Value> values = evaluate(b, row.op, at, count);
    for (auto [result, value] : llvm::zip(row.op->getResults(), values))
      storeResult(b, result, value, at);
  };
  int64_t whole = chain.columns / lanes * lanes;
  if (whole)
    scf::ForOp::create(b, loc, constantIndex(b, loc, 0),
                       constantIndex(b, loc, whole),
                       constantIndex(b, loc, lanes), {},
                       [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
                         some(b, iv, lanes);
                         scf::YieldOp::create(b, loc);
                       });
  for (int64_t part : splitLanes(chain.columns - whole, lanes)) {
    some(b, constantIndex(b, loc, whole), part == 1 ? 0 : part);
    whole += part;
  }
}

/// The one column that is chosen, if it is there.
Value RowEmitter::emitPick(OpBuilder &b, const RowOp &row, ValueRange ivs) {
  Location loc = row.op->getLoc();
  Value label = scalars.lookup(row.column);
  Value column = arith::IndexCastOp::create(b, loc, b.getIndexType(), label);
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column,
                            constantIndex(b, loc, chain.columns));
  Value init = splatConstant(b, loc, row.inits.front(), 0);
  return scf::IfOp::create(
             b, loc, exists,
             [&](OpBuilder &b, Location loc) {
               scf::YieldOp::create(
                   b, loc, evaluate(b, row.op, append(ivs, column), 0, init));
             },
             [&](OpBuilder &b, Location loc) {
               scf::YieldOp::create(b, loc, init);
             })
      .getResult(0);
}

/// Writes a result to the destinations that are to hold it, or to scratch.
void RowEmitter::storeResult(OpBuilder &b, Value result, Value value,
                             ValueRange ivs) {
  for (auto [i, returned] : llvm::enumerate(chain.results))
    if (returned == result)
      storeAt(b, result.getLoc(), value, kernel.destination(i), ivs);
  auto it = buffers.find(result);
  if (it != buffers.end() && it->second.isScratch)
    storeAt(b, result.getLoc(), value, it->second.memref, ivs.take_back());
}

void emitRowChain(const RowChain &chain, const MemrefKernel &kernel) {
  RowEmitter(chain, kernel).emit();
}

} // namespace rubato::cpu
