// A server that takes one optimizer step per gradient: the program.
#include "GradientServer.h"

#include "rubato/Sync/ServerProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {
/// Writes the two roles.
struct Program {
  ProgramBuilder &b;
  const AlgorithmOptions &options;
  ServerProgram server;

  void declare();
  void workerRole();
  Value job(const ServerProgram::Model &model);
  void serverRole();
  void round();

private:
  bool corrects() const { return options.real("lambda") != 0; }
  bool isAdaptive() const { return corrects() && options.flag("adaptive"); }
  Value fill(double value) { return b.fill(b.constant(value), b.flatType); }
  Value strength(Value gradient);
  AtomicOp update(ValueRange upload);
  void grant(ValueRange model, Value to);
};
} // namespace

void Program::declare() {
  std::optional<int64_t> ahead;
  if (int64_t slack = options.integer("slack"); slack >= 0)
    ahead = slack;
  server.declare(/*exempt=*/std::nullopt, ahead);
  b.addCells();
  if (isAdaptive())
    b.addState("mean_square", b.flatType);
}

//===----------------------------------------------------------------------===//
// The worker
//===----------------------------------------------------------------------===//

Value Program::job(const ServerProgram::Model &model) {
  auto [w, seen, ticket, go] = model;
  auto view = ViewOp::create(b, b.getI64Type(), b.getI64Type(), "all");
  Value batches = arith::SelectOp::create(
      b, go, b.constant(options.integer("batches")), b.constant(int64_t(0)));
  // The version that a model has is the ledger's; the keys name a job by its
  // worker and its ticket, because every worker counts its own tickets.
  ValueRange sums = b.repeat(
      Value(), batches, batches, b.noGradient().values(),
      [&](Value index, ValueRange carried) -> SmallVector<Value> {
        auto batch =
            NextBatchOp::create(b, TypeRange(b.batchTypes), BatchSource::Keyed,
                                ValueRange{view.getRank(), ticket, index});
        auto acc = ProgramBuilder::Gradient::of(carried);
        Value step = arith::AddIOp::create(b, seen, acc.samples);
        return b.addGradient(w, step, acc, batch.getResults()).values();
      });
  auto gradient = ProgramBuilder::Gradient::of(sums);
  b.when(go, [&] {
    SmallVector<Value> upload{gradient.sum};
    // The server keeps no model of any worker: the correction is exact, whoever
    // computed on what.
    if (corrects())
      upload.push_back(w);
    // A request to stop rides along; the server sees the sum.
    upload.append({gradient.samples, gradient.divisor,
                   StopRequestedOp::create(b, b.counterType)});
    PushOp::create(b, "ps", upload, ticket);
  });
  return server.pullAfter(model);
}

void Program::workerRole() {
  server.workers([&](const ServerProgram::Model &model) { return job(model); });
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

/// Hands a model to whom `to` names, to all where it names nobody. No upload is
/// ever too old.
void Program::grant(ValueRange model, Value to) {
  Value unlimited = b.constant(std::numeric_limits<int64_t>::max());
  GrantOp::create(b, "ps", model, to, unlimited);
}

/// What the correction is multiplied by, with the mean square of the gradients
/// up to this one.
Value Program::strength(Value gradient) {
  Value lambda = fill(options.real("lambda"));
  if (!isAdaptive())
    return lambda;
  double decay = options.real("decay");
  auto atomic = b.atomic(
      {"mean_square"},
      [&](ValueRange old) -> ProgramBuilder::AtomicResult {
        Value kept = arith::MulFOp::create(b, fill(decay), old[0]);
        Value square = arith::MulFOp::create(b, gradient, gradient);
        Value added = arith::MulFOp::create(b, fill(1 - decay), square);
        Value mean = arith::AddFOp::create(b, kept, added);
        return {{mean}, {mean}};
      },
      b.flatType);
  Value more = arith::AddFOp::create(b, atomic.getResult(0),
                                     fill(options.real("epsilon")));
  Value root = math::SqrtOp::create(b, more);
  return arith::DivFOp::create(b, lambda, root);
}

/// One step of the optimizer. The results are the new model and the samples
/// seen.
AtomicOp Program::update(ValueRange upload) {
  ValueRange counts = upload.take_back(3);
  ProgramBuilder::Gradient gradient{upload.front(), counts[0], counts[1],
                                    /*loss=*/Value()};
  if (!corrects())
    return b.update(gradient, {}, {}, {}, /*withResults=*/true);
  Value divisor = b.fill(b.extract(b.divisorOf(gradient.divisor)), b.flatType);
  Value mean = arith::DivFOp::create(b, gradient.sum, divisor);
  Value factor = strength(mean);
  auto corrected = [&](Value w) -> Value {
    Value way = arith::SubFOp::create(b, w, upload[1]);
    Value square = arith::MulFOp::create(b, mean, mean);
    Value change = arith::MulFOp::create(b, square, way);
    Value correction = arith::MulFOp::create(b, factor, change);
    // It belongs to the mean, and the step divides by the divisor.
    Value whole = arith::MulFOp::create(b, divisor, correction);
    return arith::AddFOp::create(b, gradient.sum, whole);
  };
  return b.update(gradient, {}, {}, corrected, /*withResults=*/true);
}

void Program::round() {
  SmallVector<Type> types{b.flatType};
  if (corrects())
    types.push_back(b.flatType);
  types.append(3, b.counterType); // samples, divisor, requests to stop
  auto collect =
      CollectOp::create(b, types, MembersType::get(b.getContext()), "ps",
                        b.constant(int64_t(1)), /*byStaleness=*/false);
  AtomicOp model = update(collect.getValues());
  Value requests = arith::AddIOp::create(
      b, collect.getValues().back(), StopRequestedOp::create(b, b.counterType));
  Value go = b.withinBudget(requests);
  b.when(go, [&] { grant(model.getResults(), collect.getWho()); });
  NextOp::create(b, go);
}

void Program::serverRole() {
  b.role(
      "server", "all",
      [&] {
        b.init([&](ValueRange) {
          grant({b.load("w"), b.load("seen")}, Value());
          YieldOp::create(b);
        });
        b.strand([&](ValueRange) { round(); });
        b.drain([&](ValueRange) {
          CloseOp::create(b, "ps");
          YieldOp::create(b);
        });
        b.modelOfCell();
      },
      /*onHost=*/true);
}

LogicalResult gradient_server::build(ProgramBuilder &b,
                                     const AlgorithmOptions &options) {
  if (options.real("lambda") != 0 && b.hasStatistics())
    return b.emitOpError("lambda corrects gradients, and the model has "
                         "statistics, which have none; use lambda=0");
  Program program{b, options, ServerProgram(b)};
  program.declare();
  program.workerRole();
  program.serverRole();
  return success();
}
