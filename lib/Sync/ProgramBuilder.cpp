// Helpers that algorithms share when they write their programs.
#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

FailureOr<ProgramBuilder> ProgramBuilder::create(Operation *train) {
  auto module = train->getParentOfType<ModuleOp>();
  auto gradient = module.lookupSymbol<func::FuncOp>("gradient");
  auto step = module.lookupSymbol<func::FuncOp>("step");
  auto lr = module.lookupSymbol<func::FuncOp>("lr");
  if (!gradient || !step || !lr)
    return train->emitOpError(
        "needs the training functions @gradient, @step and @lr; run "
        "build-training first");
  FunctionType g = gradient.getFunctionType();
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  // One id per sample.
  auto isIds = [](Type type) {
    auto ids = cast<RankedTensorType>(type);
    return ids.getRank() == 1 && !ids.isDynamicDim(0);
  };
  if (g.getNumInputs() < 6 || g.getNumResults() != 3 ||
      !llvm::all_of(g.getInputs(), isTensor) ||
      !isIds(g.getInput(g.getNumInputs() - 3)) ||
      !llvm::all_of(g.getResults(), isTensor) || step.getNumResults() == 0 ||
      lr.getNumResults() != 1 || !isTensor(lr.getResultTypes()[0]))
    return train->emitOpError("cannot call @gradient, @step and @lr: they have "
                              "other signatures than build-training gives "
                              "them; verify-train says which");
  ProgramBuilder b(train->getLoc(), train->getContext());
  b.module = module;
  b.setInsertionPoint(train);
  b.flatType = cast<RankedTensorType>(g.getInput(0));
  b.counterType = cast<RankedTensorType>(g.getResult(1));
  b.lossType = cast<RankedTensorType>(g.getResult(2));
  b.rateType = cast<RankedTensorType>(lr.getResultTypes()[0]);
  // (w, [frozen,] batch…, step, acc)
  ArrayRef<Type> batch = g.getInputs().drop_front().drop_back(2);
  if (module.lookupSymbol("frozen")) {
    b.hasFrozen = true;
    b.frozenType = batch.front();
    batch = batch.drop_front();
  }
  llvm::append_range(b.batchTypes, batch);
  b.quantum = cast<RankedTensorType>(batch.back()).getDimSize(0);
  llvm::append_range(b.stateTypes, step.getResultTypes().drop_front());
  return b;
}

void ProgramBuilder::addCells(double learningRate, bool keepState) {
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
  cell("base_lr", rateType, CellRole::Setting, {},
       getF64FloatAttr(learningRate));
  if (hasFrozen)
    cell("w_frozen", frozenType, CellRole::Frozen, "frozen");
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
// Training
//===----------------------------------------------------------------------===//

ProgramBuilder::Gradient ProgramBuilder::addGradient(Value w, Value step,
                                                     Gradient acc) {
  auto batch = NextBatchOp::create(*this, TypeRange(batchTypes));
  return addGradient(w, step, acc, batch.getResults());
}

ProgramBuilder::Gradient ProgramBuilder::noGradient() {
  return {zero(flatType), zero(counterType), zero(lossType)};
}

ProgramBuilder::Gradient ProgramBuilder::addGradient(Value w, Value step,
                                                     Gradient acc,
                                                     ValueRange batch) {
  SmallVector<Value> arguments{w};
  if (hasFrozen)
    arguments.push_back(load("w_frozen", frozenType));
  llvm::append_range(arguments, batch);
  arguments.append({step, acc.sum});
  auto call = func::CallOp::create(
      *this, "gradient", TypeRange{flatType, counterType, lossType}, arguments);
  // Kernels are called after the locations of their operations.
  auto named = [&](StringRef name) {
    return NameLoc::get(getStringAttr(name), getLoc());
  };
  OpBuilder &b = *this;
  return {
      call.getResult(0),
      arith::AddIOp::create(b, named("samples.sum"), acc.samples,
                            call.getResult(1)),
      arith::AddFOp::create(b, named("loss.sum"), acc.loss, call.getResult(2))};
}

ProgramBuilder::Gradient ProgramBuilder::roundGradient(Value w, Value step) {
  Value quanta = QuantaOp::create(*this, getI64Type());
  Value rest = arith::SubIOp::create(*this, quanta, constant(int64_t(1)));
  Gradient zero = noGradient();
  ValueRange sums =
      repeat(Value(), rest, rest, {zero.sum, zero.samples, zero.loss},
             [&](Value, ValueRange acc) -> SmallVector<Value> {
               Gradient next = addGradient(w, step, {acc[0], acc[1], acc[2]});
               return {next.sum, next.samples, next.loss};
             });
  return addGradient(w, step, {sums[0], sums[1], sums[2]});
}

Value ProgramBuilder::meanLoss(Value w) {
  Value samples = DataSamplesOp::create(*this, getI64Type());
  Value batches = arith::CeilDivSIOp::create(*this, samples, constant(quantum));
  SmallVector<Value> arguments{w};
  if (hasFrozen)
    arguments.push_back(load("w_frozen", frozenType));
  ValueRange sum =
      repeat(Value(), batches, batches, zero(lossType),
             [&](Value index, ValueRange carried) -> SmallVector<Value> {
               auto batch = NextBatchOp::create(*this, TypeRange(batchTypes),
                                                BatchSource::Whole, index);
               SmallVector<Value> inputs(arguments);
               llvm::append_range(inputs, batch.getResults());
               auto call = func::CallOp::create(
                   *this, "evaluate",
                   TypeRange{lossType, counterType, counterType}, inputs);
               return {arith::AddFOp::create(
                   static_cast<OpBuilder &>(*this),
                   NameLoc::get(getStringAttr("loss.sum"), getLoc()),
                   carried[0], call.getResult(0))};
             });
  return arith::DivFOp::create(*this, extract(sum[0]), toReal(samples));
}

Value ProgramBuilder::learningRate(Value seen, Value samples) {
  Value base = load("base_lr", rateType), budget = load("budget", counterType);
  return func::CallOp::create(*this, "lr", TypeRange{rateType},
                              ValueRange{seen, samples, base, budget})
      .getResult(0);
}

ValueRange ProgramBuilder::step(Value w, ValueRange state, Value sum,
                                Value samples, Value rate) {
  SmallVector<Value> arguments{w};
  llvm::append_range(arguments, state);
  arguments.append({sum, samples, rate});
  SmallVector<Type> results{flatType};
  llvm::append_range(results, stateTypes);
  return func::CallOp::create(*this, "step", results, arguments).getResults();
}

SmallVector<std::string> ProgramBuilder::modelCells() {
  SmallVector<std::string> cells{"w"};
  for (size_t i = 0; i < stateTypes.size(); ++i)
    cells.push_back("state" + std::to_string(i));
  cells.push_back("seen");
  return cells;
}

void ProgramBuilder::update(Value sum, Value samples,
                            function_ref<Value(Value)> rate,
                            function_ref<void(MutableArrayRef<Value>)> state) {
  // Settings are loaded outside: nothing in an atomic needs them locked.
  Value base = load("base_lr", rateType), budget = load("budget", counterType);
  atomic(modelCells(), [&](ValueRange cells) -> AtomicResult {
    Value w = cells.front(), seen = cells.back();
    SmallVector<Value> before(cells.drop_front().drop_back());
    if (state)
      state(before);
    Value lr = func::CallOp::create(*this, "lr", TypeRange{rateType},
                                    ValueRange{seen, samples, base, budget})
                   .getResult(0);
    if (rate)
      lr = rate(lr);
    ValueRange stepped = step(w, before, sum, samples, lr);
    SmallVector<Value> after{arith::SubFOp::create(*this, w, stepped.front())};
    llvm::append_range(after, stepped.drop_front());
    after.push_back(arith::AddIOp::create(
        static_cast<OpBuilder &>(*this),
        NameLoc::get(getStringAttr("seen"), getLoc()), seen, samples));
    return {after};
  });
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
