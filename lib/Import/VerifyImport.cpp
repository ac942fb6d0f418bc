// The contract of the import stage, as a pass.
#include "rubato/Import/Passes.h"

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYIMPORT
#include "rubato/Import/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

/// Larger constants belong into the weights file.
static constexpr int64_t kLargestConstant = 4096;

namespace {

class VerifyImport : public rubato::impl::VerifyImportBase<VerifyImport> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock()) {
      module.emitError("import stage: needs one function @forward with one "
                       "block");
      return signalPassFailure();
    }
    for (Operation &op : *module.getBody())
      if (!isa<nn::ParameterOp>(op) && &op != forward) {
        op.emitError("import stage: a module holds nn.parameters and @forward "
                     "only");
        return signalPassFailure();
      }
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    if (!llvm::all_of(forward.getArgumentTypes(), isStatic) ||
        !llvm::all_of(forward.getResultTypes(), isStatic)) {
      forward.emitError("import stage: inputs and outputs are tensors of "
                        "static shape; give --batch and --dim");
      return signalPassFailure();
    }
    for (Operation &op : forward.getBody().front().without_terminator())
      if (failed(verifyOperation(op)))
        return signalPassFailure();
  }

  LogicalResult verifyOperation(Operation &op) {
    if (!isa_and_nonnull<nn::NnDialect, arith::ArithDialect, math::MathDialect,
                         tensor::TensorDialect>(op.getDialect()))
      return op.emitError("import stage: not an operation of nn, arith, math "
                          "or tensor");
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
          elements && !elements.isSplat() &&
          elements.getNumElements() > kLargestConstant)
        return op.emitError("import stage: a constant of ")
               << elements.getNumElements()
               << " elements belongs into the weights file as a frozen "
                  "nn.parameter";
    return success();
  }
};

} // namespace
