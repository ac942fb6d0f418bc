// `rubato check`: loads a model, decides roles, tries the import.
#include "rubato/Import/Check.h"
#include "CheckReport.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"

using namespace rubato;

/// Whether the value ends the model, but for a change of name.
static bool isEnd(const onnx::Model &model, const std::string &value) {
  for (const onnx::ValueInfo &output : model.outputs)
    if (output.name == value)
      return true;
  for (const onnx::Node &node : model.nodes)
    if (node.opType == "Identity" && node.inputs.front() == value &&
        !node.outputs.empty() && isEnd(model, node.outputs.front()))
      return true;
  return false;
}

/// Operators that the importer takes but the train stage will not.
static void findInnerEnds(CheckReport &report, const std::vector<bool> &live) {
  for (auto [node, isLive] : llvm::zip(report.model->nodes, live)) {
    const OpSupport *op = findOp(node.domain, node.opType);
    if (isLive && op && op->gradient == Gradient::AtEnd &&
        !node.outputs.empty() && !isEnd(*report.model, node.outputs.front()))
      report.missing[node.opType].push_back(
          {&node, "only the loss can absorb it, at the end of the model"});
  }
}

/// Sizes for trying the import where the options give none; false if a size
/// other than the batch is open, which only the user can know.
static bool completeSizes(const onnx::Model &model, ImportOptions &options,
                          onnx::Diagnostics &diagnostics) {
  bool isFirst = true;
  for (const onnx::ValueInfo &input : model.inputs)
    for (size_t i = 0; i < input.dims.size(); ++i) {
      const onnx::Dim &dim = input.dims[i];
      bool isBatch = std::exchange(isFirst, false);
      if (dim.value >= 0 || options.dims.count(dim.symbol))
        continue;
      constexpr int64_t anyBatch = 2; // 1 would hide broadcasting mistakes
      if (isBatch && !options.batch)
        options.batch = anyBatch;
      if (isBatch || dim.symbol.empty() ||
          (i == 0 && dim.symbol == model.inputs[0].dims[0].symbol))
        continue;
      diagnostics.warning("input '" + input.name + "'",
                          "the size of '" + dim.symbol +
                              "' is open, so shapes were not checked",
                          "give it with --dim " + dim.symbol + "=SIZE");
      return false;
    }
  return true;
}

static void check(CheckReport &report, ImportOptions options) {
  onnx::Diagnostics &diagnostics = report.diagnostics;
  report.model = onnx::loadModel(report.path, diagnostics);
  if (!report.model)
    return;
  const onnx::Model &model = *report.model;
  report.plan = onnx::decideRoles(model, options.roles, diagnostics);
  if (!report.plan)
    return;
  std::vector<bool> live = liveNodes(model);
  for (auto [node, isLive] : llvm::zip(model.nodes, live))
    if (isLive)
      ++report.operators[node.domain.empty() ? node.opType
                                             : node.domain + "." + node.opType];

  options.weightsPath.clear();
  if (completeSizes(model, options, diagnostics)) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    onnx::RolePlan plan = *report.plan;
    Importer importer(context, model, plan, options, diagnostics);
    importer.reportsMissing = false;
    (void)importer.run();
    report.missing = std::move(importer.missing);
  } else {
    for (auto [node, isLive] : llvm::zip(model.nodes, live))
      if (isLive && !findOp(node.domain, node.opType))
        report.missing[node.opType].push_back({&node, ""});
  }
  findInnerEnds(report, live);
  if (!report.missing.empty())
    reportMissing(report.missing, diagnostics);
}

int rubato::runCheck(llvm::StringRef path, const ImportOptions &options,
                     llvm::raw_ostream &out, bool json) {
  CheckReport report;
  report.path = path.str();
  report.diagnostics = onnx::Diagnostics(report.path);
  check(report, options);
  if (json)
    printJson(report, out);
  else
    printText(report, out);
  return report.diagnostics.exitCode();
}
