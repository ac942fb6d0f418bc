// Optimizers as pure functions over flat vectors.
#include "Functions.h"

using namespace mlir;
using namespace rubato;

using A = nn::ArgumentRole;
using R = nn::ResultRole;

namespace {

/// Arithmetic on flat vectors with scalar constants, for readable formulas.
struct FlatMath {
  ImplicitLocOpBuilder &b;
  RankedTensorType type;

  Value constant(double value) { return nn::splat(b, b.getLoc(), type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value scale(double factor, Value x) { return mul(constant(factor), x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, x); }
};

/// Displacement and new state of one step, given the mean gradient.
struct Update {
  Value displacement;
  SmallVector<Value> state;
};

Update sgd(FlatMath flat, Value w, ValueRange state, Value g, Value lr,
           const OptimizerOptions &o) {
  bool decay = o.weightDecay != 0.0;
  if (decay && !o.decoupled)
    g = flat.add(g, flat.scale(o.weightDecay, w));
  SmallVector<Value> newState;
  Value direction = g;
  if (o.momentum != 0.0) {
    Value velocity = flat.add(flat.scale(o.momentum, state[0]), g);
    direction =
        o.nesterov ? flat.add(g, flat.scale(o.momentum, velocity)) : velocity;
    newState.push_back(velocity);
  }
  if (decay && o.decoupled)
    direction = flat.add(direction, flat.scale(o.weightDecay, w));
  return {flat.mul(lr, direction), newState};
}

Update adamw(FlatMath flat, Value w, ValueRange state, Value g, Value lr,
             const OptimizerOptions &o) {
  ImplicitLocOpBuilder &b = flat.b;
  Value m = flat.add(flat.scale(o.beta1, state[0]), flat.scale(1 - o.beta1, g));
  Value v = flat.add(flat.scale(o.beta2, state[1]),
                     flat.scale(1 - o.beta2, flat.mul(g, g)));
  // c = 1 - beta^t obeys c' = beta·c + (1 - beta) from c = 0, so no power and
  // no step count is needed; kept in f64.
  auto correction = [&](Value c, double beta) -> Value {
    Value decayed = arith::MulFOp::create(
        b, nn::splat(b, b.getLoc(), c.getType(), beta), c);
    return arith::AddFOp::create(
        b, decayed, nn::splat(b, b.getLoc(), c.getType(), 1 - beta));
  };
  Value c1 = correction(state[2], o.beta1), c2 = correction(state[3], o.beta2);
  auto scalar = RankedTensorType::get({}, flat.type.getElementType());
  auto toFlat = [&](Value c) {
    if (scalar != c.getType())
      c = arith::TruncFOp::create(b, scalar, c);
    return spread(b, c, flat.type);
  };
  Value root = math::SqrtOp::create(b, c2);
  Value denominator =
      flat.add(flat.div(flat.sqrt(v), toFlat(root)), flat.constant(o.epsilon));
  Value direction = flat.div(flat.div(m, toFlat(c1)), denominator);
  if (o.weightDecay != 0.0)
    direction = flat.add(direction, flat.scale(o.weightDecay, w));
  return {flat.mul(lr, direction), {m, v, c1, c2}};
}

} // namespace

func::FuncOp rubato::buildStep(ModuleOp module, RankedTensorType flatType,
                               const OptimizerOptions &options) {
  ImplicitLocOpBuilder b(
      NameLoc::get(StringAttr::get(module.getContext(), "step")),
      module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Type element = flatType.getElementType();
  auto count = RankedTensorType::get({}, b.getI64Type());
  auto rate = RankedTensorType::get({}, element);
  auto wide = RankedTensorType::get({}, b.getF64Type());

  SmallVector<Type> state;
  if (options.kind == "adamw")
    state = {flatType, flatType, wide, wide};
  else if (options.momentum != 0.0)
    state = {flatType};

  SmallVector<TrainingArgument> arguments{{A::Parameters, flatType}};
  SmallVector<TrainingResult> results{{R::Displacement, flatType}};
  for (Type type : state) {
    arguments.push_back({A::State, type});
    results.push_back({R::State, type});
  }
  arguments.push_back({A::Gradient, flatType});
  arguments.push_back({A::Divisor, count});
  arguments.push_back({A::Rate, rate});
  func::FuncOp func =
      createFunction(b, b.getLoc(), nn::TrainingKind::Step, arguments, results);
  b.setInsertionPointToStart(&func.getBody().front());
  auto signature = *nn::TrainingSignature::find(module, nn::TrainingKind::Step);
  Value w = signature.argument(A::Parameters);
  SmallVector<Value> oldState;
  for (unsigned i : signature.indices(A::State))
    oldState.push_back(signature.argument(i));
  // Sums become means here, once.
  Location step = b.getLoc();
  b.setLoc(NameLoc::get(b.getStringAttr("step.mean")));
  // Where no label counted the sum is zero, and so is the mean.
  Value least = arith::ConstantOp::create(
      b, DenseElementsAttr::get(count, b.getI64IntegerAttr(1).getValue()));
  Value divisor = arith::SIToFPOp::create(
      b, rate,
      arith::MaxSIOp::create(b, signature.argument(A::Divisor), least));
  Value inverse =
      arith::DivFOp::create(b, nn::splat(b, b.getLoc(), rate, 1.0), divisor);
  b.setLoc(step);
  FlatMath flat{b, flatType};
  Value mean =
      flat.mul(signature.argument(A::Gradient), spread(b, inverse, flatType));
  Value flatRate = spread(b, signature.argument(A::Rate), flatType);
  Update update = options.kind == "adamw"
                      ? adamw(flat, w, oldState, mean, flatRate, options)
                      : sgd(flat, w, oldState, mean, flatRate, options);
  SmallVector<Value> values{update.displacement};
  llvm::append_range(values, update.state);
  func::ReturnOp::create(b, values);
  return func;
}
