// Which segments write a value last, before an operation of a program uses it.
#ifndef RUBATO_LIB_SCHEDULE_PRODUCERS_H
#define RUBATO_LIB_SCHEDULE_PRODUCERS_H

#include "dialects/sched/Sched.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace rubato {

struct Producer {
  sched::RunOp run;
  /// The loop in whose last body the run is the last to write; null where it
  /// certainly is.
  mlir::scf::ForOp loop;
};

struct Producers {
  llvm::SmallVector<Producer> runs;
  std::string obstacle; // where there are none
};

/// The runs that write `value` last before `start`, of each side of a branch
/// its own: behind them nobody writes it, and the start certainly follows.
Producers findProducers(sched::StartOp start, mlir::FlatSymbolRefAttr value,
                        const mlir::SymbolTable &symbols);

/// Whether a launch writes to a value.
bool writesTo(sched::LaunchOp launch, mlir::FlatSymbolRefAttr value);

/// Whether `op`, or something inside it or in the segment that it runs, names
/// the value, other than to let it go.
bool mentions(mlir::Operation *op, mlir::FlatSymbolRefAttr value,
              const mlir::SymbolTable &symbols);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PRODUCERS_H
