// Where the values of a program live.
//
// A program is host code: what it computes in one segment and reads in another
// must lie in memory that nobody else uses meanwhile. So
//   * cells have their buffers, and atomics change them in place where that
//     overwrites nothing that is still read;
//   * what a loop carries has one buffer, which its body changes in place
//     under the same condition;
//   * what only one segment sees is scratch;
//   * everything else has a buffer of its own: small things in the private
//     region, the rest as values, whose memory may come and go.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMPLACES_H
#define RUBATO_LIB_SCHEDULE_PROGRAMPLACES_H

#include "Placement.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/TrainingSignature.h"

namespace rubato {

/// Whether a call is a launch of a kernel.
bool isKernelCall(mlir::Operation *op);

/// Whether an operation ends the segment of the calls in front of it: it does
/// more than host arithmetic or looking at memory in another way.
bool endsSegment(mlir::Operation *op);

/// Whether the number of bodies of a repeat is known before its first.
bool isCounted(gsync::RepeatOp repeat);

/// The value whose memory `value` shows, looking through views.
mlir::Value origin(mlir::Value value);

/// Calls `visit` with every user of the memory that `value` shows.
void forEachReader(mlir::Value value,
                   llvm::function_ref<void(mlir::Operation *)> visit);

class ProgramPlaces {
public:
  ProgramPlaces(mlir::ModuleOp module, const nn::TrainingSignature &gradient,
                const nn::TrainingSignature &evaluate, Placement &placement)
      : module(module), gradient(gradient), evaluate(evaluate),
        placement(placement) {}

  /// Cells first, then every part of every role, then the training functions
  /// that the runtime calls by themselves.
  llvm::LogicalResult run();

  Placement &places() { return placement; }
  Address cell(llvm::StringRef name) const { return cells.lookup(name); }
  Address parameters() const { return parameterPlace; }

  /// Memory of a number of the host that crosses a call or a boundary.
  Address slotOf(mlir::Value number) const { return slots.lookup(number); }
  /// What a strand carries: tensors and numbers alike.
  llvm::ArrayRef<Address> carried(mlir::Operation *strand) const;

  /// Whether a load shows the cell itself.
  bool isAlias(gsync::LoadOp load) const { return aliases.contains(load); }

  /// The flat value that a kernel call adds its gradients to, if any.
  mlir::Value accumulated(mlir::func::CallOp call) const;
  /// Whether the accumulators of a call hold nothing yet, in every run of the
  /// call or only in the first body of the loop around it.
  enum class Fresh { Never, FirstBody, Always };
  Fresh freshness(mlir::func::CallOp call) const;
  /// When a loop must put the first of what it carries at this position in its
  /// place: not where the first body starts it afresh.
  enum class Clearing { Never, IfEmpty, Always };
  Clearing clearing(gsync::RepeatOp repeat, unsigned index) const;

  /// A place that holds zeros for ever.
  Address zeros(mlir::Type type);
  /// Memory for one number of 64 bits.
  Address newSlot(llvm::StringRef name);

private:
  llvm::LogicalResult placePart(mlir::Operation *part, llvm::StringRef name);
  llvm::LogicalResult placeBlock(mlir::Block &block);
  llvm::LogicalResult placeOperation(mlir::Operation *op);
  llvm::LogicalResult placeAtomic(gsync::AtomicOp atomic);
  llvm::LogicalResult placeRepeat(gsync::RepeatOp repeat);
  llvm::LogicalResult placeWhile(mlir::Operation *op);
  llvm::LogicalResult placeIf(mlir::Operation *op);
  llvm::LogicalResult placePacks(mlir::Block &block);
  void placeRest(mlir::Block &block);
  llvm::LogicalResult placeBatch(gsync::NextBatchOp next);
  llvm::LogicalResult placeEvaluation();
  llvm::LogicalResult placeGradient();
  llvm::LogicalResult placeAlone(const nn::TrainingSignature &function,
                                 llvm::ArrayRef<nn::ResultRole> numbers);
  llvm::LogicalResult placeModel(gsync::ModelOp model);
  void placeLoad(gsync::LoadOp load);
  void placeWaiting(mlir::Operation *op);

  /// Lets `value` be computed at `address`, which `sink` wants, unless that
  /// overwrites what is still read; then the sink copies.
  void tryDirect(mlir::Value value, Address address, mlir::Operation *sink);
  bool mayWrite(mlir::func::CallOp call, Address address, int64_t bytes,
                mlir::Operation *sink);
  mlir::func::FuncOp kernelOf(mlir::func::CallOp call) const;

  unsigned own(llvm::StringRef name, mlir::Type type);
  /// As `own`, for what has one address for ever.
  unsigned ownPinned(llvm::StringRef name, mlir::Type type);

  mlir::ModuleOp module;
  nn::TrainingSignature gradient, evaluate;
  Placement &placement;
  std::string partName;
  llvm::StringMap<Address> cells;
  llvm::DenseMap<mlir::Value, Address> slots;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Address>> carriedBy;
  llvm::DenseMap<mlir::Type, Address> zeroBuffers;
  llvm::DenseSet<mlir::Operation *> aliases;
  llvm::SmallVector<unsigned> batch;
  Address parameterPlace{0, 0};
  unsigned strandsOfRole = 1;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMPLACES_H
