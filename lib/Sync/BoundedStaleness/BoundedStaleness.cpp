// Bounded staleness with a parameter server: the program.
#include "BoundedStaleness.h"

#include "rubato/Sync/ServerProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  SmallVector<Value> localStep(Value seen, Value ticket, Value rank,
                               Value index, ValueRange carried);
  Value job(const ServerProgram::Model &model);
  void serverRole();
  void round(Value count);

private:
  bool isExact() const { return options.choice("loss") == "exact"; }
  DictionaryAttr ruleSettings();
  Value isOver(Value seen, Value requests);
};
} // namespace

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

DictionaryAttr Program::ruleSettings() {
  NamedAttrList settings;
  auto automatic = [&](StringRef name, bool given, Attribute value) {
    settings.set(name, given ? value : b.getStringAttr("auto"));
  };
  int64_t k0 = options.integer("k0"), bound = options.integer("bound");
  automatic("k0", k0 != 0, b.getI64IntegerAttr(k0));
  if (options.flag("bounded"))
    automatic("bound", bound >= 0, b.getI64IntegerAttr(bound));
  else
    settings.set("bound", b.getStringAttr("unlimited"));
  settings.set("bound-floor",
               b.getI64IntegerAttr(options.integer("bound-floor")));
  for (StringRef name : {"adapt", "cap-growth", "guard"})
    settings.set(name, b.getBoolAttr(options.flag(name)));
  for (StringRef name : {"alpha", "guard-ratio", "smoothing", "loss-floor"})
    settings.set(name, b.getF64FloatAttr(options.real(name)));
  for (StringRef name : {"initial-loss", "target-loss"})
    automatic(name, options.real(name) != 0,
              b.getF64FloatAttr(options.real(name)));
  return settings.getDictionary(b.getContext());
}

void Program::declare() {
  std::optional<int64_t> exempt;
  if (int64_t restarts = options.integer("exempt"))
    exempt = restarts;
  server.declare(exempt, /*ahead=*/std::nullopt);
  Type i64 = b.getI64Type(), f64 = b.getF64Type(), i1 = b.getI1Type();
  std::pair<StringRef, FunctionType> start{
      "start", b.getFunctionType({i64}, {i64, i64})};
  if (isExact())
    start = {"start_at", b.getFunctionType({i64, f64}, {i64, i64})};
  b.policy("rule", "staleness.rule", Placement::Local,
           ruleSettings().getValue(),
           {start,
            {"round",
             b.getFunctionType({f64, i64, i64, i64, i64}, {i64, i64, i1})}});
  b.addCells(/*keepState=*/false);
  if (options.real("server-momentum") != 0)
    b.addState("velocity", b.flatType);
}

//===----------------------------------------------------------------------===//
// The worker
//===----------------------------------------------------------------------===//

/// One local step. Carried: the replica, the job's samples, the mean loss of
/// its first batch, and the optimizer's state.
SmallVector<Value> Program::localStep(Value seen, Value ticket, Value rank,
                                      Value index, ValueRange carried) {
  Value y = carried[0], samples = carried[1], first = carried[2];
  // The version that a model has is the ledger's; the keys name a job by its
  // worker and its ticket, because every worker counts its own tickets.
  auto batch =
      options.choice("data") == "leased"
          ? NextBatchOp::create(b, TypeRange(b.batchTypes), BatchSource::Queue,
                                ticket)
          : NextBatchOp::create(b, TypeRange(b.batchTypes), BatchSource::Keyed,
                                ValueRange{rank, ticket, index});
  Value step = arith::AddIOp::create(b, seen, samples);
  auto gradient = b.addGradient(y, step, b.noGradient(), batch.getResults());
  Value rate = b.learningRate(seen, gradient.samples);
  auto stepped = b.step(y, carried.drop_front(3), gradient, rate);
  Value mean = arith::DivFOp::create(
      b, gradient.loss,
      arith::SIToFPOp::create(b, b.lossType, b.divisorOf(gradient.divisor)));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index,
                                        b.constant(int64_t(0)));
  SmallVector<Value> next{arith::SubFOp::create(b, y, stepped.displacement),
                          arith::AddIOp::create(b, samples, gradient.samples),
                          arith::SelectOp::create(b, isFirst, mean, first)};
  llvm::append_range(next, stepped.state);
  return next;
}

Value Program::job(const ServerProgram::Model &model) {
  auto [base, seen, ticket, go] = model;
  auto view = ViewOp::create(b, b.getI64Type(), b.getI64Type(), "all");
  // Done as soon as the server grants a newer model: this job is void then.
  Value fresh = server.pullAfter(model);
  Value steps = b.constant(options.integer("steps"));
  Value atMost = arith::SelectOp::create(b, go, steps, b.constant(int64_t(0)));
  SmallVector<Value> inits{base, b.zero(b.counterType), b.zero(b.lossType)};
  // The optimizer starts afresh with every model.
  for (Type type : b.stateTypes)
    inits.push_back(b.zero(type));
  ValueRange result =
      b.repeat(fresh, b.constant(int64_t(0)), atMost, inits,
               [&](Value index, ValueRange carried) {
                 return localStep(seen, ticket, view.getRank(), index, carried);
               });
  Value whole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, result.back(), steps);
  b.when(arith::AndIOp::create(b, go, whole), [&] {
    Value change = arith::SubFOp::create(b, result[0], base);
    // A request to stop rides along; the server sees the sum.
    Value stop = StopRequestedOp::create(b, b.counterType);
    PushOp::create(b, "ps", ValueRange{change, result[2], result[1], stop},
                   ticket);
  });
  return fresh;
}

void Program::workerRole() {
  server.workers([&](const ServerProgram::Model &model) { return job(model); });
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

/// 1 where the budget is used up, else the number of requests to stop.
Value Program::isOver(Value seen, Value requests) {
  Value used = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, seen,
                                     b.extract(b.load("budget")));
  return arith::SelectOp::create(b, used, b.constant(int64_t(1)), requests);
}

void Program::round(Value count) {
  SmallVector<Type> sums{b.flatType, b.lossType, b.counterType, b.counterType};
  auto collect = CollectOp::create(b, sums, MembersType::get(b.getContext()),
                                   "ps", count, options.flag("by-staleness"));
  Value size = SizeOp::create(b, b.getI64Type(), collect.getWho());
  ValueRange sum = collect.getValues();
  double momentum = options.real("server-momentum");
  SmallVector<std::string> cells{"w", "seen"};
  if (momentum != 0)
    cells.push_back("velocity");
  auto atomic =
      b.atomic(cells,
               [&](ValueRange old) -> ProgramBuilder::AtomicResult {
                 Value move =
                     arith::DivFOp::create(b, sum[0], b.fill(size, b.flatType));
                 if (momentum != 0) {
                   Value kept = arith::MulFOp::create(
                       b, b.fill(b.constant(momentum), b.flatType), old[2]);
                   move = arith::AddFOp::create(b, kept, move);
                 }
                 Value w = arith::AddFOp::create(b, old[0], move);
                 Value seen = arith::AddIOp::create(b, old[1], sum[2]);
                 SmallVector<Value> changed{w, seen};
                 if (momentum != 0)
                   changed.push_back(move);
                 return {changed, {w, seen}};
               },
               {b.flatType, b.counterType});
  Value seen = b.extract(atomic.getResult(1));
  Value loss =
      isExact() ? b.meanLoss(atomic.getResult(0))
                : arith::DivFOp::create(b, b.extract(sum[1]), b.toReal(size));
  Value alive = WorkersOp::create(b, b.getI64Type(), "ps");
  Value requests = arith::AddIOp::create(
      b, b.extract(sum[3]),
      b.extract(StopRequestedOp::create(b, b.counterType)));
  Type i64 = b.getI64Type();
  ValueRange answer =
      b.ask("rule", "round", {loss, size, alive, seen, isOver(seen, requests)},
            {i64, i64, b.getI1Type()});
  b.when(answer[2], [&] {
    GrantOp::create(b, "ps", atomic.getResults(), collect.getWho(), answer[1]);
  });
  NextOp::create(b, answer[2], answer[0]);
}

void Program::serverRole() {
  Type i64 = b.getI64Type();
  b.role(
      "server", "all",
      [&] {
        b.init([&](ValueRange) {
          // None, where all have died already: the first collect finds that.
          Value alive = arith::MaxSIOp::create(
              b, WorkersOp::create(b, i64, "ps"), b.constant(int64_t(1)));
          Value w = b.load("w");
          ValueRange start = isExact()
                                 ? b.ask("rule", "start_at",
                                         {alive, b.meanLoss(w)}, {i64, i64})
                                 : b.ask("rule", "start", alive, {i64, i64});
          GrantOp::create(b, "ps", ValueRange{w, b.load("seen")}, Value(),
                          start[1]);
          YieldOp::create(b, ValueRange(start[0]));
        });
        b.strand([&](ValueRange carried) { round(carried[0]); }, i64);
        b.drain(
            [&](ValueRange) {
              CloseOp::create(b, "ps");
              YieldOp::create(b);
            },
            i64);
        b.modelOfCell();
      },
      /*onHost=*/true);
}

LogicalResult bounded_staleness::build(ProgramBuilder &b,
                                       const AlgorithmOptions &options) {
  Program program{b, options, ServerProgram(b)};
  program.declare();
  program.workerRole();
  program.serverRole();
  return success();
}
