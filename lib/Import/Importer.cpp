// The walk over the graph and the module that comes out of it.
#include "Importer.h"
#include "NodeImporter.h"
#include "WeightsFile.h"

#include "dialects/nn/Nn.h"

#include "mlir/IR/Verifier.h"
#include "runtime/abi/weights_format.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace rubato;

Importer::Importer(MLIRContext &context, const onnx::Model &model,
                   onnx::RolePlan &plan, const ImportOptions &options,
                   onnx::Diagnostics &diagnostics)
    : model(model), plan(plan), options(options), diagnostics(diagnostics),
      builder(&context) {
  for (const onnx::StoredTensor &each : plan.stored)
    stored[each.name] = &each;
  for (const onnx::Tensor &tensor : model.initializers)
    initializers[tensor.name] = &tensor;
}

FloatType Importer::floatType() {
  if (options.floats == FloatKind::F64)
    return builder.getF64Type();
  return builder.getF32Type();
}

Location Importer::location(llvm::StringRef name) {
  return NameLoc::get(builder.getStringAttr(name));
}

Type Importer::elementType(onnx::DataType type) {
  if (onnx::isFloating(type))
    return floatType();
  if (type == onnx::DataType::Int64)
    return builder.getI64Type();
  if (type == onnx::DataType::Int32)
    return builder.getI32Type();
  return {};
}

Imported Importer::importStored(const onnx::StoredTensor &each) {
  auto type = RankedTensorType::get(each.tensor.dims, floatType());
  Location loc = location(each.name);
  if (each.role == onnx::Role::Constant)
    return {nn::splat(builder, loc, type, each.tensor.floatAt(0)),
            {},
            each.tensor.type};
  auto symbol = FlatSymbolRefAttr::get(builder.getStringAttr(each.name));
  return {nn::GetOp::create(builder, loc, type, symbol), {}, each.tensor.type};
}

Imported &Importer::lookup(const std::string &name) {
  auto [slot, isNew] = values.try_emplace(name);
  if (!isNew)
    return slot->second;
  if (const onnx::StoredTensor *each = stored.lookup(name)) {
    if (each->tensor.elements() > 0)
      slot->second = importStored(*each);
    else
      diagnostics.error("initializer '" + name + "'", "has no element",
                        "remove the empty tensor from the model");
  } else if (const onnx::Tensor *tensor = initializers.lookup(name)) {
    if (tensor->elements() <= maxInts) {
      Ints ints{{tensor->dims.begin(), tensor->dims.end()}, {}};
      for (int64_t i = 0, e = tensor->elements(); i < e; ++i)
        ints.values.push_back(tensor->intAt(i));
      slot->second.ints = std::move(ints);
    } else {
      diagnostics.unsupported("initializer '" + name + "'",
                              "is a large tensor of integers",
                              "feed it as an input of the model");
    }
  }
  return slot->second;
}

void Importer::importNode(const onnx::Node &node) {
  const OpSupport *op = findOp(node.domain, node.opType);
  if (!op) {
    missing[node.opType].push_back(
        {&node, node.domain.empty() ? "" : "of domain " + node.domain});
    return;
  }
  NodeImporter state(*this, node);
  size_t count = node.inputs.size();
  if (count < op->minInputs || count > op->maxInputs ||
      node.outputs.size() != 1) {
    (void)state.error("has " + llvm::Twine(count) + " inputs and " +
                      llvm::Twine(node.outputs.size()) + " outputs");
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (node.inputs[i].empty() && i < op->minInputs) {
      (void)state.error("lacks its input " + llvm::Twine(i));
      return;
    }
    // A failure before this node has been reported already.
    if (!node.inputs[i].empty() && !lookup(node.inputs[i]))
      return;
  }
  llvm::SmallVector<llvm::StringRef> known;
  op->attributes.split(known, ' ');
  for (const onnx::Attribute &attribute : node.attributes)
    if (!llvm::is_contained(known, attribute.name)) {
      (void)state.unsupported("with attribute '" + attribute.name + "'");
      return;
    }
  (void)op->import(state);
}

bool Importer::createFunction(ModuleOp module) {
  std::optional<InputShapes> shapes =
      resolveInputs(model, options, diagnostics);
  if (!shapes)
    return false;
  inputs = std::move(*shapes);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (auto [input, shape] : llvm::zip(model.inputs, inputs.shapes)) {
    Type element = elementType(input.type);
    if (!element)
      return diagnostics.unsupported(
          "input '" + input.name + "'",
          "has elements of type " + std::string(onnx::typeName(input.type)),
          "export the model with float32, int32 or int64 inputs");
    types.push_back(RankedTensorType::get(shape, element));
    locations.push_back(location(input.name));
  }
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, module.getLoc(), "forward",
                                  builder.getFunctionType(types, {}));
  Block *body = builder.createBlock(&function.getBody(), {}, types, locations);
  builder.setInsertionPointToEnd(body);
  for (auto [i, input] : llvm::enumerate(model.inputs)) {
    values[input.name] = {body->getArgument(i), {}, input.type};
    function.setArgAttr(i, nn::kNameAttr, builder.getStringAttr(input.name));
  }
  return true;
}

bool Importer::createResults() {
  SmallVector<Value> results;
  for (const onnx::ValueInfo &output : model.outputs) {
    Imported &result = lookup(output.name);
    if (!result.value)
      return diagnostics.unsupported("output '" + output.name + "'",
                                     "is a tensor of integers that depends on "
                                     "shapes alone",
                                     "remove this output from the model");
    if (result.type != output.type)
      return diagnostics.error(
          "output '" + output.name + "'",
          "is said to be " + std::string(onnx::typeName(output.type)) +
              " but is " + std::string(onnx::typeName(result.type)),
          "the file is damaged; export the model again");
    results.push_back(result.value);
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, output] : llvm::enumerate(model.outputs))
    function.setResultAttr(i, nn::kNameAttr,
                           builder.getStringAttr(output.name));
  // Values of which only the shape was used.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return true;
}

void Importer::createParameters(ModuleOp module) {
  llvm::StringSet<> used;
  function.walk([&](nn::GetOp get) { used.insert(get.getParameter()); });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  std::vector<std::string> unused;
  for (onnx::StoredTensor &each : plan.stored) {
    if (each.role == onnx::Role::Constant)
      continue;
    if (!used.contains(each.name)) {
      if (each.role == onnx::Role::Parameter)
        unused.push_back(each.name);
      each.role = onnx::Role::Constant;
      continue;
    }
    auto role = each.role == onnx::Role::Parameter ? nn::Role::Parameter
                                                   : nn::Role::Frozen;
    nn::ParameterOp::create(
        builder, location(each.name), each.name, role,
        RankedTensorType::get(each.tensor.dims, floatType()));
  }
  if (!unused.empty())
    diagnostics.warning("", onnx::quotedList(unused) +
                                (unused.size() == 1 ? " reaches" : " reach") +
                                " no output and will not be trained");
}

bool Importer::attachWeights(ModuleOp module, int64_t batch) {
  module->setAttr("rubato.stage", builder.getStringAttr("import"));
  module->setAttr("rubato.batch", builder.getI64IntegerAttr(batch));
  if (options.weightsPath.empty())
    return true;
  std::optional<onnx::Template> inference = onnx::buildTemplate(
      model, plan,
      options.floats == FloatKind::F64 ? onnx::DataType::Double
                                       : onnx::DataType::Float,
      diagnostics);
  if (!inference)
    return false;
  SmallVector<const onnx::StoredTensor *> tensors;
  for (const onnx::StoredTensor &each : plan.stored)
    if (each.role != onnx::Role::Constant)
      tensors.push_back(&each);
  std::optional<std::string> digest = writeWeights(
      options.weightsPath, tensors, *inference, options.floats, diagnostics);
  if (!digest)
    return false;
  llvm::StringRef file = llvm::sys::path::filename(options.weightsPath);
  module->setAttr("rubato.weights", builder.getStringAttr(file));
  module->setAttr("rubato.weights_digest", builder.getStringAttr(*digest));
  return true;
}

OwningOpRef<ModuleOp> Importer::run() {
  MLIRContext *context = builder.getContext();
  context->loadDialect<nn::NnDialect, arith::ArithDialect, math::MathDialect,
                       func::FuncDialect>();
  llvm::StringRef stem = llvm::sys::path::stem(model.path);
  if (stem.empty())
    stem = "model";
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      builder, location(model.graphName.empty() ? stem : model.graphName),
      stem);
  for (const onnx::StoredTensor &each : plan.stored)
    if (each.name == "forward" || each.name == "__metadata__" ||
        each.name == templateTensor)
      diagnostics.error("initializer '" + each.name + "'",
                        "has a name that Rubato keeps for itself",
                        "rename the tensor in the model");
  if (diagnostics.failed() || !createFunction(*module))
    return {};

  std::vector<bool> live = liveNodes(model);
  for (const onnx::StoredTensor &each : plan.stored)
    if (each.definer >= 0)
      live[each.definer] = false; // a stored tensor has taken its place
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    constexpr size_t mostDiagnostics = 50;
    if (diagnostics.all().size() >= mostDiagnostics) {
      diagnostics.error("", "has more errors, which are not shown");
      return {};
    }
    if (live[i])
      importNode(model.nodes[i]);
  }
  if (!missing.empty()) {
    if (reportsMissing)
      reportMissing(missing, diagnostics);
    return {};
  }
  if (diagnostics.failed() || !createResults())
    return {};
  createParameters(*module);
  if (llvm::none_of(plan.stored, [](const onnx::StoredTensor &each) {
        return each.role == onnx::Role::Parameter;
      })) {
    diagnostics.error("", "has nothing to train: no tensor is a parameter",
                      "name some with --train-only; 'rubato check' lists them");
    return {};
  }
  if (!attachWeights(*module, inputs.batch))
    return {};
  if (failed(verify(*module))) {
    diagnostics.error("", "was imported into an invalid module",
                      "this is a bug of Rubato; please report it");
    return {};
  }
  return module;
}

OwningOpRef<ModuleOp> rubato::importModel(MLIRContext &context,
                                          const onnx::Model &model,
                                          const ImportOptions &options,
                                          onnx::Diagnostics &diagnostics) {
  std::optional<onnx::RolePlan> plan =
      onnx::decideRoles(model, options.roles, diagnostics);
  if (!plan)
    return {};
  return Importer(context, model, *plan, options, diagnostics).run();
}

OwningOpRef<ModuleOp> rubato::importOnnx(MLIRContext &context,
                                         llvm::StringRef path,
                                         const ImportOptions &options,
                                         onnx::Diagnostics &diagnostics) {
  std::optional<onnx::Model> model = onnx::loadModel(path.str(), diagnostics);
  if (!model)
    return {};
  return importModel(context, *model, options, diagnostics);
}
