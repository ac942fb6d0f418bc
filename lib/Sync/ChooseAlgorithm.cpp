// Finds an algorithm by name and asks for it in the IR.
#include "dialects/gsync/Gsync.h"
#include "rubato/Sync/Algorithms.h"
#include "rubato/Sync/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

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

  /// Any algorithm may be chosen, so all of them are loaded.
  void getDependentDialects(DialectRegistry &registry) const override {
    ChooseAlgorithmBase::getDependentDialects(registry);
    registerAlgorithms(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::string> names = algorithmNames();
    if (!llvm::is_contained(names, algorithm.getValue())) {
      module.emitError("unknown algorithm '")
          << algorithm.getValue()
          << "'; this build has: " << llvm::join(names, ", ");
      return signalPassFailure();
    }
    std::string dialect = algorithm;
    llvm::replace(dialect, '-', '_');
    Attribute attribute =
        parseAttribute("#" + dialect + ".algorithm", &getContext());
    if (!attribute)
      return signalPassFailure();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    gsync::TrainOp::create(b, module.getLoc(), attribute,
                           b.getF64FloatAttr(learningRate));
  }
};
} // namespace
