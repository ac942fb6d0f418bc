// Kernels given as text, compiled by the reference road and loaded.
#ifndef RUBATO_TEST_UNIT_COMPILER_COMPILEDKERNELS_H
#define RUBATO_TEST_UNIT_COMPILER_COMPILEDKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rubato::test {

/// A module whose kernels can be called. Errors land in `error`.
class CompiledKernels {
public:
  /// Parses, lowers, assembles, links and loads `text`.
  explicit CompiledKernels(const std::string &text);
  /// The same from a module, which it uses up.
  CompiledKernels(mlir::MLIRContext &context, mlir::ModuleOp module);
  ~CompiledKernels();
  CompiledKernels(const CompiledKernels &) = delete;
  CompiledKernels &operator=(const CompiledKernels &) = delete;

  bool ok() const { return error.empty(); }
  void call(const std::string &name, std::vector<void *> arguments,
            int64_t lo = 0, int64_t hi = 1) const;
  /// Names that the object takes from elsewhere.
  std::vector<std::string> undefinedSymbols() const;

  std::string error;
  std::string object;

private:
  void compile(mlir::MLIRContext &context, mlir::ModuleOp module);
  void *library = nullptr;
};

/// A context in which everything that Rubato knows is loaded.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Every `from` in `text` replaced.
std::string substitute(std::string text, const std::string &from,
                       const std::string &to);

/// Reproducible numbers, in [-2, 2], none nearer to 0 than 0.05.
template <typename T> std::vector<T> numbers(size_t count, uint32_t seed) {
  std::vector<T> values(count);
  uint32_t state = seed * 2654435761u + 12345u;
  for (T &value : values) {
    state = state * 1664525u + 1013904223u;
    double magnitude = 0.05 + 1.95 * double(state >> 9) / double(1u << 23);
    value = T(state & (1u << 8) ? magnitude : -magnitude);
  }
  return values;
}

} // namespace rubato::test

#endif // RUBATO_TEST_UNIT_COMPILER_COMPILEDKERNELS_H
