// Writes segments: launches, collectives and the events between them.
#ifndef RUBATO_LIB_SCHEDULE_SEGMENTBUILDER_H
#define RUBATO_LIB_SCHEDULE_SEGMENTBUILDER_H

#include "Buckets.h"
#include "Placement.h"
#include "ProgramParts.h"

namespace rubato {

class SegmentBuilder {
public:
  SegmentBuilder(mlir::ModuleOp module, ProgramParts &parts,
                 const Placement &placement,
                 llvm::ArrayRef<BucketRange> buckets);

  /// Launches in order. `fresh`: accumulating kernels start from zero.
  void buildPlain(llvm::StringRef name,
                  llvm::ArrayRef<mlir::func::CallOp> calls, bool fresh);

  /// The last micro-batch with overlapped reductions, then the update.
  void buildRound(llvm::StringRef name, bool fresh);

  /// In the fresh variants nothing may read an accumulator: it holds sums of
  /// the round before.
  llvm::LogicalResult
  verifyFresh(llvm::ArrayRef<mlir::func::CallOp> calls) const;

private:
  bool startsFresh(mlir::func::CallOp call) const;
  void launch(mlir::OpBuilder &b, mlir::func::CallOp call, bool fresh,
              const BucketRange *bucket = nullptr);
  mlir::Value collective(mlir::OpBuilder &b, unsigned bucket);
  sched::TypedRangeAttr typedRange(mlir::Value value, int64_t offset,
                                   int64_t count) const;
  unsigned lastWriter(const BucketRange &bucket) const;
  bool updatesByBucket() const;
  bool isFlat(mlir::func::CallOp call) const;

  mlir::ModuleOp module;
  ProgramParts &parts;
  const Placement &placement;
  llvm::ArrayRef<BucketRange> buckets;
  mlir::RankedTensorType flatType;
  int64_t flatWidth; // bytes per element
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_SEGMENTBUILDER_H
