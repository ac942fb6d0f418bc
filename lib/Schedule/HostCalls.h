// Host operations of a program as calls of the C ABI.
#ifndef RUBATO_LIB_SCHEDULE_HOSTCALLS_H
#define RUBATO_LIB_SCHEDULE_HOSTCALLS_H

#include "Lowering.h"

namespace rubato {

/// Lowers what programs do besides running segments. One object per program.
class HostCalls {
public:
  /// Makes room on the stack of `function` for what its calls bring back;
  /// `words` numbers of 64 bits at most in one call.
  HostCalls(mlir::LLVM::LLVMFuncOp function, llvm::StringRef program,
            int64_t words, const BufferTable &buffers, AbiBuilder &abi,
            mlir::Block *fail);

  /// How many words a call needs.
  static int64_t wordsOf(mlir::Operation *op);

  /// Replaces one operation, or says that it is another's.
  bool lower(mlir::Operation *op);

  /// Drops the room on the stack where nothing uses it.
  void finish();

private:
  struct Table {
    mlir::Value rows, count;
  };

  void call(llvm::StringRef callee, mlir::ValueRange args);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value word(int64_t index);
  mlir::Value flag(mlir::Value number);
  mlir::Value loadFlag();
  mlir::Value loadWord();
  Table table(mlir::ArrayAttr ranges);
  void store(mlir::ValueRange values, int64_t first);
  mlir::Value load(mlir::Type type, int64_t index);

  mlir::Value regionOf(mlir::FlatSymbolRefAttr buffer);
  void lowerMemory(sched::CopyOp op);
  void lowerMemory(sched::ClearOp op);
  void lowerAsk(sched::AskOp op);
  void lowerGrant(sched::GrantOp op);
  void lowerBatch(sched::BatchOp op);

  llvm::StringRef program;
  const BufferTable &buffers;
  AbiBuilder &abi;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Block *fail;
  mlir::Value ctx, words;
  int64_t tables = 0;
};

/// `rb_range` rows of typed ranges.
llvm::SmallVector<std::array<int64_t, 4>> rangeRows(mlir::ArrayAttr ranges,
                                                    const BufferTable &buffers);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_HOSTCALLS_H
