// Single changes that break a program, for sched-test-break-programs.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMMUTATIONS_H
#define RUBATO_LIB_SCHEDULE_PROGRAMMUTATIONS_H

#include "dialects/sched/Sched.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace rubato {

struct Mutation {
  llvm::StringRef kind;
  /// Where, in the module that is not changed.
  mlir::Operation *at;
  /// Changes a copy of the module; the map leads from operations to copies.
  std::function<void(mlir::IRMapping &copies)> apply;
  /// Why nobody could tell the difference, known before a proof is asked;
  /// empty if somebody could.
  std::string equivalent = {};
};

template <typename Op> Op copyOf(mlir::IRMapping &copies, Op op) {
  return mlir::cast<Op>(copies.lookup(op.getOperation()));
}

using Mutations = std::vector<Mutation>;

/// Awaits, renews, starts, frames, and buffers that are used again.
void addProgramMutations(mlir::ModuleOp module, Mutations &mutations);
/// Parts that are ready, and parts that arrive.
void addPartMutations(mlir::ModuleOp module, Mutations &mutations);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMMUTATIONS_H
