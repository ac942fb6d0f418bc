// Helpers that algorithms share when they write their programs.
#include "rubato/Sync/ProgramBuilder.h"

#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

using A = nn::ArgumentRole;
using R = nn::ResultRole;

FailureOr<ProgramBuilder> ProgramBuilder::create(TrainOp train) {
  auto functions =
      nn::TrainingFunctions::find(train->getParentOfType<ModuleOp>());
  if (failed(functions))
    return failure();
  return ProgramBuilder(train, *functions);
}

ProgramBuilder::ProgramBuilder(TrainOp train, nn::TrainingFunctions found)
    : ImplicitLocOpBuilder(train->getLoc(), train),
      module(train->getParentOfType<ModuleOp>()),
      flatType(found.gradient.type(A::Parameters)),
      counterType(found.gradient.type(R::Samples)),
      rateType(found.learningRate.type(R::Rate)),
      lossType(found.gradient.type(R::Loss)),
      batchTypes(found.gradient.batchTypes()),
      quantum(found.gradient.batchSize()),
      stateTypes(found.step.types(A::State)), train(train), functions(found) {}

bool ProgramBuilder::hasStatistics() {
  auto layout = module.lookupSymbol<nn::LayoutOp>("params");
  return layout && llvm::any_of(layout.slots(), [](nn::SlotAttr slot) {
           return slot.getRole() == nn::Role::Statistic;
         });
}

void ProgramBuilder::addCells(bool keepState) {
  auto cell = [&](StringRef name, Type type, CellRole role,
                  StringRef layout = {}, FloatAttr value = {}) {
    CellOp::create(*this, name, type, role,
                   layout.empty()
                       ? FlatSymbolRefAttr()
                       : FlatSymbolRefAttr::get(getContext(), layout),
                   value);
  };
  cell("w", flatType, CellRole::Parameter, "params");
  for (auto [i, type] :
       llvm::enumerate(keepState ? TypeRange(stateTypes) : TypeRange()))
    cell("state" + std::to_string(i), type, CellRole::Optimizer);
  cell("seen", counterType, CellRole::Counter);
  cell("budget", counterType, CellRole::Setting);
  cell("base_lr", rateType, CellRole::Setting, {}, train.getLearningRateAttr());
  for (Type type : functions.gradient.types(A::Frozen))
    cell("w_frozen", type, CellRole::Frozen, "frozen");
}

void ProgramBuilder::addState(StringRef name, Type type) {
  CellOp::create(*this, name, type, CellRole::State, FlatSymbolRefAttr(),
                 FloatAttr());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ProgramBuilder::load(StringRef cell, Type type) {
  return LoadOp::create(*this, type, cell);
}

Type ProgramBuilder::cellType(StringRef name) {
  auto cell = module.lookupSymbol<CellOp>(name);
  if (!cell)
    llvm::report_fatal_error("a program loads a cell it did not declare: @" +
                             Twine(name));
  return cell.getType();
}

Value ProgramBuilder::zero(Type type) { return ZeroOp::create(*this, type); }

Value ProgramBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(*this, value, 64);
}

Value ProgramBuilder::constant(double value) {
  return arith::ConstantFloatOp::create(*this, getF64Type(), APFloat(value));
}

Value ProgramBuilder::constant(bool value) {
  return arith::ConstantIntOp::create(*this, value, 1);
}

Value ProgramBuilder::extract(Value scalar) {
  return tensor::ExtractOp::create(*this, scalar, ValueRange{});
}

Value ProgramBuilder::wrap(Value scalar) {
  return tensor::FromElementsOp::create(
      *this, RankedTensorType::get({}, scalar.getType()), scalar);
}

Value ProgramBuilder::toReal(Value scalar) {
  if (scalar.getType().isF64())
    return scalar;
  if (isa<FloatType>(scalar.getType()))
    return arith::ExtFOp::create(*this, getF64Type(), scalar);
  return arith::SIToFPOp::create(*this, getF64Type(), scalar);
}

Value ProgramBuilder::fill(Value scalar, Type like) {
  Type element = cast<RankedTensorType>(like).getElementType();
  if (isa<FloatType>(element)) {
    scalar = toReal(scalar);
    if (!element.isF64())
      scalar = arith::TruncFOp::create(*this, element, scalar);
  }
  return tensor::SplatOp::create(*this, like, scalar);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

SmallVector<Value> ProgramBuilder::Results::all(R role) const {
  return llvm::map_to_vector(callee.indices(role),
                             [&](unsigned i) -> Value { return values[i]; });
}

ProgramBuilder::Results
ProgramBuilder::call(const nn::TrainingSignature &callee,
                     function_ref<SmallVector<Value>(A)> operands) {
  FunctionOpInterface function = callee.getFunction();
  auto call =
      func::CallOp::create(*this, function.getName(), function.getResultTypes(),
                           callee.operands(operands));
  return {callee, call.getResults()};
}

SmallVector<Value> ProgramBuilder::modelOrBatch(A role, Value w,
                                                ValueRange batch) {
  if (role == A::Parameters)
    return {w};
  if (role == A::Frozen)
    return llvm::map_to_vector(
        functions.gradient.types(A::Frozen),
        [&](Type type) -> Value { return load("w_frozen", type); });
  SmallVector<Value> values;
  for (auto [index, value] : llvm::zip(functions.gradient.batch(), batch))
    if (functions.gradient.role(index).getRole() == role)
      values.push_back(value);
  return values;
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

ProgramBuilder::Gradient ProgramBuilder::addGradient(Value w, Value step,
                                                     Gradient acc) {
  auto batch = NextBatchOp::create(*this, TypeRange(batchTypes));
  return addGradient(w, step, acc, batch.getResults());
}

ProgramBuilder::Gradient ProgramBuilder::noGradient() {
  return {zero(flatType), zero(counterType), zero(counterType), zero(lossType)};
}

ProgramBuilder::Gradient ProgramBuilder::addGradient(Value w, Value step,
                                                     Gradient acc,
                                                     ValueRange batch) {
  const nn::TrainingSignature &callee = functions.gradient;
  Results results = call(callee, [&](A role) -> SmallVector<Value> {
    switch (role) {
    case A::Step:
      return {step};
    case A::Accumulator:
      return {acc.sum};
    default:
      return modelOrBatch(role, w, batch);
    }
  });
  // Kernels are called after the locations of their operations.
  auto named = [&](StringRef name) {
    return NameLoc::get(getStringAttr(name), getLoc());
  };
  OpBuilder &b = *this;
  return {results.only(R::Gradient),
          arith::AddIOp::create(b, named("samples.sum"), acc.samples,
                                results.only(R::Samples)),
          arith::AddIOp::create(b, named("divisor.sum"), acc.divisor,
                                results.only(R::Divisor)),
          arith::AddFOp::create(b, named("loss.sum"), acc.loss,
                                results.only(R::Loss))};
}

ProgramBuilder::Gradient ProgramBuilder::roundGradient(Value w, Value step) {
  Value quanta = QuantaOp::create(*this, getI64Type());
  Gradient zero = noGradient();
  ValueRange sums =
      repeat(Value(), quanta, quanta, zero.values(),
             [&](Value, ValueRange acc) -> SmallVector<Value> {
               return addGradient(w, step, Gradient::of(acc)).values();
             });
  return Gradient::of(sums);
}

Value ProgramBuilder::sumGradients(StringRef channel,
                                   const Gradient &gradient) {
  SmallVector<Value> values = gradient.values();
  values.push_back(StopRequestedOp::create(*this, counterType));
  return allReduce(channel, values);
}

Value ProgramBuilder::meanLoss(Value w) {
  Value samples = DataSamplesOp::create(*this, getI64Type());
  Value batches = arith::CeilDivSIOp::create(*this, samples, constant(quantum));
  SmallVector<Value> frozen = modelOrBatch(A::Frozen, w, {});
  ValueRange sums =
      repeat(Value(), batches, batches, {zero(lossType), zero(counterType)},
             [&](Value index, ValueRange carried) -> SmallVector<Value> {
               auto batch = NextBatchOp::create(*this, TypeRange(batchTypes),
                                                BatchSource::Whole, index);
               Results results = call(functions.evaluate, [&](A role) {
                 return role == A::Frozen
                            ? frozen
                            : modelOrBatch(role, w, batch.getResults());
               });
               auto named = [&](StringRef name) {
                 return NameLoc::get(getStringAttr(name), getLoc());
               };
               OpBuilder &b = *this;
               return {arith::AddFOp::create(b, named("loss.sum"), carried[0],
                                             results.only(R::Loss)),
                       arith::AddIOp::create(b, named("valid.sum"), carried[1],
                                             results.only(R::Valid))};
             });
  Value loss = extract(sums[0]), valid = extract(divisorOf(sums[1]));
  return arith::DivFOp::create(*this, loss, toReal(valid));
}

Value ProgramBuilder::divisorOf(Value count) {
  auto type = cast<RankedTensorType>(count.getType());
  Value one = arith::ConstantOp::create(
      *this, DenseElementsAttr::get(type, static_cast<int64_t>(1)));
  return arith::MaxSIOp::create(*this, count, one);
}

Value ProgramBuilder::learningRate(Value seen, Value samples) {
  Value base = load("base_lr", rateType), budget = load("budget", counterType);
  return learningRate(seen, samples, base, budget);
}

Value ProgramBuilder::learningRate(Value seen, Value samples, Value base,
                                   Value budget) {
  return call(functions.learningRate,
              [&](A role) -> SmallVector<Value> {
                return {role == A::Seen      ? seen
                        : role == A::Samples ? samples
                        : role == A::Budget  ? budget
                                             : base};
              })
      .only(R::Rate);
}

ProgramBuilder::Stepped ProgramBuilder::step(Value w, ValueRange state,
                                             const Gradient &gradient,
                                             Value rate) {
  Results results = call(functions.step, [&](A role) -> SmallVector<Value> {
    if (role == A::State)
      return llvm::to_vector(state);
    return {role == A::Parameters ? w
            : role == A::Gradient ? gradient.sum
            : role == A::Divisor  ? gradient.divisor
                                  : rate};
  });
  return {results.only(R::Displacement), results.all(R::State)};
}

SmallVector<std::string> ProgramBuilder::modelCells() {
  SmallVector<std::string> cells{"w"};
  for (size_t i = 0; i < stateTypes.size(); ++i)
    cells.push_back("state" + std::to_string(i));
  cells.push_back("seen");
  return cells;
}

AtomicOp
ProgramBuilder::update(const Gradient &gradient,
                       function_ref<Value(Value)> rate,
                       function_ref<void(MutableArrayRef<Value>)> state,
                       function_ref<Value(Value)> sum, bool withResults) {
  // Settings are loaded outside: nothing in an atomic needs them locked.
  Value base = load("base_lr", rateType), budget = load("budget", counterType);
  SmallVector<Type> results;
  if (withResults)
    results = {flatType, counterType};
  return atomic(
      modelCells(),
      [&](ValueRange cells) -> AtomicResult {
        Value w = cells.front(), seen = cells.back();
        SmallVector<Value> before(cells.drop_front().drop_back());
        if (state)
          state(before);
        Value lr = learningRate(seen, gradient.samples, base, budget);
        if (rate)
          lr = rate(lr);
        Gradient used = gradient;
        if (sum)
          used.sum = sum(w);
        Stepped stepped = step(w, before, used, lr);
        SmallVector<Value> after{
            arith::SubFOp::create(*this, w, stepped.displacement)};
        llvm::append_range(after, stepped.state);
        after.push_back(
            arith::AddIOp::create(static_cast<OpBuilder &>(*this),
                                  NameLoc::get(getStringAttr("seen"), getLoc()),
                                  seen, gradient.samples));
        SmallVector<Value> given;
        if (withResults)
          given = {after.front(), after.back()};
        return {after, given};
      },
      results);
}

Value ProgramBuilder::withinBudget(Value stop) {
  Value seen = extract(load("seen", counterType));
  Value budget = extract(load("budget", counterType));
  Value more =
      arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, seen, budget);
  Value nobody = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq,
                                       extract(stop), constant(int64_t(0)));
  return arith::AndIOp::create(*this, more, nobody);
}
