// Evaluation of operations without effects, and of functions made of them.
//
// The meaning of an operation is what its documentation says, computed in the
// plainest way: f32 in float, f64 in double, integers modulo their width, sums
// from the first element to the last in the type of the elements, no fused
// products, fast-math flags without effect. It shares no code with the
// lowerings, so it can judge them.
//
// Where an operand is opaque so are the results, except that a select with a
// known condition picks. Undefined behaviour and poison are errors: division
// by zero, a shift by too much, an index out of bounds, a number that does not
// fit the integer it is converted to.
#ifndef RUBATO_TOOLS_INTERP_EVALUATE_H
#define RUBATO_TOOLS_INTERP_EVALUATE_H

#include "tools/rubato-interp/Value.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace rubato::interp {

/// The values of the IR's values, as far as they have been computed.
using Environment = llvm::DenseMap<mlir::Value, Value>;

/// How much may be computed before evaluation gives up with an error.
struct Budget {
  /// Operations, those in loops and called functions included.
  int64_t operations = 100'000'000;
  /// Calls that wait for one another, and regions within regions.
  int64_t depth = 200;
};

/// Whether `evaluate` has a rule for `op`.
bool canEvaluate(mlir::Operation *op);

/// Evaluates one operation without effects or control flow and appends its
/// results. `captured` holds the values from outside that a region of `op`
/// reads. Errors are reported at `op`.
llvm::LogicalResult evaluate(mlir::Operation *op,
                             llvm::ArrayRef<Value> operands,
                             llvm::SmallVectorImpl<Value> &results,
                             const Environment *captured = nullptr);

/// Evaluates a block whose operations are those of `evaluate`, func.call,
/// scf.if and scf.for, and appends the operands of its terminator, whichever
/// it is. Values from outside are read from `environment`; all that is
/// computed is added to it.
llvm::LogicalResult evaluateBlock(mlir::Block &block,
                                  llvm::ArrayRef<Value> arguments,
                                  Environment &environment,
                                  llvm::SmallVectorImpl<Value> &yielded,
                                  Budget &budget);

/// Evaluates a function of one such block.
llvm::FailureOr<llvm::SmallVector<Value>>
evaluateFunction(mlir::func::FuncOp function, llvm::ArrayRef<Value> arguments,
                 Budget budget = Budget());

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_EVALUATE_H
