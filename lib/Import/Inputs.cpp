// The sizes of a model's inputs: symbols become numbers here.
#include "Importer.h"

using namespace rubato;

namespace {
class InputResolver {
public:
  InputResolver(const onnx::Model &model, const ImportOptions &options,
                onnx::Diagnostics &diagnostics)
      : model(model), options(options), diagnostics(diagnostics) {}

  std::optional<InputShapes> run();

private:
  bool checkOptions();
  bool resolve(const onnx::ValueInfo &input, size_t index, int64_t &size);

  const onnx::Model &model;
  const ImportOptions &options;
  onnx::Diagnostics &diagnostics;
  std::string batchSymbol;
};
} // namespace

bool InputResolver::checkOptions() {
  std::vector<std::string> symbols;
  for (const onnx::ValueInfo &input : model.inputs)
    for (const onnx::Dim &dim : input.dims)
      if (!dim.symbol.empty())
        symbols.push_back(dim.symbol);
  for (const auto &[name, size] : options.dims) {
    std::string option = "--dim " + name + "=" + std::to_string(size);
    if (size < 1)
      return diagnostics.error("", option + " is not positive");
    if (llvm::is_contained(symbols, name))
      continue;
    std::string nearest = onnx::nearestName(name, symbols);
    return diagnostics.error("", option + " names no dimension of an input",
                             nearest.empty()
                                 ? "'rubato check' lists the dimensions"
                                 : "did you mean '" + nearest + "'?");
  }
  if (options.batch < 0)
    return diagnostics.error("", "--batch must be positive");
  auto given = options.dims.find(batchSymbol);
  if (!batchSymbol.empty() && given != options.dims.end() && options.batch &&
      options.batch != given->second)
    return diagnostics.error("", "--batch and --dim give '" + batchSymbol +
                                     "' two different sizes");
  return true;
}

bool InputResolver::resolve(const onnx::ValueInfo &input, size_t index,
                            int64_t &size) {
  const onnx::Dim &dim = input.dims[index];
  std::string where = "input '" + input.name + "'";
  size = dim.value;
  if (size == 0)
    return diagnostics.error(where, "has a dimension of size 0");
  // The first dimension of the first input decides what the batch is.
  bool isFirst = &input == &model.inputs.front() && index == 0;
  if (size > 0) {
    if (isFirst && options.batch && options.batch != size)
      return diagnostics.error(
          where,
          "has the fixed batch size " + std::to_string(size) +
              ", --batch asks for " + std::to_string(options.batch),
          "export with a dynamic batch dimension (dynamic_shapes or "
          "dynamic_axes), or compile with --batch " +
              std::to_string(size));
    return true;
  }
  auto given = options.dims.find(dim.symbol);
  if (!dim.symbol.empty() && given != options.dims.end()) {
    size = given->second;
    return true;
  }
  bool isBatch =
      index == 0 && (dim.symbol.empty() || dim.symbol == batchSymbol);
  if (isBatch && options.batch) {
    size = options.batch;
    return true;
  }
  std::string place = "dimension " + std::to_string(index);
  if (isBatch)
    return diagnostics.error(where, "has no fixed batch size",
                             "give one with --batch");
  if (dim.symbol.empty())
    return diagnostics.error(where, place + " has neither size nor name",
                             "export with a fixed size or a named dimension");
  return diagnostics.error(where,
                           place + " is the symbol '" + dim.symbol +
                               "', whose size is not known",
                           "give it with --dim " + dim.symbol + "=SIZE");
}

std::optional<InputShapes> InputResolver::run() {
  if (model.inputs.empty()) {
    diagnostics.error("", "has no input");
    return std::nullopt;
  }
  if (!model.inputs.front().dims.empty())
    batchSymbol = model.inputs.front().dims.front().symbol;
  if (!checkOptions())
    return std::nullopt;
  InputShapes result;
  for (const onnx::ValueInfo &input : model.inputs) {
    std::vector<int64_t> &shape = result.shapes.emplace_back();
    if (!input.hasShape) {
      diagnostics.error("input '" + input.name + "'", "has no shape",
                        "export the model with shapes");
      return std::nullopt;
    }
    for (size_t i = 0; i < input.dims.size(); ++i)
      if (!resolve(input, i, shape.emplace_back()))
        return std::nullopt;
    if (!onnx::elementCount(shape)) {
      diagnostics.error("input '" + input.name + "'", "is absurdly large",
                        "give smaller sizes with --batch and --dim");
      return std::nullopt;
    }
  }
  if (result.shapes.front().empty()) {
    diagnostics.error("input '" + model.inputs.front().name + "'",
                      "has no dimension that could be the batch",
                      "export with a batch dimension in front");
    return std::nullopt;
  }
  result.batch = result.shapes.front().front();
  return result;
}

std::optional<InputShapes>
rubato::resolveInputs(const onnx::Model &model, const ImportOptions &options,
                      onnx::Diagnostics &diagnostics) {
  return InputResolver(model, options, diagnostics).run();
}
