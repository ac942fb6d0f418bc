// When values of a program are needed for the last time.
#ifndef RUBATO_LIB_SCHEDULE_VALUELIVES_H
#define RUBATO_LIB_SCHEDULE_VALUELIVES_H

#include "Placement.h"

namespace rubato {

/// Of one part. Whatever touches the memory of a value counts, and what a loop
/// carries is touched by the loop as a whole.
class ValueLives {
public:
  ValueLives() = default;
  ValueLives(mlir::Operation *part, const Placement &placement);

  /// Buffers of values that nothing behind `op` needs, in the block of `op`.
  llvm::ArrayRef<unsigned> endingAt(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> ends;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_VALUELIVES_H
