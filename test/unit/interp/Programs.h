// Small functions given as text, and their evaluation.
#ifndef RUBATO_TEST_UNIT_INTERP_PROGRAMS_H
#define RUBATO_TEST_UNIT_INTERP_PROGRAMS_H

#include "tools/rubato-interp/Evaluate.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace rubato::test {

/// A parsed module and what was reported about it.
class Program {
public:
  explicit Program(const std::string &text);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  mlir::func::FuncOp function(llvm::StringRef name = "f");
  mlir::Type type(llvm::StringRef text);
  /// Runs passes; whether they succeeded.
  bool run(llvm::StringRef pipeline);

  /// The results of a function; empty where evaluation failed.
  std::vector<interp::Value> call(llvm::ArrayRef<interp::Value> arguments = {},
                                  llvm::StringRef name = "f");

  mlir::MLIRContext context;
  /// Everything reported since it was last cleared.
  std::string errors;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  mlir::DiagnosticEngine::HandlerID handler;
};

/// The numbers of %r, which `body`, the text of operations, defines with type
/// `type`; none where evaluation failed, and then `errors` says why.
std::vector<double> numbersOf(const std::string &body, const std::string &type,
                              std::string *errors = nullptr);

/// All elements.
std::vector<double> doubles(const interp::Value &value);

} // namespace rubato::test

#endif // RUBATO_TEST_UNIT_INTERP_PROGRAMS_H
