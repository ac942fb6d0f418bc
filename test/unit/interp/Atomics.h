// Runs single atomics of a program, at times and in an order of the test's
// choosing: the program's own arithmetic without its schedule.
#ifndef RUBATO_TEST_UNIT_INTERP_ATOMICS_H
#define RUBATO_TEST_UNIT_INTERP_ATOMICS_H

#include "Programs.h"

#include "dialects/gsync/Gsync.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace rubato::test {

/// The cells of one member and what is known of values outside of atomics.
class AtomicMember {
public:
  llvm::StringMap<interp::Value> cells;

  /// What a value is that no pure operation gives: a batch's gradient, what a
  /// peer has sent.
  using Leaf = llvm::function_ref<interp::Value(mlir::OpResult)>;

  /// A value outside of atomics, computed from the cells and from leaves.
  interp::Value valueOf(mlir::Value value, Leaf leaf);

  /// Runs `op` at `now`; whether it could be. Its results are known then.
  bool run(gsync::AtomicOp op, double now, Leaf leaf);

private:
  interp::Environment environment;
};

} // namespace rubato::test

#endif // RUBATO_TEST_UNIT_INTERP_ATOMICS_H
