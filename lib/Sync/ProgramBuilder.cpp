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
  if (g.getNumInputs() < 6 || g.getNumResults() != 3 ||
      !llvm::all_of(g.getInputs(), isTensor) ||
      !llvm::all_of(g.getResults(), isTensor) || step.getNumResults() == 0 ||
      lr.getNumResults() != 1 || !isTensor(lr.getResultTypes()[0]))
    return train->emitOpError("cannot call @gradient, @step and @lr: they have "
                              "other signatures than build-training gives "
                              "them; verify-train says which");
  ProgramBuilder b(train->getLoc(), train->getContext());
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
  llvm::append_range(b.stateTypes, step.getResultTypes().drop_front());
  return b;
}

void ProgramBuilder::addCells(double learningRate) {
  auto cell = [&](StringRef name, Type type, CellRole role,
                  StringRef layout = {}, FloatAttr value = {}) {
    CellOp::create(*this, name, type, role,
                   layout.empty()
                       ? FlatSymbolRefAttr()
                       : FlatSymbolRefAttr::get(getContext(), layout),
                   value);
  };
  cell("w", flatType, CellRole::Parameter, "params");
  for (auto [i, type] : llvm::enumerate(stateTypes))
    cell("state" + std::to_string(i), type, CellRole::Optimizer);
  cell("seen", counterType, CellRole::Counter);
  cell("budget", counterType, CellRole::Setting);
  cell("base_lr", rateType, CellRole::Setting, {},
       getF64FloatAttr(learningRate));
  if (hasFrozen)
    cell("w_frozen", frozenType, CellRole::Frozen, "frozen");
}

Value ProgramBuilder::load(StringRef cell, Type type) {
  return LoadOp::create(*this, type, cell);
}

Value ProgramBuilder::zero(Type type) { return ZeroOp::create(*this, type); }

Value ProgramBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(*this, value, 64);
}

ProgramBuilder::Gradient ProgramBuilder::addGradient(Value w, Value step,
                                                     Gradient acc) {
  auto batch = NextBatchOp::create(*this, batchTypes);
  SmallVector<Value> arguments{w};
  if (hasFrozen)
    arguments.push_back(load("w_frozen", frozenType));
  llvm::append_range(arguments, batch.getResults());
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

void ProgramBuilder::update(Value sum, Value samples) {
  Value base = load("base_lr", rateType), budget = load("budget", counterType);
  SmallVector<Attribute> cells{FlatSymbolRefAttr::get(getContext(), "w")};
  SmallVector<Type> types{flatType};
  for (auto [i, type] : llvm::enumerate(stateTypes)) {
    cells.push_back(
        FlatSymbolRefAttr::get(getContext(), "state" + std::to_string(i)));
    types.push_back(type);
  }
  cells.push_back(FlatSymbolRefAttr::get(getContext(), "seen"));
  types.push_back(counterType);

  auto atomic = AtomicOp::create(*this, getArrayAttr(cells));
  OpBuilder::InsertionGuard guard(*this);
  Block *body = createBlock(&atomic.getBody(), {}, types,
                            SmallVector<Location>(types.size(), getLoc()));
  Value w = body->getArgument(0), seen = body->getArguments().back();
  ValueRange state = body->getArguments().drop_front().drop_back();
  auto lr = func::CallOp::create(*this, "lr", TypeRange{rateType},
                                 ValueRange{seen, samples, base, budget});
  SmallVector<Value> arguments{w};
  llvm::append_range(arguments, state);
  arguments.append({sum, samples, lr.getResult(0)});
  SmallVector<Type> results{flatType};
  llvm::append_range(results, stateTypes);
  auto step = func::CallOp::create(*this, "step", results, arguments);
  SmallVector<Value> values{arith::SubFOp::create(*this, w, step.getResult(0))};
  llvm::append_range(values, step.getResults().drop_front());
  values.push_back(arith::AddIOp::create(
      static_cast<OpBuilder &>(*this),
      NameLoc::get(getStringAttr("seen"), getLoc()), seen, samples));
  YieldOp::create(*this, values);
}

Value ProgramBuilder::withinBudget(Value stop) {
  auto extract = [&](Value scalar) -> Value {
    return tensor::ExtractOp::create(*this, scalar, ValueRange{});
  };
  Value seen = extract(load("seen", counterType));
  Value budget = extract(load("budget", counterType));
  Value more =
      arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, seen, budget);
  Value nobody = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq,
                                       extract(stop), constant(0));
  return arith::AndIOp::create(*this, more, nobody);
}
