// All ways through one program.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMPATHS_H
#define RUBATO_LIB_SCHEDULE_PROGRAMPATHS_H

#include "ProofRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace rubato {

class ProgramPaths {
public:
  explicit ProgramPaths(ProofRules &rules) : rules(rules) {}

  /// The states in which a program ends that begins in these; behind the `last`
  /// program of a role nobody awaits anything.
  StateSet run(sched::ProgramOp program, const StateSet &from, bool last);
  /// Reports that there are more states than any program has that a compiler
  /// wrote.
  bool isTooMany(mlir::Operation *op, const StateSet &states);

private:
  /// The states at the end of a block, in front of its terminator.
  StateSet runBlock(mlir::Block &block, const StateSet &from);
  StateSet runOp(mlir::Operation *op, const StateSet &from);
  void runIf(mlir::scf::IfOp op, const ProofState &from, StateSet &to);
  void runFor(mlir::scf::ForOp op, const ProofState &from, StateSet &to);
  void runWhile(mlir::scf::WhileOp op, const ProofState &from, StateSet &to);
  /// Gives `to` what `values` are, and leaves the block they stand in.
  std::optional<ProofState> pass(mlir::ValueRange values, mlir::ValueRange to,
                                 mlir::Block &block, ProofState state,
                                 bool widen = false);

  ProofRules &rules;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMPATHS_H
