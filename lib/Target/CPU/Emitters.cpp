// Which emitter takes a kernel. The matchers are asked in the order of
// cpu-emit-kernels, so that the answer is what the passes will do.
#include "Emitters.h"

#include "EmitContraction.h"
#include "EmitRows.h"

using namespace mlir;
using rubato::nn::KernelKind;

namespace rubato::cpu {

KernelCode findEmitter(func::FuncOp kernel) {
  Refusal contraction, elementwise, columns, rows;
  if (matchContraction(kernel, contraction))
    return {"cpu-emit-contractions", ""};
  if (takesElementwise(kernel, elementwise))
    return {"cpu-emit-elementwise", ""};
  if (takesColumnSum(kernel, columns))
    return {"cpu-emit-reductions", ""};
  if (matchRowChain(kernel, rows))
    return {"cpu-emit-rows", ""};
  // Single numbers need no loop: plain loops are as good.
  bool isNumber = llvm::all_of(kernel.getResultTypes(), [](Type type) {
    return cast<RankedTensorType>(type).getRank() == 0;
  });
  if (isNumber && KernelFacts::of(kernel).kind == KernelKind::Elementwise)
    return {"cpu-lower-reference-kernels", ""};
  switch (KernelFacts::of(kernel).kind) {
  case KernelKind::Contraction:
    return {"", contraction.why().str()};
  case KernelKind::Elementwise:
    return {"", elementwise.why().str()};
  case KernelKind::Columns:
    return {"", columns.why().str()};
  case KernelKind::Rows:
    return {"", rows.why().str()};
  }
  llvm_unreachable("every kind is listed");
}

} // namespace rubato::cpu
