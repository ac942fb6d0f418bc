// Accelerated gossip: declarations, the start and the end of a run.
#include "A2cid2Graph.h"
#include "A2cid2Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

void a2cid2::Program::declare() {
  GroupOp::create(b, "world");
  ChannelOp::create(b, "start", "world", ChannelKind::Collective);
  ChannelOp::create(b, "gossip", "world", ChannelKind::Pair);
  ChannelOp::create(b, "average", "world", ChannelKind::Collective);
  RendezvousOp::create(b, "turn");
  Type i64 = b.getI64Type(), f64 = b.getF64Type(), i1 = b.getI1Type();
  auto named = [&](StringRef name, Attribute value) {
    return b.getNamedAttr(name, value);
  };
  NamedAttribute perGradient = named("rate", b.getF64FloatAttr(rate()));
  SmallVector<NamedAttribute> settings = graphSettings(options, b);
  settings.append(
      {named("repair", b.getStringAttr(options.choice("repair"))), perGradient,
       named("accelerate", b.getBoolAttr(options.flag("accelerate"))),
       named("goal", b.getI64IntegerAttr(kPartsOfBudget))});
  if (options.flag("repeats"))
    settings.push_back(named("repeats", b.getBoolAttr(true)));
  b.policy("match", "gossip.matcher", Placement::Central, settings,
           {{"constants", b.getFunctionType({}, {f64, f64})},
            {"report", b.getFunctionType({i64, i64}, {i1})},
            {"next", b.getFunctionType({}, {i64, i64, i1})}});
  // Only the strand that comes less often asks when it is due.
  StringRef due = rate() >= 1 ? "averaged" : "computed";
  b.policy("quota", "gossip.quota", Placement::Local,
           {perGradient, named("deterministic",
                               b.getBoolAttr(options.flag("deterministic")))},
           {{due, b.getFunctionType({}, {i1})}});
  b.addCells();
  b.addState("xt", b.flatType);
  // The time of the last mixing and of one gradient; the rate of mixing that
  // is used and that of the graph; the weight of an averaging in @xt.
  for (StringRef name : {"last", "dt", "eta", "eta_graph", "alpha"})
    b.addState(name, f64);
  for (StringRef name : {"gradients", "averagings", "members"})
    b.addState(name, i64);
}

void a2cid2::Program::mixFunction() {
  Type f64 = b.getF64Type();
  auto type = b.getFunctionType({b.flatType, b.flatType, f64, f64, f64, f64},
                                {b.flatType, b.flatType});
  auto function = func::FuncOp::create(b, "mix", type);
  function.setPrivate();
  // One name for one idea: dumps show the call.
  function.setNoInline(true);
  OpBuilder::InsertionGuard guard(b);
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  Value x = body->getArgument(0), xt = body->getArgument(1);
  Value last = body->getArgument(2), now = body->getArgument(3);
  Value dt = body->getArgument(4), eta = body->getArgument(5);
  // In units of one gradient. Before one was timed, no time passes.
  Value zero = b.constant(0.0);
  Value timed = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, dt, zero);
  Value elapsed =
      arith::DivFOp::create(b, arith::SubFOp::create(b, now, last), dt);
  elapsed = arith::SelectOp::create(b, timed, elapsed, zero);
  // c = -1/2 expm1(-2 eta elapsed), in [0, 1/2).
  Value exponent = arith::MulFOp::create(
      b, arith::MulFOp::create(b, b.constant(-2.0), eta), elapsed);
  Value c = arith::MulFOp::create(b, b.constant(-0.5),
                                  math::ExpM1Op::create(b, exponent));
  Value d = arith::MulFOp::create(b, b.fill(c, b.flatType),
                                  arith::SubFOp::create(b, xt, x));
  func::ReturnOp::create(b, ValueRange{arith::AddFOp::create(b, x, d),
                                       arith::SubFOp::create(b, xt, d)});
}

void a2cid2::Program::start() {
  Type f64 = b.getF64Type(), i64 = b.getI64Type();
  Value stored = b.load("w");
  Value future = BroadcastOp::create(
      b, FutureType::get(b.getContext(), {Type(b.flatType)}),
      b.constant(int64_t(0)), "start", ValueRange(stored));
  Value x = b.await(future).front();
  Value seen = b.load("seen");
  Value members = ViewOp::create(b, i64, i64, "world").getMembers();
  ValueRange constants = b.ask("match", "constants", {}, {f64, f64});
  // Gradients of a batch that is not consumed, applied nowhere; the last one
  // is timed. They are carried, so nobody may think them superfluous.
  Value count = b.constant(options.integer("warmup-gradients") + 1);
  using Gradient = ProgramBuilder::Gradient;
  SmallVector<Value> none = b.noGradient().values();
  none.push_back(b.constant(0.0));
  ValueRange timed =
      b.repeat(Value(), count, count, none,
               [&](Value, ValueRange carried) -> SmallVector<Value> {
                 Value begin = NowOp::create(b, f64);
                 auto batch = NextBatchOp::create(b, TypeRange(b.batchTypes),
                                                  BatchSource::Peek);
                 auto acc = Gradient::of(carried.drop_back());
                 SmallVector<Value> next =
                     b.addGradient(x, seen, acc, batch.getResults()).values();
                 next.push_back(begin);
                 return next;
               });
  Value began = timed[none.size() - 1];
  b.atomic({"w", "xt", "last", "dt", "eta", "eta_graph", "alpha", "members"},
           [&](ValueRange) -> ProgramBuilder::AtomicResult {
             Value now = NowOp::create(b, f64);
             Value dt = arith::SubFOp::create(b, now, began);
             return {{x, x, now, dt, constants[0], constants[0], constants[1],
                      members}};
           });
  YieldOp::create(b);
}

Value a2cid2::Program::average() {
  Value one = b.wrap(b.constant(int64_t(1)));
  ValueRange sums = b.await(b.allReduce("average", {b.load("w"), one}));
  Value contributors = b.fill(b.extract(sums[1]), b.flatType);
  return arith::DivFOp::create(b, sums[0], contributors);
}
