// Cuts a flat vector into buckets, in readiness order.
#include "Buckets.h"

using namespace mlir;
using namespace rubato;

/// Borders are multiples of this many elements, so that buckets begin at
/// aligned addresses; behind a first one that is smaller they may not.
static constexpr int64_t kBorder = 64;

/// Where a bucket from `begin` on that holds the slots up to `end` is closed.
/// Rounding down only leaves elements to the next bucket, which is reduced
/// later; a bucket of which nothing would be left keeps its border.
static int64_t borderOf(int64_t begin, int64_t end) {
  int64_t border = end / kBorder * kBorder;
  return border > begin ? border : end;
}

SmallVector<BucketRange> rubato::cutBuckets(nn::LayoutOp layout,
                                            int64_t bytes) {
  auto slots = llvm::to_vector(layout.slots());
  int64_t total = layout.getSize();
  int64_t width = slots.front().getType().getElementTypeBitWidth() / 8;
  // One bucket would leave nothing to overlap with: aim for half the vector.
  int64_t target = std::max<int64_t>(1, bytes / width);
  if (target >= total)
    target = (total + 1) / 2;

  SmallVector<BucketRange> buckets;
  int64_t begin = 0, end = 0;
  for (auto [i, slot] : llvm::enumerate(slots)) {
    end += slot.getType().getNumElements();
    bool last = i + 1 == slots.size();
    // What is left must be able to form a bucket of its own.
    bool full = end - begin >= target;
    bool onlyChance = buckets.empty() && i + 2 == slots.size();
    if (last || full || onlyChance) {
      int64_t border = last ? end : borderOf(begin, end);
      buckets.push_back({begin, border - begin});
      begin = border;
    }
  }
  return buckets;
}
