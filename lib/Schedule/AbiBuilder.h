// Builds calls of the runtime's C ABI and the constants they point to.
#ifndef RUBATO_LIB_SCHEDULE_ABIBUILDER_H
#define RUBATO_LIB_SCHEDULE_ABIBUILDER_H

#include "dialects/sched/Sched.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace rubato {

/// What one module's lowering to the C ABI shares: declarations of `rb_*`
/// functions and constant globals, each made at its first use.
class AbiBuilder {
public:
  explicit AbiBuilder(mlir::ModuleOp module);

  /// An internal function `(ctx, more…) -> i32` with its entry block.
  mlir::LLVM::LLVMFuncOp function(mlir::Location loc, const llvm::Twine &name,
                                  llvm::ArrayRef<mlir::Type> more = {});
  /// The block of `function` that returns the status it is given.
  mlir::Block *failBlock(mlir::LLVM::LLVMFuncOp function);

  mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type, int64_t value);
  mlir::Value null(mlir::OpBuilder &builder, mlir::Location loc);
  /// Room for `count` values of `type` on the stack of the function.
  mlir::Value stack(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Type type, int64_t count);

  /// Calls `callee`: a function of the module, or one of the C ABI, which is
  /// then declared as the table of calls has it.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef callee, mlir::ValueRange args);
  /// Declares a function of the C library unless the module has it.
  void declare(mlir::Location loc, llvm::StringRef name,
               mlir::LLVM::LLVMFunctionType type);
  /// Calls a function that returns a status; goes to `fail` with it unless it
  /// is 0. What follows the insertion point moves to a new block, where the
  /// builder goes on.
  void callChecked(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef callee, mlir::ValueRange args,
                   mlir::Block *fail);

  /// Address of a constant C string.
  mlir::Value string(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef text);
  /// Address of the constant `rb_kernel` of a function in C form with so many
  /// arguments, which people see as `label`.
  mlir::Value kernel(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::LLVM::LLVMFuncOp function, llvm::StringRef label,
                     int64_t args);
  /// Address of the constant `rb_segment_info` of a segment that touches the
  /// values of these regions.
  mlir::Value segment(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::StringRef name, llvm::ArrayRef<int32_t> values,
                      int64_t launches);
  /// Address of a constant array of `{i32, i32, i64, i64}`, which is the shape
  /// of both `rb_access` and `rb_range`; null if it is empty.
  mlir::Value records(mlir::OpBuilder &builder, mlir::Location loc,
                      const llvm::Twine &name,
                      llvm::ArrayRef<std::array<int64_t, 4>> rows);

  /// The symbols of the module, kept up to date.
  mlir::SymbolTable symbols;
  const mlir::Type ptr, i32, i64;

private:
  /// Declarations and constants stand before the functions that use them.
  void insert(mlir::Operation *symbol);
  mlir::LLVM::GlobalOp global(mlir::Location loc, const llvm::Twine &name,
                              mlir::Type type, mlir::Attribute value);
  /// A constant struct of these fields, which are made in its initialiser.
  mlir::LLVM::GlobalOp structure(
      mlir::Location loc, const llvm::Twine &name,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)>
          fields);
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::LLVM::GlobalOp global);

  mlir::MLIRContext *context;
  mlir::LLVM::LLVMFuncOp firstFunction;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  llvm::StringMap<mlir::LLVM::GlobalOp> kernels;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_ABIBUILDER_H
