// How a contraction is cut into tiles, panels and blocks. Only the speed of a
// kernel depends on it, never a bit of its results.
#include "EmitContraction.h"

#include "llvm/Support/MathExtras.h"

namespace rubato::cpu {

/// Floats of scratch on the stack for a panel of B, or for resting sums.
static constexpr int64_t scratchFloats = 32 * 1024;
/// The same for packed tiles of A: a quarter of a 1 MiB L2. Fewer rows would
/// repack B more often.
static constexpr int64_t tileFloats = 64 * 1024;
/// Floats of A that one row block reads: half of a 1 MiB L2.
static constexpr int64_t blockFloats = 128 * 1024;

Blocking::Blocking(const Contraction &c) {
  tiles = llvm::divideCeil(c.m, maxRows);
  rows = llvm::divideCeil(c.m, tiles);
  tallTiles = c.m - tiles * (rows - 1);

  kBlocks = llvm::divideCeil(c.k, scratchFloats / columns);
  kc = llvm::alignTo(llvm::divideCeil(c.k, kBlocks), 8);
  kBlocks = llvm::divideCeil(c.k, kc);

  // In place, the columns of one step of k are a cache line per row of B; a
  // copy pays as soon as several row tiles read it.
  packB = c.transposeB || tiles > 2 || kBlocks > 1;
  // Column-wise reads of A touch one line per step of k and, with long rows,
  // few sets of the cache.
  packA = c.transposeA && c.m >= 256 && c.n > columns &&
          maxRows * c.k <= tileFloats;
  // Matrices that the epilogue reads come from outside L2 if they are large,
  // and a deep enough sum hides the way.
  prefetch = c.epilogue && c.k >= 32 && c.m * c.n >= blockFloats;
  int64_t limit = packA ? tileFloats : blockFloats;
  int64_t most = std::max<int64_t>(1, limit / (rows * c.k));
  if (kBlocks > 1) // the sums of one block of rows rest in scratch
    most = std::min(most, scratchFloats / (rows * columns));
  blockTiles = llvm::divideCeil(tiles, llvm::divideCeil(tiles, most));
}

} // namespace rubato::cpu
