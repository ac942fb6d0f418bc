// What the runtime must know of a unit that follows from its code.
#ifndef RUBATO_LIB_SCHEDULE_UNITFACTS_H
#define RUBATO_LIB_SCHEDULE_UNITFACTS_H

#include "dialects/sched/Sched.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace rubato {

/// What a program does, with the segments that it runs.
struct ProgramFacts {
  bool cursor = false;   // takes batches by the data cursor
  bool lockstep = false; // does something with all members together
  llvm::SmallDenseSet<int64_t> policies, rendezvous; // asked, met at
};

class UnitFacts {
public:
  explicit UnitFacts(mlir::ModuleOp module);

  const ProgramFacts &of(mlir::FlatSymbolRefAttr program) const;
  /// Bytes of the largest message on the channel of this number.
  int64_t bytes(int64_t channel) const { return channelBytes.lookup(channel); }
  /// Roles that ask the policy of this number, and programs of the strands that
  /// meet at a rendezvous; null where there are none.
  mlir::ArrayAttr askers(int64_t policy) const;
  mlir::ArrayAttr meeting(int64_t rendezvous) const;
  int64_t locks() const { return lockCount; }
  bool commits() const { return votes; }

private:
  void take(mlir::Operation *op, ProgramFacts &program);

  mlir::ModuleOp module;
  llvm::StringMap<ProgramFacts> programs;
  llvm::DenseMap<int64_t, int64_t> channelBytes;
  int64_t lockCount = 0;
  bool votes = false;
};

/// Reductions of parts of the flat vector that one segment starts, in their
/// order: the unit's buckets.
llvm::SmallVector<sched::TypedRangeAttr> reducedParts(mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_UNITFACTS_H
