// Greedy placement by size.
#include "ArenaPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>

using namespace rubato;

int64_t rubato::planArena(llvm::MutableArrayRef<ArenaRequest> requests) {
  llvm::SmallVector<ArenaRequest *> order;
  for (ArenaRequest &request : requests)
    order.push_back(&request);
  llvm::sort(order, [&](const ArenaRequest *a, const ArenaRequest *b) {
    return std::make_tuple(-a->bytes, a->first, a) <
           std::make_tuple(-b->bytes, b->first, b);
  });

  int64_t total = 0;
  llvm::SmallVector<ArenaRequest *> placed; // by offset
  for (ArenaRequest *request : order) {
    int64_t bytes = alignUp(request->bytes), offset = 0;
    for (ArenaRequest *other : placed) {
      if (other->last < request->first || request->last < other->first)
        continue; // never alive together
      if (offset + bytes <= other->offset)
        break; // fits in the gap before it
      offset = std::max(offset, other->offset + alignUp(other->bytes));
    }
    request->offset = offset;
    total = std::max(total, offset + bytes);
    placed.insert(llvm::upper_bound(placed, request,
                                    [](ArenaRequest *a, ArenaRequest *b) {
                                      return a->offset < b->offset;
                                    }),
                  request);
  }
  return total;
}
