// Turns an inference graph into the training functions of the train stage.
#include "Functions.h"

#include "dialects/nn/TrainingSignature.h"
#include "rubato/Support/Stage.h"
#include "rubato/Train/Differentiate.h"
#include "rubato/Train/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace rubato {
#define GEN_PASS_DEF_BUILDTRAINING
#include "rubato/Train/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

using A = nn::ArgumentRole;
using R = nn::ResultRole;

namespace {

/// Element type of all stored tensors of a role, and their flat vector.
RankedTensorType flatTypeOf(ArrayRef<nn::ParameterOp> parameters) {
  int64_t size = 0;
  Type element;
  for (nn::ParameterOp parameter : parameters) {
    auto type = cast<RankedTensorType>(parameter.getType());
    size += type.getNumElements();
    element = type.getElementType();
  }
  return RankedTensorType::get({size}, element);
}

/// All slots of a flat vector have the element type of the model's output.
LogicalResult checkElements(ArrayRef<nn::ParameterOp> parameters,
                            Type element) {
  for (nn::ParameterOp parameter : parameters)
    if (cast<RankedTensorType>(parameter.getType()).getElementType() != element)
      return parameter.emitError("has type ")
             << parameter.getType() << " but the model's output is of "
             << element
             << "; stored tensors and output must share one element type";
  return success();
}

/// A function under construction: its arguments by meaning, and the clone of
/// the forward pass inside it.
struct TrainingFunction {
  func::FuncOp func;
  SmallVector<Value> trained; // one nn.unpack per trained parameter
  Value scores, labels, weights, acc;
};

class BuildTraining : public rubato::impl::BuildTrainingBase<BuildTraining> {
public:
  using BuildTrainingBase::BuildTrainingBase;

  void runOnOperation() override {
    if (failed(readOptions()) || failed(readModel()) ||
        failed(buildGradient()) || failed(buildEvaluate()))
      return signalPassFailure();
    buildStep(getOperation(), flat,
              {optimizer, momentum, weightDecay, beta1, beta2, epsilon,
               nesterov, decoupled});
    buildLearningRate(getOperation(), flat.getElementType(),
                      {schedule, stepEvery, stepFactor, warmup});
    forward.erase();
    for (nn::ParameterOp parameter : allParameters)
      parameter.erase();
    getOperation()->setAttr(
        kStageAttr, StringAttr::get(&getContext(), stageName(Stage::Train)));
  }

private:
  LogicalResult readOptions();
  LogicalResult readModel();
  FailureOr<TrainingFunction> beginFunction(nn::TrainingKind kind,
                                            ArrayRef<TrainingResult> results);
  LogicalResult buildGradient();
  LogicalResult buildEvaluate();
  Value countSamples(ImplicitLocOpBuilder &b, Value weights);
  Value sumLosses(ImplicitLocOpBuilder &b, Value losses, Value weights);
  void addLayout(StringRef name, ArrayRef<nn::ParameterOp> slots);

  LossKind lossKind = LossKind::SoftmaxCrossEntropy;
  func::FuncOp forward;
  Value output; // of @forward, with an absorbed softmax taken away
  Operation *absorbed = nullptr;
  SmallVector<nn::ParameterOp> allParameters, trainedParameters,
      frozenParameters;
  RankedTensorType flat, frozenFlat;
  int64_t batch = 0;
};

} // namespace

LogicalResult BuildTraining::readOptions() {
  ModuleOp module = getOperation();
  if (loss == "softmax-cross-entropy")
    lossKind = LossKind::SoftmaxCrossEntropy;
  else if (loss == "mse")
    lossKind = LossKind::Mse;
  else
    return module.emitError("unknown loss '")
           << loss.getValue() << "'; use softmax-cross-entropy or mse";
  if (optimizer != "sgd" && optimizer != "adamw")
    return module.emitError("unknown optimizer '")
           << optimizer.getValue() << "'; use sgd or adamw";
  if (optimizer == "adamw" && (momentum != 0.0 || nesterov))
    return module.emitError("adamw has no momentum; set beta1 instead");
  if (nesterov && momentum == 0.0)
    return module.emitError("nesterov needs a momentum above 0");
  if (momentum < 0.0 || momentum >= 1.0 || weightDecay < 0.0)
    return module.emitError(
        "momentum must lie in [0, 1) and weight decay must not be negative");
  if (beta1 < 0.0 || beta1 >= 1.0 || beta2 < 0.0 || beta2 >= 1.0 ||
      epsilon <= 0.0)
    return module.emitError(
        "beta1 and beta2 must lie in [0, 1), epsilon above 0");
  if (schedule != "constant" && schedule != "step" && schedule != "cosine")
    return module.emitError("unknown schedule '")
           << schedule.getValue() << "'; use constant, step or cosine";
  if (schedule == "step" && (stepEvery <= 0 || stepFactor <= 0.0))
    return module.emitError(
        "schedule step needs step-every and step-factor above 0");
  if (warmup < 0)
    return module.emitError("warmup must not be negative");
  return success();
}

LogicalResult BuildTraining::readModel() {
  ModuleOp module = getOperation();
  forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward || !forward.getBody().hasOneBlock())
    return module.emitError("has no function @forward; this pass takes a "
                            "module of the import stage");
  if (forward.getNumResults() != 1)
    return forward.emitError("has ")
           << forward.getNumResults()
           << " outputs; training needs a model with exactly one";

  output = forward.getBody().front().getTerminator()->getOperand(0);
  if (lossKind == LossKind::SoftmaxCrossEntropy) {
    // The loss normalises the rows of the scores itself.
    if (auto softmax = output.getDefiningOp<nn::SoftmaxOp>();
        softmax && softmax.getAxis() == 1)
      absorbed = softmax;
    else if (auto logSoftmax = output.getDefiningOp<nn::LogSoftmaxOp>();
             logSoftmax && logSoftmax.getAxis() == 1)
      absorbed = logSoftmax;
    if (absorbed)
      output = absorbed->getOperand(0);
  }
  auto type = dyn_cast<RankedTensorType>(output.getType());
  if (!type || !isa<FloatType>(type.getElementType()) || type.getRank() < 1)
    return forward.emitError(
        "output must be a tensor of floating-point numbers");
  if (lossKind == LossKind::SoftmaxCrossEntropy && type.getRank() != 2)
    return forward.emitError("output has type ")
           << type
           << "; softmax-cross-entropy needs [batch, classes] (use --loss mse "
              "for regressions)";
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return forward.emitError("output has type ")
           << type << "; training needs at least one element per sample";
  batch = type.getDimSize(0);
  if (auto stated = module->getAttrOfType<IntegerAttr>(kBatchAttr);
      stated && stated.getInt() != batch)
    return forward.emitError("output has ")
           << batch << " rows but the batch is " << stated.getInt()
           << "; the model was exported with a fixed batch: export it with a "
              "dynamic batch dimension, or compile with --batch "
           << batch;

  if (lossKind == LossKind::SoftmaxCrossEntropy && type.getDimSize(1) < 2)
    return forward.emitError("output has one class, so its loss is always 0; "
                             "use --loss mse for regressions");
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    auto input = cast<RankedTensorType>(forward.getArgumentTypes()[i]);
    if (input.getRank() > 0 && input.getDimSize(0) == batch)
      continue;
    auto name = forward.getArgAttrOfType<StringAttr>(i, nn::kNameAttr);
    return forward.emitError("input ")
           << (name ? name.getValue() : "?") << " has type " << input
           << ", but the first dimension of every input is the batch of "
           << batch << "; make it an initializer if it is the same for all "
           << "samples";
  }

  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    allParameters.push_back(parameter);
    (parameter.getRole() == nn::Role::Frozen ? frozenParameters
                                             : trainedParameters)
        .push_back(parameter);
  }
  if (trainedParameters.empty())
    return module.emitError("has nothing to train: no parameter is left (see "
                            "`rubato check`, --train-only and --freeze)");
  if (failed(checkElements(trainedParameters, type.getElementType())) ||
      failed(checkElements(frozenParameters, type.getElementType())))
    return failure();
  flat = flatTypeOf(trainedParameters);
  if (!frozenParameters.empty())
    frozenFlat = flatTypeOf(frozenParameters);
  return success();
}

FailureOr<TrainingFunction>
BuildTraining::beginFunction(nn::TrainingKind kind,
                             ArrayRef<TrainingResult> results) {
  OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
  Type element = flat.getElementType();
  auto outputType = cast<RankedTensorType>(output.getType());
  auto counter = RankedTensorType::get({}, b.getI64Type());

  SmallVector<TrainingArgument> args{{A::Parameters, flat}};
  if (frozenFlat)
    args.push_back({A::Frozen, frozenFlat});
  llvm::StringSet<> inputNames;
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    auto given = forward.getArgAttrOfType<StringAttr>(i, nn::kNameAttr);
    std::string inputName = given ? given.str() : "input" + std::to_string(i);
    inputNames.insert(inputName);
    args.push_back({A::Input, forward.getArgument(i).getType(), inputName});
  }
  std::string labelName = "y";
  for (int i = 0; inputNames.contains(labelName); ++i)
    labelName = i == 0 ? "label" : "label" + std::to_string(i);
  args.push_back({A::Label, labelType(lossKind, outputType), labelName,
                  classesOf(lossKind, outputType)});
  args.push_back({A::Weights, RankedTensorType::get({batch}, element)});
  args.push_back({A::Ids, RankedTensorType::get({batch}, b.getI64Type())});
  if (kind == nn::TrainingKind::Gradient) {
    args.push_back({A::Step, counter});
    args.push_back({A::Accumulator, flat});
  }

  TrainingFunction result;
  result.func = createFunction(b, forward.getLoc(), kind, args, results);
  auto signature = nn::TrainingSignature::find(getOperation(), kind);
  if (failed(signature))
    return failure();
  b.setInsertionPointToStart(&result.func.getBody().front());

  // Parameters first, then the forward pass with nn.get replaced by them.
  llvm::StringMap<Value> stored;
  auto unpack = [&](nn::ParameterOp parameter, Value from, StringRef layout) {
    Value value =
        nn::UnpackOp::create(b, parameter.getLoc(), parameter.getType(), from,
                             layout, parameter.getSymName());
    stored[parameter.getSymName()] = value;
    return value;
  };
  for (nn::ParameterOp parameter : trainedParameters)
    result.trained.push_back(
        unpack(parameter, signature->argument(A::Parameters), "params"));
  for (nn::ParameterOp parameter : frozenParameters)
    unpack(parameter, signature->argument(A::Frozen), "frozen");

  IRMapping mapping;
  for (auto [input, index] :
       llvm::zip(forward.getArguments(), signature->indices(A::Input)))
    mapping.map(input, signature->argument(index));
  for (Operation &op : forward.getBody().front().without_terminator()) {
    if (&op == absorbed && op.hasOneUse())
      continue; // the loss stands in its place
    if (auto get = dyn_cast<nn::GetOp>(op))
      mapping.map(get.getValue(), stored.lookup(get.getParameter()));
    else
      b.clone(op, mapping);
  }
  result.scores = mapping.lookup(output);
  result.labels = signature->argument(A::Label);
  result.weights = signature->argument(A::Weights);
  if (signature->has(A::Accumulator))
    result.acc = signature->argument(A::Accumulator);
  return result;
}

Value BuildTraining::countSamples(ImplicitLocOpBuilder &outer, Value weights) {
  ImplicitLocOpBuilder b(
      NameLoc::get(StringAttr::get(&getContext(), "samples")), outer);
  auto counts = RankedTensorType::get({batch}, b.getI64Type());
  Value real =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, weights,
                            nn::splat(b, b.getLoc(), weights.getType(), 0.0));
  Value ones = arith::ExtUIOp::create(b, counts, real);
  return nn::ReduceOp::create(b, RankedTensorType::get({}, b.getI64Type()),
                              nn::ReduceKind::Sum, ones, ArrayRef<int64_t>{0});
}

Value BuildTraining::sumLosses(ImplicitLocOpBuilder &b, Value losses,
                               Value weights) {
  Value weighted = arith::MulFOp::create(b, losses, weights);
  auto wide = RankedTensorType::get({batch}, b.getF64Type());
  if (weighted.getType() != wide)
    weighted = arith::ExtFOp::create(b, wide, weighted);
  return nn::ReduceOp::create(b, RankedTensorType::get({}, b.getF64Type()),
                              nn::ReduceKind::Sum, weighted,
                              ArrayRef<int64_t>{0});
}

LogicalResult BuildTraining::buildGradient() {
  ModuleOp module = getOperation();
  auto i64 = RankedTensorType::get({}, IntegerType::get(&getContext(), 64));
  auto f64 = RankedTensorType::get({}, Float64Type::get(&getContext()));
  auto function =
      beginFunction(nn::TrainingKind::Gradient, {{R::Gradient, flat},
                                                 {R::Samples, i64},
                                                 {R::Divisor, i64},
                                                 {R::Loss, f64}});
  if (failed(function))
    return failure();
  Block &body = function->func.getBody().front();
  ImplicitLocOpBuilder b(
      NameLoc::get(StringAttr::get(&getContext(), loss.getValue())),
      &getContext());
  b.setInsertionPointToEnd(&body);

  Value losses = buildLoss(b, lossKind, function->scores, function->labels);
  Value samples = countSamples(b, function->weights);
  Value sum = sumLosses(b, losses, function->weights);

  // Seeding with the weights gives the gradient of the weighted sum.
  SmallVector<Value> gradients;
  if (failed(differentiate(b, losses, function->weights, function->trained,
                           gradients)))
    return failure();

  // Readiness order: the slot whose gradient is finished first comes first.
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(body))
    position[&op] = i;
  auto readiness = [&](size_t i) {
    Operation *op = gradients[i] ? gradients[i].getDefiningOp() : nullptr;
    return op ? position.lookup(op) : UINT_MAX;
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, trainedParameters.size()));
  llvm::sort(order, [&](size_t x, size_t y) {
    return std::pair(readiness(x), x) < std::pair(readiness(y), y);
  });

  SmallVector<nn::ParameterOp> slots;
  SmallVector<Value> packed;
  for (size_t i : order) {
    nn::ParameterOp parameter = trainedParameters[i];
    slots.push_back(parameter);
    b.setLoc(NameLoc::get(StringAttr::get(&getContext(), "backward"),
                          parameter.getLoc()));
    Value before = nn::UnpackOp::create(b, parameter.getType(), function->acc,
                                        "params", parameter.getSymName());
    packed.push_back(
        gradients[i] ? arith::AddFOp::create(b, before, gradients[i]) : before);
  }
  addLayout("params", slots);
  if (frozenFlat)
    addLayout("frozen", frozenParameters);
  Value flatSum =
      nn::PackOp::create(b, module.getLoc(), flat, "params", packed);
  // Every sample has one label, so there is as much to divide by.
  func::ReturnOp::create(b, ValueRange{flatSum, samples, samples, sum});
  return success();
}

LogicalResult BuildTraining::buildEvaluate() {
  auto i64 = RankedTensorType::get({}, IntegerType::get(&getContext(), 64));
  auto f64 = RankedTensorType::get({}, Float64Type::get(&getContext()));
  auto function =
      beginFunction(nn::TrainingKind::Evaluate,
                    {{R::Loss, f64}, {R::Correct, i64}, {R::Valid, i64}});
  if (failed(function))
    return failure();
  ImplicitLocOpBuilder b(
      NameLoc::get(StringAttr::get(&getContext(), loss.getValue())),
      &getContext());
  b.setInsertionPointToEnd(&function->func.getBody().front());
  Value losses = buildLoss(b, lossKind, function->scores, function->labels);
  Value sum = sumLosses(b, losses, function->weights);
  Value correct = buildCorrect(b, lossKind, function->scores, function->labels,
                               function->weights);
  Value samples = countSamples(b, function->weights);
  func::ReturnOp::create(b, ValueRange{sum, correct, samples});
  return success();
}

void BuildTraining::addLayout(StringRef name, ArrayRef<nn::ParameterOp> slots) {
  OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
  SmallVector<Attribute> attributes;
  int64_t offset = 0;
  for (nn::ParameterOp parameter : slots) {
    auto type = cast<RankedTensorType>(parameter.getType());
    attributes.push_back(nn::SlotAttr::get(&getContext(),
                                           parameter.getSymName(), type, offset,
                                           parameter.getRole()));
    offset += type.getNumElements();
  }
  nn::LayoutOp::create(b, getOperation().getLoc(), name,
                       b.getArrayAttr(attributes));
}
