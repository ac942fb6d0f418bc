// The contract of the train stage, as a pass.
#include "dialects/nn/TrainingSignature.h"
#include "rubato/Train/Passes.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYTRAIN
#include "rubato/Train/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

class VerifyTrain : public rubato::impl::VerifyTrainBase<VerifyTrain> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyRest(module)) || failed(verifyFunctions(module)))
      signalPassFailure();
  }

  /// What must be there beside the functions, and what must not.
  LogicalResult verifyRest(ModuleOp module) {
    auto layout = module.lookupSymbol<nn::LayoutOp>("params");
    if (!layout || layout.getSlots().empty())
      return module.emitError("train stage: has no nn.layout @params");
    if (auto forward = module.lookupSymbol("forward"))
      return forward->emitError("train stage: @forward must be gone; run "
                                "build-training on an import-stage module");
    WalkResult walk = module.walk([](nn::GetOp get) {
      get.emitError("train stage: parameters are slots of the flat vector; "
                    "use nn.unpack");
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult verifyFunctions(ModuleOp module) {
    auto functions = nn::TrainingFunctions::find(module);
    if (failed(functions))
      return failure();
    for (const nn::TrainingSignature &signature :
         {functions->gradient, functions->evaluate, functions->step,
          functions->learningRate})
      if (signature.getFunction().isExternal())
        return signature.error() << "must have a body in the train stage";
    auto vectorOf = [](nn::LayoutOp layout) -> Type {
      return RankedTensorType::get(
          {layout.getSize()},
          (*layout.slots().begin()).getType().getElementType());
    };
    Type flat = vectorOf(module.lookupSymbol<nn::LayoutOp>("params"));
    const nn::TrainingSignature &gradient = functions->gradient;
    if (gradient.type(nn::ArgumentRole::Parameters) != flat)
      return gradient.error() << "takes parameters of type "
                              << gradient.type(nn::ArgumentRole::Parameters)
                              << ", but nn.layout @params describes " << flat;
    SmallVector<Type> frozen;
    if (auto layout = module.lookupSymbol<nn::LayoutOp>("frozen");
        layout && !layout.getSlots().empty())
      frozen.push_back(vectorOf(layout));
    if (gradient.types(nn::ArgumentRole::Frozen) != frozen)
      return gradient.error() << "must take what nn.layout @frozen describes "
                                 "as an argument of role 'frozen', and nothing "
                                 "where there is none";
    auto element = cast<RankedTensorType>(flat).getElementType();
    if (auto rate = functions->step.type(nn::ArgumentRole::Rate);
        rate.getElementType() != element)
      return functions->step.error() << "takes a rate of type " << rate
                                     << ", but parameters are of " << element;
    return success();
  }
};

} // namespace
