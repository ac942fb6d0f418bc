// The contract of the train stage, as a pass.
#include "dialects/nn/Nn.h"
#include "rubato/Support/Stage.h"
#include "rubato/Train/Passes.h"

namespace rubato {
#define GEN_PASS_DEF_VERIFYTRAIN
#include "rubato/Train/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

bool isScalar(Type type, Type element) {
  return type == RankedTensorType::get({}, element);
}

class VerifyTrain : public rubato::impl::VerifyTrainBase<VerifyTrain> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verify(module)))
      signalPassFailure();
  }

  LogicalResult verify(ModuleOp module) {
    auto layout = module.lookupSymbol<nn::LayoutOp>("params");
    if (!layout || layout.getSlots().empty())
      return module.emitError("train stage: has no nn.layout @params");
    Type element = (*layout.slots().begin()).getType().getElementType();
    auto flat = RankedTensorType::get({layout.getSize()}, element);
    auto i64 = IntegerType::get(&getContext(), 64);
    auto f64 = Float64Type::get(&getContext());

    for (StringRef name : {"gradient", "evaluate", "step", "lr"}) {
      auto func = module.lookupSymbol<func::FuncOp>(name);
      if (!func || func.isExternal())
        return module.emitError("train stage: has no function @") << name;
    }
    if (auto forward = module.lookupSymbol("forward"))
      return forward->emitError("train stage: @forward must be gone; run "
                                "build-training on an import-stage module");
    WalkResult walk = module.walk([](nn::GetOp get) {
      get.emitError("train stage: parameters are slots of the flat vector; "
                    "use nn.unpack");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();

    auto signature = [&](StringRef name) {
      return module.lookupSymbol<func::FuncOp>(name).getFunctionType();
    };
    auto expect = [&](StringRef name, bool holds,
                      StringRef contract) -> LogicalResult {
      if (holds)
        return success();
      return module.lookupSymbol(name)->emitError("train stage: @")
             << name << " must have the form " << contract;
    };
    FunctionType g = signature("gradient"), e = signature("evaluate"),
                 s = signature("step"), l = signature("lr");
    if (failed(expect("gradient",
                      g.getNumInputs() >= 6 && g.getInput(0) == flat &&
                          g.getInputs().back() == flat &&
                          isScalar(g.getInputs().drop_back().back(), i64) &&
                          g.getNumResults() == 3 && g.getResult(0) == flat &&
                          isScalar(g.getResult(1), i64) &&
                          isScalar(g.getResult(2), f64),
                      "(w, batch…, step, acc) -> (sum, samples, losses)")) ||
        failed(expect(
            "evaluate",
            e.getNumInputs() >= 4 && e.getInput(0) == flat &&
                e.getNumResults() == 3 && isScalar(e.getResult(0), f64) &&
                isScalar(e.getResult(1), i64) && isScalar(e.getResult(2), i64),
            "(w, batch…) -> (losses, correct, samples)")) ||
        failed(expect("step",
                      s.getNumInputs() >= 4 && s.getInput(0) == flat &&
                          s.getNumResults() == s.getNumInputs() - 3 &&
                          s.getInputs().drop_back(3) == s.getResults() &&
                          s.getInputs().take_back(3).front() == flat &&
                          isScalar(s.getInputs().drop_back().back(), i64) &&
                          isScalar(s.getInputs().back(), element),
                      "(w, state…, sum, samples, lr) -> (displacement, "
                      "state…)")))
      return failure();
    return expect("lr",
                  l.getNumInputs() == 4 && isScalar(l.getInput(0), i64) &&
                      isScalar(l.getInput(1), i64) &&
                      isScalar(l.getInput(2), element) &&
                      isScalar(l.getInput(3), i64) && l.getNumResults() == 1 &&
                      isScalar(l.getResult(0), element),
                  "(seen, samples, base, budget) -> rate");
  }
};

} // namespace
