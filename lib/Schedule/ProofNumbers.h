// What the branches of a program tell about its numbers.
#ifndef RUBATO_LIB_SCHEDULE_PROOFNUMBERS_H
#define RUBATO_LIB_SCHEDULE_PROOFNUMBERS_H

#include "ProofState.h"

namespace rubato {

/// What `value` is in a state, from what computes it and what was assumed.
Number numberOf(mlir::Value value, const ProofState &state);

/// From here on `condition` holds, or does not. What it says about others is
/// kept as well: a loop up to n has a body where `n < 1` does not hold.
void assume(mlir::Value condition, bool holds, ProofState &state);

/// The states in which a condition holds, and those in which it does not.
struct Branches {
  std::optional<ProofState> holds, fails;
};
Branches branch(mlir::Value condition, const ProofState &state);

/// What a loop may keep of a number from body to body, so that it ends.
Number widened(Number number);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROOFNUMBERS_H
