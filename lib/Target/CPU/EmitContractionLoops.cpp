// The loop nest of a matrix product, written in the vector dialect.
//
//   for each block of row tiles          // its rows of A stay in L2
//     pack A's tiles, if stored as [k, m] with long rows
//     for each panel of 16 columns
//       for each block of kc steps of k  // one, unless K is very large
//         pack B's panel                 // stays in L1/L2
//         for each row tile              // 6 (or 5, ...) rows, balanced
//           12 accumulators in registers; for k: 2 loads, 6 broadcasts, 12 FMA
//           epilogue on the registers, store
//
// Each element of the result is one chain of fused multiply-adds in the order
// of k, whatever the blocking: between blocks of k the sums rest in scratch,
// never in a destination, which may be an operand of the epilogue. The chain is
// written with math.fma, one rounding by definition; vector.fma leaves the
// choice to the code generator.
#include "EmitContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace rubato::cpu {

namespace {

/// A panel of B: `depth` steps of k, either packed or in place.
struct Panel {
  Value memref, row, col; // first row and column in `memref`
  Value k0;               // first step of k
  Value resultCol;        // first column of the result
  int64_t width, depth;
};

class Emitter {
public:
  Emitter(Contraction &c, const MemrefKernel &kernel)
      : c(c), kernel(kernel), blocking(c), loc(c.product.getLoc()),
        a(kernel.operand(c.a)), rhs(kernel.operand(c.b)) {}

  void emit();

private:
  void emitBlock(OpBuilder &b, Value firstTile, Value endTile);
  void emitPanel(OpBuilder &b, Value firstTile, Value endTile, Value col,
                 int64_t width);
  void emitDepth(OpBuilder &b, Value firstTile, Value endTile, Value k0,
                 int64_t depth, Value col, int64_t width, bool last);
  void forTiles(
      OpBuilder &b, Value firstTile, Value endTile,
      function_ref<void(OpBuilder &, Value tile, Value row, int64_t rows)>);
  void emitTile(OpBuilder &b, Value localTile, Value row, int64_t rows,
                const Panel &panel, bool last);
  Value loadA(OpBuilder &b, Value localTile, Value row, int64_t r, int64_t rows,
              Value k0, Value k);
  void prefetchEpilogue(OpBuilder &b, Value row, int64_t rows,
                        const Panel &panel);
  void finishRow(OpBuilder &b, ValueRange sums, Value row, const Panel &panel);
  Value scratch(OpBuilder &b, ArrayRef<int64_t> shape);

  Contraction &c;
  const MemrefKernel &kernel;
  Blocking blocking;
  Location loc;
  Value a, rhs, packedA, packedB, sums;
};

} // namespace

Value Emitter::scratch(OpBuilder &b, ArrayRef<int64_t> shape) {
  return memref::AllocaOp::create(
      b, loc, MemRefType::get(shape, b.getF32Type()), b.getI64IntegerAttr(64));
}

void Emitter::emit() {
  OpBuilder b = kernel.builder();
  if (blocking.packA)
    packedA = scratch(b, {blocking.blockTiles * blocking.rows * c.k});
  if (blocking.packB || c.n % Blocking::columns)
    packedB = scratch(b, {blocking.kc, Blocking::columns});
  if (blocking.kBlocks > 1)
    sums = scratch(b, {blocking.blockTiles * blocking.rows, Blocking::columns});

  Value zero = constantIndex(b, loc, 0);
  Value tiles = constantIndex(b, loc, blocking.tiles);
  if (blocking.blockTiles >= blocking.tiles)
    return emitBlock(b, zero, tiles);
  Value step = constantIndex(b, loc, blocking.blockTiles);
  scf::ForOp::create(b, loc, zero, tiles, step, {},
                     [&](OpBuilder &b, Location loc, Value first, ValueRange) {
                       Value end = arith::MinSIOp::create(
                           b, loc, arith::AddIOp::create(b, loc, first, step),
                           tiles);
                       emitBlock(b, first, end);
                       scf::YieldOp::create(b, loc);
                     });
}

/// Calls `body` in one loop over the tall tiles in the range and in one over
/// the others; rows are known statically in each.
void Emitter::forTiles(
    OpBuilder &b, Value firstTile, Value endTile,
    function_ref<void(OpBuilder &, Value, Value, int64_t)> body) {
  int64_t tall = blocking.tallTiles, rows = blocking.rows;
  Value one = constantIndex(b, loc, 1), border = constantIndex(b, loc, tall);
  auto loop = [&](Value lo, Value hi, int64_t tileRows, int64_t rowOffset) {
    scf::ForOp::create(b, loc, lo, hi, one, {},
                       [&](OpBuilder &b, Location loc, Value tile, ValueRange) {
                         Value row =
                             addIndex(b, loc, mulIndex(b, loc, tile, tileRows),
                                      rowOffset);
                         body(b, tile, row, tileRows);
                         scf::YieldOp::create(b, loc);
                       });
  };
  bool mixed = tall < blocking.tiles;
  loop(firstTile,
       mixed ? b.createOrFold<arith::MinSIOp>(loc, endTile, border) : endTile,
       rows, 0);
  if (mixed)
    loop(b.createOrFold<arith::MaxSIOp>(loc, firstTile, border), endTile,
         rows - 1, tall);
}

void Emitter::emitBlock(OpBuilder &b, Value firstTile, Value endTile) {
  if (blocking.packA)
    scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, c.k),
        constantIndex(b, loc, 1), {},
        [&](OpBuilder &b, Location loc, Value k, ValueRange) {
          forTiles(b, firstTile, endTile,
                   [&](OpBuilder &b, Value tile, Value row, int64_t rows) {
                     Value local =
                         b.createOrFold<arith::SubIOp>(loc, tile, firstTile);
                     Value start = mulIndex(b, loc, local, blocking.rows * c.k);
                     Value to =
                         addIndex(b, loc, start, mulIndex(b, loc, k, rows));
                     emitPackRows(b, loc, a, packedA, to, k, row, rows);
                   });
          scf::YieldOp::create(b, loc);
        });
  int64_t whole = c.n / Blocking::columns * Blocking::columns;
  if (whole)
    scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, whole),
        constantIndex(b, loc, Blocking::columns), {},
        [&](OpBuilder &b, Location loc, Value col, ValueRange) {
          emitPanel(b, firstTile, endTile, col, Blocking::columns);
          scf::YieldOp::create(b, loc);
        });
  if (whole < c.n)
    emitPanel(b, firstTile, endTile, constantIndex(b, loc, whole), c.n - whole);
}

void Emitter::emitPanel(OpBuilder &b, Value firstTile, Value endTile, Value col,
                        int64_t width) {
  int64_t lastBlock = (blocking.kBlocks - 1) * blocking.kc;
  if (lastBlock) {
    Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
    Value rows = constantIndex(b, loc, blocking.blockTiles * blocking.rows);
    Value zeros = zeroVector(b, loc, Blocking::columns);
    scf::ForOp::create(b, loc, zero, rows, one, {},
                       [&](OpBuilder &b, Location loc, Value r, ValueRange) {
                         storeAt(b, loc, zeros, sums, {r, zero});
                         scf::YieldOp::create(b, loc);
                       });
    scf::ForOp::create(b, loc, zero, constantIndex(b, loc, lastBlock),
                       constantIndex(b, loc, blocking.kc), {},
                       [&](OpBuilder &b, Location loc, Value k0, ValueRange) {
                         emitDepth(b, firstTile, endTile, k0, blocking.kc, col,
                                   width, /*last=*/false);
                         scf::YieldOp::create(b, loc);
                       });
  }
  emitDepth(b, firstTile, endTile, constantIndex(b, loc, lastBlock),
            c.k - lastBlock, col, width, /*last=*/true);
}

void Emitter::emitDepth(OpBuilder &b, Value firstTile, Value endTile, Value k0,
                        int64_t depth, Value col, int64_t width, bool last) {
  Panel panel{rhs, k0, col, k0, col, width, depth};
  if (blocking.packB || width < Blocking::columns) {
    emitPackB(b, loc, c, rhs, packedB, k0, depth, col, width);
    panel.memref = packedB;
    panel.row = panel.col = constantIndex(b, loc, 0);
  }
  forTiles(b, firstTile, endTile,
           [&](OpBuilder &b, Value tile, Value row, int64_t rows) {
             Value local = b.createOrFold<arith::SubIOp>(loc, tile, firstTile);
             emitTile(b, local, row, rows, panel, last);
           });
}

Value Emitter::loadA(OpBuilder &b, Value localTile, Value row, int64_t r,
                     int64_t rows, Value k0, Value k) {
  Value step = addIndex(b, loc, k0, k);
  if (packedA) {
    Value start = mulIndex(b, loc, localTile, blocking.rows * c.k);
    Value at = addIndex(b, loc, start, mulIndex(b, loc, step, rows));
    return memref::LoadOp::create(b, loc, packedA,
                                  ValueRange{addIndex(b, loc, at, r)});
  }
  Value m = addIndex(b, loc, row, r);
  return memref::LoadOp::create(
      b, loc, a, c.transposeA ? ValueRange{step, m} : ValueRange{m, step});
}

/// The micro-kernel: one tile of rows against one panel.
void Emitter::emitTile(OpBuilder &b, Value localTile, Value row, int64_t rows,
                       const Panel &panel, bool last) {
  constexpr int64_t lanes = Blocking::lanes, vectors = Blocking::vectors;
  auto type = VectorType::get({lanes}, b.getF32Type());
  auto sumAt = [&](OpBuilder &b, int64_t r, int64_t v) {
    Value m = addIndex(b, loc, mulIndex(b, loc, localTile, blocking.rows), r);
    return SmallVector<Value>{m, constantIndex(b, loc, v * lanes)};
  };
  if (last && blocking.prefetch)
    prefetchEpilogue(b, row, rows, panel);
  SmallVector<Value> init;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      init.push_back(
          sums ? vector::LoadOp::create(b, loc, type, sums, sumAt(b, r, v))
                     .getResult()
               : zeroVector(b, loc, lanes));
  auto loop = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, panel.depth),
      constantIndex(b, loc, 1), init,
      [&](OpBuilder &b, Location loc, Value k, ValueRange acc) {
        SmallVector<Value> columns, next;
        Value at = addIndex(b, loc, panel.row, k);
        for (int64_t v = 0; v < vectors; ++v)
          columns.push_back(vector::LoadOp::create(
              b, loc, type, panel.memref,
              ValueRange{at, addIndex(b, loc, panel.col, v * lanes)}));
        for (int64_t r = 0; r < rows; ++r) {
          Value x = vector::BroadcastOp::create(
              b, loc, type, loadA(b, localTile, row, r, rows, panel.k0, k));
          for (int64_t v = 0; v < vectors; ++v)
            next.push_back(math::FmaOp::create(b, loc, x, columns[v],
                                               acc[r * vectors + v]));
        }
        scf::YieldOp::create(b, loc, next);
      });
  for (int64_t r = 0; r < rows; ++r) {
    ValueRange sum = loop.getResults().slice(r * vectors, vectors);
    if (last)
      finishRow(b, sum, addIndex(b, loc, row, r), panel);
    else
      for (int64_t v = 0; v < vectors; ++v)
        storeAt(b, loc, sum[v], sums, sumAt(b, r, v));
  }
}

/// Asks for the tile of every matrix that the epilogue reads, so that it
/// arrives while the products are summed.
void Emitter::prefetchEpilogue(OpBuilder &b, Value row, int64_t rows,
                               const Panel &panel) {
  for (OpOperand *in : c.epilogue.getDpsInputOperands()) {
    if (!isa<BlockArgument>(in->get()) ||
        !c.epilogue.getMatchingIndexingMap(in).isIdentity())
      continue;
    // A panel is as wide as a cache line, but need not begin on one.
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t column : {int64_t(0), panel.width - 1})
        memref::PrefetchOp::create(
            b, loc, kernel.operand(in->get()),
            ValueRange{addIndex(b, loc, row, r),
                       addIndex(b, loc, panel.resultCol, column)},
            /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// The epilogue of one row of a tile: operands read before anything is stored.
void Emitter::finishRow(OpBuilder &b, ValueRange sums, Value row,
                        const Panel &panel) {
  int64_t done = 0;
  for (int64_t lanes : splitLanes(panel.width, Blocking::lanes)) {
    Value sum = sliceLanes(b, loc, sums[done / Blocking::lanes],
                           done % Blocking::lanes, lanes);
    Value at[] = {row, addIndex(b, loc, panel.resultCol, done)};
    SmallVector<Value> values;
    if (linalg::GenericOp e = c.epilogue) {
      SmallVector<Value> inputs;
      for (OpOperand *in : e.getDpsInputOperands())
        inputs.push_back(in->get() == c.product->getResult(0)
                             ? sum
                             : readOperand(b, loc, kernel, in->get(),
                                           e.getMatchingIndexingMap(in), at,
                                           lanes));
      values = emitPayload(b, e, inputs, lanes);
    }
    for (auto [i, result] : llvm::enumerate(c.results))
      storeAt(b, loc, result < 0 ? sum : values[result], kernel.destination(i),
              at);
    done += lanes;
  }
}

void emitContraction(Contraction &c, const MemrefKernel &kernel) {
  Emitter(c, kernel).emit();
}

} // namespace rubato::cpu
