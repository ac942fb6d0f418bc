// Which emitter takes a kernel, and why the others do not.
#ifndef RUBATO_LIB_TARGET_CPU_EMITTERS_H
#define RUBATO_LIB_TARGET_CPU_EMITTERS_H

#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace rubato::cpu {

/// Where a matcher leaves the reason why it found nothing; the first one
/// counts.
class Refusal {
public:
  std::nullopt_t operator()(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return std::nullopt;
  }
  llvm::StringRef why() const { return reason; }

private:
  std::string reason;
};

/// The first emitter that takes a kernel in linalg form. Without one, what
/// stopped the emitter of kernels of its kind.
KernelCode findEmitter(mlir::func::FuncOp kernel);

/// Whether cpu-emit-elementwise and cpu-emit-reductions take `kernel`.
bool takesElementwise(mlir::func::FuncOp kernel, Refusal &refusal);
bool takesColumnSum(mlir::func::FuncOp kernel, Refusal &refusal);

} // namespace rubato::cpu

#endif // RUBATO_LIB_TARGET_CPU_EMITTERS_H
