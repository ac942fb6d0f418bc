// Adaptive model averaging on unequal devices: the program.
#include "AdaptiveSgd.h"

#include "AdaptiveSgdSettings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {
using adaptive_sgd::Settings;

/// A replica on its way through a mega-batch.
struct Replica {
  Value y, updates, samples, loss;
};

/// Writes the role.
struct Program {
  ProgramBuilder &b;
  const Settings &settings;

  void declare();
  void normFunction();
  void round();

private:
  SmallVector<Value> claim(Value updates, Value dealt);
  SmallVector<Value> update(ValueRange carried);
  Replica megaBatch(Value w);
  void merge(Value move, Value samples, Value sum);
};
} // namespace

void Program::declare() {
  GroupOp::create(b, "world");
  ChannelOp::create(b, "merge", "world", ChannelKind::Collective);
  Type i64 = b.getI64Type(), f64 = b.getF64Type();
  b.policy("dispatch", "adaptive.dispatch", Placement::Central,
           settings.dispatch.getValue(),
           {{"claim", b.getFunctionType({i64}, {i64, i64, i64, b.getI1Type()})},
            {"weight", b.getFunctionType({i64, f64}, {f64, f64})}});
  b.addCells();
  if (settings.gamma != 0)
    b.addState("wprev", b.flatType);
}

/// @norm(x): the Euclidean norm, summed in f64.
void Program::normFunction() {
  Type f64 = b.getF64Type();
  auto function =
      func::FuncOp::create(b, "norm", b.getFunctionType(b.flatType, f64));
  function.setPrivate();
  function.setNoInline(true);
  OpBuilder::InsertionGuard guard(b);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto scalar = RankedTensorType::get({}, f64);
  SmallVector<AffineMap> maps{
      AffineMap::getMultiDimIdentityMap(1, b.getContext()),
      AffineMap::get(1, 0, b.getContext())};
  auto sum = linalg::GenericOp::create(
      b, TypeRange(scalar), ValueRange(body->getArgument(0)),
      ValueRange(b.zero(scalar)), maps, utils::IteratorType::reduction,
      [&](OpBuilder &, Location, ValueRange each) {
        Value x = b.toReal(each[0]);
        Value square = arith::MulFOp::create(b, x, x);
        Value next = arith::AddFOp::create(b, each[1], square);
        linalg::YieldOp::create(b, next);
      });
  Value root = math::SqrtOp::create(b, b.extract(sum.getResult(0)));
  func::ReturnOp::create(b, root);
}

//===----------------------------------------------------------------------===//
// A mega-batch
//===----------------------------------------------------------------------===//

/// The next rows: begin, end, samples dealt before, more. Nobody asks once the
/// budget is dealt, as far as the last answer told, or after its last step.
SmallVector<Value> Program::claim(Value updates, Value dealt) {
  Type i64 = b.getI64Type();
  SmallVector<Type> types{i64, i64, i64, b.getI1Type()};
  Value left = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, dealt,
                                     b.extract(b.load("budget")));
  if (settings.localSteps > 0) {
    Value early = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, updates,
                                        b.constant(settings.localSteps));
    left = arith::AndIOp::create(b, left, early);
  }
  return b.choose(
      left, types,
      [&]() -> SmallVector<Value> {
        return b.ask("dispatch", "claim", updates, types);
      },
      [&]() -> SmallVector<Value> {
        Value none = b.constant(int64_t(0));
        return {none, none, none, b.constant(false)};
      });
}

/// One update on the rows of a claim, micro-batch by micro-batch.
SmallVector<Value> Program::update(ValueRange carried) {
  Value y = carried[0], updates = carried[1];
  Value begin = carried[5], end = carried[6], clock = carried[7];
  Value rows = b.constant(settings.rows);
  Value length = arith::SubIOp::create(b, end, begin);
  Value count = arith::CeilDivSIOp::create(b, length, rows);
  using Gradient = ProgramBuilder::Gradient;
  auto sums = Gradient::of(b.repeat(
      Value(), count, count, b.noGradient().values(),
      [&](Value index, ValueRange acc) -> SmallVector<Value> {
        Value from = arith::AddIOp::create(
            b, begin, arith::MulIOp::create(b, index, rows));
        Value to = arith::MinSIOp::create(
            b, arith::AddIOp::create(b, from, rows), end);
        auto batch =
            NextBatchOp::create(b, TypeRange(b.batchTypes), BatchSource::Range,
                                ValueRange{from, to});
        return b
            .addGradient(y, b.wrap(from), Gradient::of(acc), batch.getResults())
            .values();
      }));
  // Rate over batch is the same on all devices.
  Value rate = b.learningRate(b.wrap(clock), sums.samples);
  Value batches = arith::DivFOp::create(
      b, arith::SIToFPOp::create(b, b.rateType, sums.samples),
      b.fill(b.constant(settings.reference), b.rateType));
  rate = arith::MulFOp::create(b, rate, batches);
  Value moved = b.step(y, {}, sums, rate).displacement;
  return {arith::SubFOp::create(b, y, moved),
          arith::AddIOp::create(b, updates, b.constant(int64_t(1))),
          arith::AddIOp::create(b, carried[2], sums.samples),
          arith::AddFOp::create(b, carried[3], sums.loss),
          arith::AddIOp::create(b, clock, length)};
}

Replica Program::megaBatch(Value w) {
  Type i64 = b.getI64Type();
  // Carried: the replica, then the samples that are known to be dealt.
  SmallVector<Value> inits{w, b.constant(int64_t(0)), b.zero(b.counterType),
                           b.zero(b.lossType), b.extract(b.load("seen"))};
  SmallVector<Type> types{b.flatType, i64, b.counterType, b.lossType,
                          i64,        i64, i64,           i64};
  auto loop = scf::WhileOp::create(
      b, types, inits,
      [&](OpBuilder &, Location, ValueRange carried) {
        SmallVector<Value> claimed = claim(carried[1], carried[4]);
        SmallVector<Value> handed(carried);
        handed.append(claimed.begin(), claimed.end() - 1);
        scf::ConditionOp::create(b, claimed.back(), handed);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        scf::YieldOp::create(b, update(carried));
      });
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2),
          loop.getResult(3)};
}

//===----------------------------------------------------------------------===//
// The merge
//===----------------------------------------------------------------------===//

/// w - move, and what scaling and momentum add. Displacements are subtracted:
/// where nobody moved, w - (+0) is w to the last bit, even for -0.
void Program::merge(Value move, Value samples, Value sum) {
  SmallVector<std::string> cells{"w", "seen"};
  if (settings.gamma != 0)
    cells.push_back("wprev");
  b.atomic(cells, [&](ValueRange old) -> ProgramBuilder::AtomicResult {
    Value w = old[0];
    Value next = arith::SubFOp::create(b, w, move);
    if (settings.scaled) {
      Value excess = arith::SubFOp::create(b, sum, b.constant(1.0));
      next = arith::AddFOp::create(
          b, next, arith::MulFOp::create(b, b.fill(excess, b.flatType), w));
    }
    if (settings.gamma != 0) {
      Value last = arith::SubFOp::create(b, w, old[2]);
      next = arith::AddFOp::create(
          b, next,
          arith::MulFOp::create(
              b, b.fill(b.constant(settings.gamma), b.flatType), last));
    }
    SmallVector<Value> changed{next, arith::AddIOp::create(b, old[1], samples)};
    if (settings.gamma != 0)
      changed.push_back(w);
    return {changed};
  });
}

void Program::round() {
  Type f64 = b.getF64Type();
  Value w = b.load("w");
  Replica replica = megaBatch(w);
  Value norm =
      settings.needsNorm
          ? func::CallOp::create(b, "norm", f64, replica.y).getResult(0)
          : b.constant(0.0);
  ValueRange weight =
      b.ask("dispatch", "weight", {replica.updates, norm}, {f64, f64});
  Value alpha = weight[0], sum = weight[1];
  Value moved = arith::MulFOp::create(b, b.fill(alpha, b.flatType),
                                      arith::SubFOp::create(b, w, replica.y));
  Value stop = StopRequestedOp::create(b, b.counterType);
  ValueRange sums = b.await(b.allReduce(
      "merge", {moved, b.wrap(alpha), replica.samples, replica.loss, stop}));
  // The weights of those who are left, so that a death scales nothing.
  Value present = b.extract(sums[1]);
  Value any = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, present,
                                    b.constant(0.0));
  Value one = b.constant(1.0);
  Value factor =
      arith::DivFOp::create(b, settings.scaled ? sum : one,
                            arith::SelectOp::create(b, any, present, one));
  Value move = arith::MulFOp::create(b, b.fill(factor, b.flatType), sums[0]);
  // Nothing was dealt to anybody: the rows are used up.
  Value dealt = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sgt, b.extract(sums[2]), b.constant(int64_t(0)));
  b.when(dealt, [&] { merge(move, sums[2], sum); });
  Value go = arith::AndIOp::create(b, b.withinBudget(sums[4]), dealt);
  NextOp::create(b, go);
}

LogicalResult adaptive_sgd::build(ProgramBuilder &b,
                                  const AlgorithmOptions &options) {
  if (!b.stateTypes.empty())
    return b.emitOpError(
        "cannot keep the state of an optimizer: replicas start afresh at every "
        "merge; use plain SGD without --momentum, and give the merged model a "
        "momentum by --algorithm-option gamma=0.9");
  auto settings = Settings::get(options, b);
  if (failed(settings))
    return failure();
  if (settings->needsNorm && b.module.lookupSymbol("norm"))
    return b.emitOpError("needs the name @norm for its own function; the "
                         "module has a symbol of that name");
  Program program{b, *settings};
  program.declare();
  if (settings->needsNorm)
    program.normFunction();
  b.role("worker", "world", [&] {
    if (settings->gamma != 0)
      b.init([&](ValueRange) {
        Value w = b.load("w");
        b.atomic({"wprev"}, [&](ValueRange) -> ProgramBuilder::AtomicResult {
          return {{w}};
        });
        YieldOp::create(b);
      });
    b.strand([&](ValueRange) { program.round(); });
    b.modelOfCell();
  });
  return success();
}
