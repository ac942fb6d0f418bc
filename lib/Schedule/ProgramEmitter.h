// Writes the parts of a role as programs that run segments.
#ifndef RUBATO_LIB_SCHEDULE_PROGRAMEMITTER_H
#define RUBATO_LIB_SCHEDULE_PROGRAMEMITTER_H

#include "ProgramNumbers.h"
#include "ProgramPlaces.h"
#include "ValueLives.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rubato {

/// Emits one part (init, strand, drain or model) of a role, or a training
/// function that the runtime calls by itself.
class ProgramEmitter {
public:
  ProgramEmitter(mlir::ModuleOp module, ProgramPlaces &places,
                 const ProgramNumbers &numbers)
      : module(module), places(places), numbers(numbers),
        b(module.getLoc(), module.getContext()) {}

  /// The program `name` of a part of a role.
  llvm::LogicalResult emitPart(mlir::Operation *part, llvm::StringRef name);
  /// The program `name` of a function of kernel calls.
  llvm::LogicalResult emitFunction(mlir::func::FuncOp function,
                                   llvm::StringRef name);

private:
  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emit(mlir::Operation *op);
  llvm::LogicalResult emitGsync(mlir::Operation *op);
  llvm::LogicalResult emitAtomic(gsync::AtomicOp op);
  llvm::LogicalResult emitRepeat(gsync::RepeatOp op);
  llvm::LogicalResult emitCounted(gsync::RepeatOp op);
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  emitBody(gsync::RepeatOp op, mlir::ValueRange arguments);
  llvm::LogicalResult emitIf(mlir::scf::IfOp op);
  llvm::LogicalResult emitWhile(mlir::scf::WhileOp op);
  void emitLoad(gsync::LoadOp op);
  void emitSnapshot(gsync::LoadOp op, int32_t lock);
  void emitAsk(gsync::AskOp op);
  void emitBatch(gsync::NextBatchOp op);
  void emitWork(gsync::WorkOp op);
  void emitAwait(gsync::AwaitOp op);
  void emitCollect(gsync::CollectOp op);

  /// Closes the segment of the calls that are pending and runs it.
  void flush();
  void run(llvm::StringRef name, bool fresh);
  sched::SegmentOp buildSegment(llvm::StringRef name, bool fresh);
  void launch(mlir::OpBuilder &at, mlir::func::CallOp call, bool fresh);

  /// Gives up the values that nothing behind `op` needs; what is pending comes
  /// first.
  void dropAfter(mlir::Operation *op);
  void drop(unsigned buffer);

  /// Copies at the end of a region, in an order in which none reads what
  /// another has overwritten.
  struct Assignment {
    mlir::Value value;
    Address to;
  };
  llvm::LogicalResult assign(llvm::ArrayRef<Assignment> assignments,
                             mlir::Operation *where);
  /// Puts the first values of what a loop carries where they belong.
  llvm::LogicalResult assignInits(gsync::RepeatOp op);

  /// Values of a call to the runtime as typed ranges; numbers of the host are
  /// written into memory first.
  mlir::ArrayAttr rangesOf(mlir::ValueRange values);
  mlir::ArrayAttr resultRanges(mlir::ValueRange results);
  sched::TypedRangeAttr typedRange(Address address, mlir::Type type);
  void readNumbers(mlir::ValueRange results);

  mlir::Value get(mlir::Value value) { return mapping.lookup(value); }
  llvm::SmallVector<mlir::Value> getNumbers(mlir::ValueRange values);
  mlir::Type hostType(mlir::Type type);
  void write(mlir::Value number, Address address);
  mlir::Value read(Address address, mlir::Type type);
  mlir::Value constant(int64_t value);
  sched::RangeAttr bytes(Address address, int64_t size);
  Address addressOf(mlir::Value value);

  mlir::ModuleOp module;
  ProgramPlaces &places;
  const ProgramNumbers &numbers;
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::func::CallOp> pending;
  ValueLives lives;
  llvm::SmallVector<unsigned> dropped; // by what is pending
  std::string part;                    // for the names of segments
  llvm::StringRef work = "";           // what is being computed, likewise
  mlir::Value bodyIndex;               // of the innermost repeat
  unsigned segments = 0;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROGRAMEMITTER_H
