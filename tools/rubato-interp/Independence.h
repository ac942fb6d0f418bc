// Which steps commute with everything that others can do.
//
// A step is *local* if, as long as it has not been taken, nothing that another
// strand or member does, and no death or stop that may still come, changes
// what it does or is changed by it. Then every order of events has the same
// outcome as one that takes the local step first, and the search takes it at
// once (a persistent set of one strand). The reasons, operation by operation,
// are in Independence.cpp.
#ifndef RUBATO_TOOLS_INTERP_INDEPENDENCE_H
#define RUBATO_TOOLS_INTERP_INDEPENDENCE_H

#include "tools/rubato-interp/Machine.h"

#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace rubato::interp {

class Independence {
public:
  explicit Independence(Program &program);

  /// Whether the next step of an enabled strand is local. `deaths`: one may
  /// still come.
  bool isLocal(const Machine &machine, const World &world, int rank, int strand,
               bool deaths) const;

  /// Integer cells whose values decide about nothing: they end up in
  /// floating-point values, in themselves or in one another.
  llvm::BitVector findHidden() const;

private:
  bool decides(unsigned cell, const llvm::BitVector &hidden) const;
  void readRole(RoleInfo &role, unsigned index);
  bool isPrivate(const Machine &machine, unsigned role,
                 mlir::FlatSymbolRefAttr cell) const;
  bool mayEndPart(unsigned role, const Strand &strand) const;
  const Future *find(const World &world, int rank, int strand,
                     mlir::Value future) const;

  Program &program;
  /// By role: cells and policies that only one strand touches.
  std::vector<llvm::DenseMap<mlir::StringAttr, unsigned>> strandsOf;
  /// Strands whose rounds look at who is there, and roles of which another
  /// strand than the first looks whether to stop.
  llvm::DenseSet<mlir::Operation *> lookers, stopsElsewhere;
  bool hasMailbox = false;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_INDEPENDENCE_H
