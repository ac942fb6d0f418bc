// What operations do to values and futures, and what they must find.
#ifndef RUBATO_LIB_SCHEDULE_PROOFRULES_H
#define RUBATO_LIB_SCHEDULE_PROOFRULES_H

#include "ProgramProof.h"
#include "ProofState.h"
#include "rubato/Schedule/SegmentOrder.h"

#include "mlir/IR/SymbolTable.h"

namespace rubato {

/// Functions change the state as the operation does and return false if it
/// breaks a rule, which is reported once for each operation.
class ProofRules {
public:
  explicit ProofRules(mlir::ModuleOp module);

  /// An operation of a program, without regions.
  bool apply(mlir::Operation *op, ProofState &state);
  /// All futures are awaited or carried, nothing is half there; behind `last`
  /// nobody awaits what is carried.
  bool applyEnd(mlir::Operation *end, ProofState &state, bool last);
  /// A handle that nobody has any more leads to no future.
  bool checkHandles(mlir::Operation *at, const ProofState &state);
  bool
  refuse(mlir::Operation *op, const llvm::Twine &message,
         llvm::ArrayRef<std::pair<mlir::Operation *, std::string>> notes = {});

  /// Frames of the module that hold futures.
  bool isFuture(mlir::FlatSymbolRefAttr buffer) const;
  llvm::SmallVector<ProgramViolation> violations;

private:
  using Typed = sched::TypedRangeAttr;

  // Values, in ProofRules.cpp.
  bool isValue(mlir::FlatSymbolRefAttr buffer) const;
  bool isWhole(sched::RangeAttr range) const;
  bool readValue(mlir::Operation *op, sched::RangeAttr range,
                 ProofState &state);
  bool isFree(mlir::Operation *op, mlir::FlatSymbolRefAttr buffer,
              llvm::StringRef verb, ProofState &state);
  bool renew(sched::RenewOp op, ProofState &state);
  bool drop(sched::DropOp op, ProofState &state);
  bool look(sched::LookOp op, ProofState &state);
  bool copy(sched::CopyOp op, ProofState &state);
  /// The host writes: the runtime makes values writable itself.
  bool hostWrites(mlir::Operation *op, sched::RangeAttr range,
                  ProofState &state);
  bool writesCell(mlir::Operation *op, sched::RangeAttr range,
                  const ProofState &state);

  // Futures, in ProofFutures.cpp.
  bool handOver(mlir::Operation *op, mlir::ArrayAttr ins, int64_t startsOn,
                ProofState &state);
  bool start(mlir::Operation *op, int64_t channel, mlir::ArrayAttr ins,
             ProofState &state);
  bool fitsRing(mlir::Operation *op, int64_t channel, const ProofState &state);
  bool await(sched::AwaitOp op, ProofState &state);
  bool bring(mlir::Operation *op, mlir::ArrayAttr outs, ProofState &state);
  bool checkTypes(sched::AwaitOp op, mlir::Operation *start);
  bool writeFuture(sched::WriteOp op, ProofState &state);
  bool isClosed(mlir::Operation *op, ProofState &state);

  // Segments, in ProofSegments.cpp.
  bool run(sched::RunOp op, ProofState &state);
  bool launch(sched::RunOp run, sched::LaunchOp op, ProofState &state);
  bool ready(sched::RunOp run, sched::ReadyOp op, ProofState &state);
  bool arrive(sched::RunOp run, sched::ArriveOp op, ProofState &state);

  mlir::SymbolTable symbols;
  BufferTable buffers;
  llvm::DenseSet<mlir::StringAttr> futures, frames; // buffers
  llvm::DenseSet<mlir::Operation *> told;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROOFRULES_H
