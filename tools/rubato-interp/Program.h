// What the interpreter knows of a program before it runs: who runs which role,
// where values are kept, which operations other strands can notice.
#ifndef RUBATO_TOOLS_INTERP_PROGRAM_H
#define RUBATO_TOOLS_INTERP_PROGRAM_H

#include "dialects/gsync/Gsync.h"
#include "policy/factory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <vector>

namespace rubato::interp {

/// A channel and who talks over it. A mailbox has one server; the others are
/// its workers, by ascending rank.
struct ChannelInfo {
  gsync::ChannelOp op;
  unsigned group;
  int server = -1;
  std::vector<int> workers;

  /// The place of a rank among the workers; -1 for the server.
  int workerIndex(int rank) const;
};

struct RoleInfo {
  gsync::RoleOp op;
  std::vector<gsync::StrandOp> strands;
  gsync::InitOp init;
  gsync::DrainOp drain;
  gsync::ModelOp model;
  unsigned group;
  /// By rendezvous: the strands that meet there.
  std::vector<llvm::SmallVector<int, 2>> meeters;

  /// The region that strand `index` runs, or the part of that kind.
  mlir::Region *region(unsigned strand) { return &strands[strand].getBody(); }
};

/// A policy's kind and settings, as its factory wants them.
struct PolicyInfo {
  gsync::PolicyOp op;
  std::vector<policy::NamedSetting> settings;
};

/// Values of one isolated region lie in slots, numbered from 0. A value is
/// dropped after the operation of its own block that uses it last, so two
/// states that differ only in values nobody reads are the same state.
class Program {
public:
  /// Checks that `module` can be run on `ranks` members.
  static mlir::FailureOr<std::unique_ptr<Program>>
  analyse(mlir::ModuleOp module, int ranks);

  mlir::ModuleOp module;
  int ranks = 0;
  std::vector<gsync::GroupOp> groups;
  std::vector<RoleInfo> roles;
  std::vector<unsigned> roleOfRank;
  std::vector<ChannelInfo> channels;
  std::vector<gsync::CellOp> cells;
  std::vector<PolicyInfo> policies;
  std::vector<gsync::RendezvousOp> rendezvous;
  /// Samples of a micro-batch.
  int64_t batch = 1;

  RoleInfo &roleOf(int rank) { return roles[roleOfRank[rank]]; }
  unsigned index(llvm::StringRef symbol) const { return byName.lookup(symbol); }
  unsigned slot(mlir::Value value) const { return slots.lookup(value); }
  unsigned slotsOf(mlir::Region *root) const { return sizes.lookup(root); }
  /// Slots that nobody reads after `op`.
  llvm::ArrayRef<unsigned> killsAfter(mlir::Operation *op) const;
  /// A number for `op` that is the same in every run.
  unsigned id(mlir::Operation *op) const { return ids.lookup(op); }
  mlir::func::FuncOp callee(mlir::func::CallOp call) const;
  /// Whether a function has no effects and can be evaluated in one go.
  bool isPure(mlir::func::FuncOp function) const {
    return pure.lookup(function);
  }
  /// Whether a part takes batches by cursor, and whether a role votes on them.
  bool usesCursor(mlir::Region *part) const { return cursors.contains(part); }
  bool usesCommit() const { return hasCommit; }
  /// Whether members go through the rounds of a part together: it reduces,
  /// votes or shares a cursor. The view is the same for all in such a round;
  /// elsewhere a round is a member's own.
  bool sharesRounds(mlir::Region *part) const { return shared.contains(part); }
  /// How often a call of `function` calls @name, in the order of the text.
  llvm::ArrayRef<llvm::StringRef> callsOf(mlir::func::FuncOp function) const;

private:
  mlir::LogicalResult readSymbols();
  mlir::LogicalResult assignRoles();
  mlir::LogicalResult checkFunctions();
  void findMeeters(RoleInfo &role);
  void numberRegion(mlir::Region &root);
  void numberBlock(mlir::Block &block, unsigned &next);

  bool reaches(mlir::Operation *op,
               llvm::function_ref<bool(mlir::Operation *)> wanted,
               int depth = 0) const;

  llvm::DenseSet<mlir::Region *> cursors, shared;
  bool hasCommit = false;
  llvm::StringMap<unsigned> byName;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  llvm::DenseMap<mlir::Region *, unsigned> sizes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>> kills;
  llvm::DenseMap<mlir::Operation *, unsigned> ids;
  llvm::DenseMap<mlir::Operation *, bool> pure;
  llvm::DenseMap<mlir::Operation *, std::vector<llvm::StringRef>> called;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_PROGRAM_H
