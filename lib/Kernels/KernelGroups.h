// Which operations of a block become one kernel.
#ifndef RUBATO_LIB_KERNELS_KERNELGROUPS_H
#define RUBATO_LIB_KERNELS_KERNELGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace rubato {

class TargetModel;

struct KernelGroup {
  enum class Kind { Contraction, Reduction, Elementwise };
  Kind kind;
  mlir::RankedTensorType shape;             // of the values an epilogue sees
  llvm::SmallVector<mlir::Operation *> ops; // in program order
};

/// True for operations that cost nothing and are repeated in every kernel that
/// needs them: constants, broadcasts, comparisons.
bool isFree(mlir::Operation *op);

/// True for operations that only look at memory in another way.
bool isView(mlir::Operation *op);

/// Groups the tensor operations of one block.
class KernelGroups {
public:
  KernelGroups(mlir::Block &block, const TargetModel &target);

  /// Groups in the order of their first operation.
  llvm::SmallVector<KernelGroup *> groups() const;
  KernelGroup *groupOf(mlir::Operation *op) const {
    return membership.lookup(op);
  }

private:
  void place(mlir::Operation *op, KernelGroup::Kind kind);
  void sinkProducers();
  bool canJoin(mlir::Operation *op, KernelGroup *group);
  bool dependsOn(mlir::Value value, KernelGroup *group);
  KernelGroup *onlyUser(KernelGroup *group);

  mlir::Block &block;
  const TargetModel &target;
  std::vector<std::unique_ptr<KernelGroup>> storage;
  llvm::DenseMap<mlir::Operation *, KernelGroup *> membership;
};

} // namespace rubato

#endif // RUBATO_LIB_KERNELS_KERNELGROUPS_H
