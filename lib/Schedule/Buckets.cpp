// Cuts a flat vector into buckets, in readiness order.
#include "Buckets.h"

using namespace mlir;
using namespace rubato;

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
  BucketRange open{0, 0, 0, 0};
  for (auto [i, slot] : llvm::enumerate(slots)) {
    open.count += slot.getType().getNumElements();
    open.endSlot = i + 1;
    bool last = i + 1 == slots.size();
    // What is left must be able to form a bucket of its own.
    bool full = open.count >= target;
    bool onlyChance = buckets.empty() && i + 2 == slots.size();
    if (last || full || onlyChance) {
      buckets.push_back(open);
      open = {open.offset + open.count, 0, open.endSlot, open.endSlot};
    }
  }
  return buckets;
}
