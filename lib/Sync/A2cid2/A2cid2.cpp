// Accelerated asynchronous gossip: the two strands of a member.
#include "A2cid2.h"

#include "A2cid2Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

a2cid2::Program::Mixed a2cid2::Program::mix(Value x, Value xt, Value last,
                                            Value dt, Value eta) {
  Value now = NowOp::create(b, b.getF64Type());
  auto call = func::CallOp::create(b, "mix", TypeRange{b.flatType, b.flatType},
                                   ValueRange{x, xt, last, now, dt, eta});
  return {call.getResult(0), call.getResult(1), now};
}

//===----------------------------------------------------------------------===//
// The computing strand
//===----------------------------------------------------------------------===//

/// Another number of members is another graph, with other constants.
void a2cid2::Program::renewConstants(Value members) {
  Value changed = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, members,
                                        b.load("members"));
  b.when(changed, [&] {
    Type f64 = b.getF64Type();
    ValueRange constants = b.ask("match", "constants", {}, {f64, f64});
    auto atomic =
        b.atomic({"eta", "eta_graph", "alpha", "members"},
                 [&](ValueRange) -> ProgramBuilder::AtomicResult {
                   return {{constants[0], constants[0], constants[1], members}};
                 });
    // The same constants once more change nothing.
    atomic.setRepeatable(true);
  });
}

Value a2cid2::Program::partsOfBudget(Value samples) {
  Value budget = arith::MaxSIOp::create(b, b.extract(b.load("budget")),
                                        b.constant(int64_t(1)));
  Value parts = arith::MulFOp::create(
      b, b.toReal(samples), b.constant(static_cast<double>(kPartsOfBudget)));
  parts = math::CeilOp::create(
      b, arith::DivFOp::create(b, parts, b.toReal(budget)));
  return arith::FPToSIOp::create(b, b.getI64Type(), parts);
}

/// The same displacement for both variables.
void a2cid2::Program::applyGradient(const ProgramBuilder::Gradient &gradient,
                                    Value members) {
  // The schedule runs as if all members had seen as much as this one.
  Value everybody = b.wrap(members);
  Value share = arith::MulIOp::create(b, gradient.samples, everybody);
  SmallVector<std::string> cells = b.modelCells();
  size_t count = cells.size();
  cells.append({"xt", "last", "dt", "eta", "gradients"});
  b.atomic(cells, [&](ValueRange old) -> ProgramBuilder::AtomicResult {
    ValueRange model = old.take_front(count), extra = old.drop_front(count);
    Mixed mixed = mix(model.front(), extra[0], extra[1], extra[2], extra[3]);
    Value seen = model.back();
    Value rate =
        b.learningRate(arith::MulIOp::create(b, seen, everybody), share);
    auto stepped =
        b.step(mixed.x, model.drop_front().drop_back(), gradient, rate);
    SmallVector<Value> next{
        arith::SubFOp::create(b, mixed.x, stepped.displacement)};
    llvm::append_range(next, stepped.state);
    next.push_back(arith::AddIOp::create(b, seen, gradient.samples));
    Value xt = arith::SubFOp::create(b, mixed.xt, stepped.displacement);
    Value gradients =
        arith::AddIOp::create(b, extra[4], b.constant(int64_t(1)));
    next.append({xt, mixed.now, extra[2], extra[3], gradients});
    return {next};
  });
}

Value a2cid2::Program::takeTurn(Value live) {
  Type i1 = b.getI1Type();
  auto meet = [&]() -> SmallVector<Value> {
    return {MeetOp::create(b, i1, "turn")};
  };
  return b
      .choose(
          live, i1,
          [&]() -> SmallVector<Value> {
            if (rate() >= 1)
              return meet();
            Value due = b.ask("quota", "computed", {}, i1).front();
            return b.choose(due, i1, meet, [&]() -> SmallVector<Value> {
              return {b.constant(true)};
            });
          },
          [&]() -> SmallVector<Value> { return {b.constant(false)}; })
      .front();
}

/// The first estimate knows no waiting, so with it time may run too fast.
/// However long the memory, it counts as one of the gradients so far and not
/// more.
Value a2cid2::Program::smoothed(Value dt, Value period, Value gradients) {
  constexpr double equal = 0.5; // of the first estimate and the first round
  double ema = options.real("ema");
  Value past = b.constant(ema), rest;
  if (ema > equal) {
    Value one = b.constant(1.0), count = b.toReal(gradients);
    Value share =
        arith::DivFOp::create(b, count, arith::AddFOp::create(b, count, one));
    past = arith::MinimumFOp::create(b, past, share);
    rest = arith::SubFOp::create(b, one, past);
  } else {
    rest = b.constant(1 - ema);
  }
  return arith::AddFOp::create(b, arith::MulFOp::create(b, past, dt),
                               arith::MulFOp::create(b, rest, period));
}

/// The time of a round, waiting included, and how much was averaged in it.
void a2cid2::Program::measure(Value start) {
  b.atomic({"dt", "eta", "eta_graph", "gradients", "averagings"},
           [&](ValueRange old) -> ProgramBuilder::AtomicResult {
             Value period = arith::SubFOp::create(
                 b, NowOp::create(b, b.getF64Type()), start);
             Value dt = smoothed(old[0], period, old[3]);
             Value eta = old[2];
             if (options.flag("scale-eta")) {
               // Both counts start at one, so the first ratio is one.
               Value one = b.constant(1.0);
               Value done = arith::DivFOp::create(
                   b, arith::AddFOp::create(b, b.toReal(old[4]), one),
                   arith::AddFOp::create(b, b.toReal(old[3]), one));
               Value share = arith::DivFOp::create(b, done, b.constant(rate()));
               eta = arith::MulFOp::create(
                   b, eta, arith::MinimumFOp::create(b, share, one));
             }
             return {{dt, eta, old[2], old[3], old[4]}};
           });
}

void a2cid2::Program::compute() {
  Type i64 = b.getI64Type();
  Value start = NowOp::create(b, b.getF64Type());
  Value members = ViewOp::create(b, i64, i64, "world").getMembers();
  renewConstants(members);
  // A copy: the other strand changes the cell meanwhile.
  Value w = b.load("w"), seen = b.load("seen");
  auto batch =
      NextBatchOp::create(b, TypeRange(b.batchTypes), BatchSource::Queue);
  auto gradient = b.addGradient(w, seen, b.noGradient(), batch.getResults());
  // Reported before it is applied: after this nothing in the round can fail.
  Value total = arith::AddIOp::create(b, seen, gradient.samples);
  Value stop = StopRequestedOp::create(b, b.counterType);
  Value live =
      b.ask("match", "report",
            {partsOfBudget(b.extract(total)), b.extract(stop)}, b.getI1Type())
          .front();
  applyGradient(gradient, members);
  Value go = takeTurn(live);
  measure(start);
  NextOp::create(b, go);
}

//===----------------------------------------------------------------------===//
// The averaging strand
//===----------------------------------------------------------------------===//

/// Mixes, sends a snapshot, and applies the difference of the two snapshots:
/// the mean over both members stays what it was, whatever the computing strand
/// does meanwhile.
void a2cid2::Program::averageWith(Value peer, Value tag) {
  auto before = b.atomic(
      {"w", "xt", "last", "dt", "eta"},
      [&](ValueRange old) -> ProgramBuilder::AtomicResult {
        Mixed mixed = mix(old[0], old[1], old[2], old[3], old[4]);
        return {{mixed.x, mixed.xt, mixed.now, old[3], old[4]}, {mixed.x}};
      },
      b.flatType);
  // Mixing twice is mixing once for the time of both.
  before.setRepeatable(true);
  Value sent = before.getResult(0);
  Value future =
      ExchangeOp::create(b, FutureType::get(b.getContext(), {Type(b.flatType)}),
                         ValueRange(sent), peer, tag, "gossip");
  Value received = b.await(future).front();
  b.atomic(
      {"w", "xt", "last", "dt", "eta", "alpha", "averagings"},
      [&](ValueRange old) -> ProgramBuilder::AtomicResult {
        Mixed mixed = mix(old[0], old[1], old[2], old[3], old[4]);
        Value m = arith::SubFOp::create(b, sent, received);
        Value half =
            arith::MulFOp::create(b, b.fill(b.constant(0.5), b.flatType), m);
        Value weighted =
            arith::MulFOp::create(b, b.fill(old[5], b.flatType), m);
        return {{arith::SubFOp::create(b, mixed.x, half),
                 arith::SubFOp::create(b, mixed.xt, weighted), mixed.now,
                 old[3], old[4], old[5],
                 arith::AddIOp::create(b, old[6], b.constant(int64_t(1)))}};
      });
}

void a2cid2::Program::gossip() {
  Type i64 = b.getI64Type(), i1 = b.getI1Type();
  ValueRange match = b.ask("match", "next", {}, {i64, i64, i1});
  Value peer = match[0], tag = match[1], go = match[2];
  auto yes = [&]() -> SmallVector<Value> { return {b.constant(true)}; };
  // Without a live neighbour there is a turn after every gradient.
  Value owed = b.choose(
                    go, i1,
                    [&]() -> SmallVector<Value> {
                      Value found =
                          arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                                peer, b.constant(int64_t(0)));
                      return b.choose(
                          found, i1,
                          [&]() -> SmallVector<Value> {
                            averageWith(peer, tag);
                            if (rate() < 1)
                              return yes();
                            return b.ask("quota", "averaged", {}, i1);
                          },
                          yes);
                    },
                    [&]() -> SmallVector<Value> { return {b.constant(false)}; })
                   .front();
  b.when(owed, [&] { MeetOp::create(b, i1, "turn"); });
  NextOp::create(b, go);
}

LogicalResult a2cid2::build(ProgramBuilder &b,
                            const AlgorithmOptions &options) {
  if (b.module.lookupSymbol("mix"))
    return b.emitOpError("needs the name @mix for its own function; the "
                         "module has a symbol of that name");
  Program program{b, options};
  program.declare();
  program.mixFunction();
  b.role("worker", "world", [&] {
    b.init([&](ValueRange) { program.start(); });
    b.strand([&](ValueRange) { program.compute(); }, {}, "compute");
    b.strand([&](ValueRange) { program.gossip(); }, {}, "gossip");
    b.drain([&](ValueRange) {
      Value mean = program.average();
      b.atomic({"w", "xt"}, [&](ValueRange) -> ProgramBuilder::AtomicResult {
        return {{mean, mean}};
      });
      YieldOp::create(b);
    });
    b.model([&](ValueRange) {
      Value mean = program.average();
      YieldOp::create(b, ValueRange(mean));
    });
  });
  return success();
}
