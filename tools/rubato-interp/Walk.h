// Walks through the points of an iteration space, keeping the place of each
// point in several row-major tensors.
#ifndef RUBATO_TOOLS_INTERP_WALK_H
#define RUBATO_TOOLS_INTERP_WALK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace rubato::interp {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// How far neighbours lie apart along each dimension of a row-major tensor.
inline Sizes rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Sizes strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// `for (Walk w(shape, strides); w.valid(); w.next())`, the last dimension
/// fastest. A walk through no dimensions has one point.
class Walk {
public:
  Walk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Sizes> strides,
       llvm::ArrayRef<int64_t> start = {})
      : shape(shape), strides(strides), position(shape.size(), 0),
        places(strides.size(), 0), more(!llvm::is_contained(shape, 0)) {
    std::copy(start.begin(), start.end(), places.begin());
  }

  bool valid() const { return more; }
  /// Where the point is along each dimension.
  llvm::ArrayRef<int64_t> index() const { return position; }
  /// Where the point is in tensor `i`.
  int64_t place(unsigned i) const { return places[i]; }

  void next() {
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d]) {
        for (size_t i = 0; i != places.size(); ++i)
          places[i] += strides[i][d];
        return;
      }
      position[d] = 0;
      for (size_t i = 0; i != places.size(); ++i)
        places[i] -= strides[i][d] * (shape[d] - 1);
    }
    more = false;
  }

private:
  Sizes shape;
  llvm::SmallVector<Sizes, 4> strides;
  Sizes position, places;
  bool more;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_WALK_H
