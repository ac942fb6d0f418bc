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

  /// The attribute of an algorithm's own dialect. Its class is known only in
  /// the algorithm's folder, so it is made from its text.
  Attribute spell(const AlgorithmInfo &info, DictionaryAttr values) {
    std::string text = "#" + info.dialect + ".algorithm";
    if (!values.empty()) {
      llvm::raw_string_ostream out(text);
      out << "<" << values << ">";
    }
    return parseAttribute(text, &getContext());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (algorithm.empty())
      algorithm = defaultAlgorithm();
    NamedAlgorithm found = findAlgorithm(algorithm);
    if (!found.algorithm) {
      module.emitError("unknown algorithm '")
          << algorithm.getValue()
          << "'; this build has: " << llvm::join(algorithmNames(), ", ");
      return signalPassFailure();
    }
    SmallVector<std::string> named(given.begin(), given.end());
    auto values = AlgorithmOptions::resolve(
        *found.algorithm, *found.configuration, named, &getContext(),
        [&] { return module.emitError(); });
    if (failed(values))
      return signalPassFailure();
    Attribute attribute = spell(*found.algorithm, *values);
    if (!attribute)
      return signalPassFailure();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    gsync::TrainOp::create(b, module.getLoc(), attribute,
                           b.getF64FloatAttr(learningRate));
  }
};
} // namespace
