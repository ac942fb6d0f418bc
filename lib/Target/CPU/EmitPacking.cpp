// Packing: operands copied to scratch in the order in which the micro-kernel
// reads them.
//
// B goes to panels [k][16], columns past the edge as zeros. A stored as [k, m]
// goes to tiles [k][rows]. Nothing outside the operands is read: tails are cut
// into narrower vectors.
#include "EmitContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace rubato::cpu {

using IndexFn = function_ref<void(OpBuilder &, Value)>;

static void forRange(OpBuilder &b, Location loc, int64_t lo, int64_t hi,
                     int64_t step, IndexFn body) {
  if (lo >= hi)
    return;
  scf::ForOp::create(b, loc, constantIndex(b, loc, lo),
                     constantIndex(b, loc, hi), constantIndex(b, loc, step), {},
                     [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
                       body(b, iv);
                       scf::YieldOp::create(b, loc);
                     });
}

/// Copies `width` columns of one row and fills the panel's row with zeros.
static void copyRow(OpBuilder &b, Location loc, Value source, Value row,
                    Value col, Value packed, Value k, int64_t width) {
  int64_t offset = 0;
  for (int64_t lanes : splitLanes(width, Blocking::lanes)) {
    auto type = VectorType::get({lanes}, b.getF32Type());
    Value v = vector::LoadOp::create(
        b, loc, type, source, ValueRange{row, addIndex(b, loc, col, offset)});
    storeAt(b, loc, v, packed, {k, constantIndex(b, loc, offset)});
    offset += lanes;
  }
  for (int64_t lanes : splitLanes(Blocking::columns - width, Blocking::lanes)) {
    storeAt(b, loc, zeroVector(b, loc, lanes), packed,
            {k, constantIndex(b, loc, offset)});
    offset += lanes;
  }
}

/// Transposes eight vectors of eight by in-lane interleaving of rows, then of
/// pairs, then by exchanging halves.
static void transpose8x8(OpBuilder &b, Location loc,
                         SmallVectorImpl<Value> &rows) {
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> mask) -> Value {
    return vector::ShuffleOp::create(b, loc, x, y, mask);
  };
  Value t[8], u[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = shuffle(rows[i], rows[i + 1], {0, 8, 1, 9, 4, 12, 5, 13});
    t[i + 1] = shuffle(rows[i], rows[i + 1], {2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      Value x = t[i + j], y = t[i + j + 2];
      u[i + 2 * j] = shuffle(x, y, {0, 1, 8, 9, 4, 5, 12, 13});
      u[i + 2 * j + 1] = shuffle(x, y, {2, 3, 10, 11, 6, 7, 14, 15});
    }
  for (int i = 0; i < 4; ++i) {
    rows[i] = shuffle(u[i], u[i + 4], {0, 1, 2, 3, 8, 9, 10, 11});
    rows[i + 4] = shuffle(u[i], u[i + 4], {4, 5, 6, 7, 12, 13, 14, 15});
  }
}

/// Eight steps of k of a transposed B, eight columns at a time.
static void transposeBlock(OpBuilder &b, Location loc, Value source, Value col,
                           Value k0, Value packed, Value k, int64_t width) {
  auto type = VectorType::get({8}, b.getF32Type());
  Value from = addIndex(b, loc, k0, k);
  for (int64_t half = 0; half < Blocking::columns; half += 8) {
    SmallVector<Value> rows;
    for (int64_t r = half; r < half + 8; ++r)
      rows.push_back(r < width ? vector::LoadOp::create(
                                     b, loc, type, source,
                                     ValueRange{addIndex(b, loc, col, r), from})
                                     .getResult()
                               : zeroVector(b, loc, 8));
    if (half < width)
      transpose8x8(b, loc, rows);
    for (int64_t j = 0; j < 8; ++j)
      storeAt(b, loc, rows[j], packed,
              {addIndex(b, loc, k, j), constantIndex(b, loc, half)});
  }
}

void emitPackB(OpBuilder &b, Location loc, const Contraction &c, Value source,
               Value packed, Value k0, int64_t depth, Value col,
               int64_t width) {
  if (!c.transposeB) {
    forRange(b, loc, 0, depth, 1, [&](OpBuilder &b, Value k) {
      copyRow(b, loc, source, addIndex(b, loc, k0, k), col, packed, k, width);
    });
    return;
  }
  int64_t whole = depth / 8 * 8;
  forRange(b, loc, 0, whole, 8, [&](OpBuilder &b, Value k) {
    transposeBlock(b, loc, source, col, k0, packed, k, width);
  });
  Value zero;
  if (whole < depth && width < Blocking::columns)
    zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  forRange(b, loc, whole, depth, 1, [&](OpBuilder &b, Value k) {
    Value from = addIndex(b, loc, k0, k);
    for (int64_t r = 0; r < Blocking::columns; ++r) {
      Value x = zero;
      if (r < width)
        x = memref::LoadOp::create(b, loc, source,
                                   ValueRange{addIndex(b, loc, col, r), from});
      storeAt(b, loc, x, packed, {k, constantIndex(b, loc, r)});
    }
  });
}

void emitPackRows(OpBuilder &b, Location loc, Value source, Value packed,
                  Value to, Value k, Value row, int64_t rows) {
  int64_t r = 0;
  for (int64_t lanes : splitLanes(rows, Blocking::lanes)) {
    auto type = VectorType::get({lanes}, b.getF32Type());
    Value v = vector::LoadOp::create(b, loc, type, source,
                                     ValueRange{k, addIndex(b, loc, row, r)});
    storeAt(b, loc, v, packed, addIndex(b, loc, to, r));
    r += lanes;
  }
}

} // namespace rubato::cpu
