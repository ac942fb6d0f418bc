// Finds an algorithm by name and asks for it in the IR.
#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithms.h"
#include "rubato/Sync/Passes.h"

#include "mlir/IR/Builders.h"

namespace rubato {
#define GEN_PASS_DEF_CHOOSEALGORITHM
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {
class ChooseAlgorithm
    : public rubato::impl::ChooseAlgorithmBase<ChooseAlgorithm> {
public:
  using ChooseAlgorithmBase::ChooseAlgorithmBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (algorithm.empty())
      algorithm = defaultAlgorithm();
    NamedAlgorithm found = findAlgorithm(algorithm);
    if (!found.algorithm) {
      module.emitError(unknownAlgorithm(algorithm));
      return signalPassFailure();
    }
    SmallVector<std::string> named(given.begin(), given.end());
    auto values = AlgorithmOptions::resolve(
        *found.algorithm, *found.configuration, named, &getContext(),
        [&] { return module.emitError(); });
    if (failed(values))
      return signalPassFailure();
    auto attribute = gsync::AlgorithmAttr::get(
        &getContext(), algorithm, values->empty() ? DictionaryAttr() : *values);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    gsync::TrainOp::create(b, module.getLoc(), attribute,
                           b.getF64FloatAttr(learningRate));
  }
};
} // namespace
