// The numbers by which compiled code names what a program declares.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMNUMBERS_H
#define RUBATO_LIB_SCHEDULE_PROGRAMNUMBERS_H

#include "dialects/gsync/Gsync.h"

#include "llvm/ADT/StringMap.h"

namespace rubato {

/// Positions in the lists of the manifest (docs/unit.md, "Programs").
struct ProgramNumbers {
  explicit ProgramNumbers(mlir::ModuleOp module);

  llvm::StringMap<int64_t> channels, policies, rendezvous;
  /// Cells that ever appear together in an atomic share a lock.
  llvm::StringMap<int64_t> locks;

  int64_t channel(llvm::StringRef name) const { return channels.lookup(name); }
  /// Policy and entry of a question.
  std::pair<int64_t, int64_t> entry(gsync::AskOp ask) const;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMNUMBERS_H
