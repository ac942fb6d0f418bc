// ABS-SGD: every member computes while the last gradients are being summed.
#include "AbsSgd.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {
struct Settings {
  int64_t least = 1, reference = 0;
  bool fixed = false, barrier = false, linear = true, flush = true;
  double low = 0.25, high = 4, lambda = 0;
};

/// Writes the program; what its parts share.
class Writer {
public:
  Writer(ProgramBuilder &b, const Settings &settings)
      : b(b), settings(settings) {
    carried.push_back(FutureType::get(b.getContext(), b.gradientSums()));
    // The compensation needs the parameters that the gradients are of.
    if (settings.lambda != 0)
      carried.push_back(b.flatType);
  }

  void writeRole();

private:
  using Gradient = ProgramBuilder::Gradient;

  Gradient compute(Value w, Value step, Value until, Value atLeast,
                   Value atMost, Gradient acc);
  Gradient computeBatch(Value w, Value previous);
  void writeRound(ValueRange arguments);
  void apply(ValueRange sums, Value w, ValueRange evaluatedAt);
  Value compensate(const Gradient &gradient, Value w, Value evaluatedAt);
  Value factorOf(Value samples);

  ProgramBuilder &b;
  const Settings &settings;
  SmallVector<Type> carried;
};
} // namespace

/// Adds the gradients of micro-batches at `w` to `acc`.
ProgramBuilder::Gradient Writer::compute(Value w, Value step, Value until,
                                         Value atLeast, Value atMost,
                                         Gradient acc) {
  ValueRange sums = b.repeat(
      until, atLeast, atMost, acc.values(),
      [&](Value, ValueRange acc) -> SmallVector<Value> {
        // The reduction that a batch goes into acknowledges it.
        auto grads = FlatSymbolRefAttr::get(b.getContext(), "grads");
        auto batch = NextBatchOp::create(b, b.batchTypes, BatchSource::Queue,
                                         grads, ValueRange());
        return b.addGradient(w, step, Gradient::of(acc), batch.getResults())
            .values();
      });
  return Gradient::of(sums);
}

/// The batch of one round. Its size is a local fact, on which nothing depends
/// but the sums themselves.
ProgramBuilder::Gradient Writer::computeBatch(Value w, Value previous) {
  Value step = b.load("seen"), least = b.constant(settings.least);
  if (settings.fixed)
    return compute(w, step, Value(), least, least, b.noGradient());
  Gradient batch = compute(w, step, previous, least, Value(), b.noGradient());
  if (!settings.barrier)
    return batch;
  // A barrier that does not block: a sum that arrives when all have got here.
  Value here = b.allReduce("ready", b.wrap(b.constant(int64_t(1))));
  batch = compute(w, step, here, b.constant(int64_t(0)), Value(), batch);
  b.await(here);
  return batch;
}

/// What the linear rule multiplies the learning rate of a batch with.
Value Writer::factorOf(Value samples) {
  Value reference;
  if (settings.reference > 0) {
    reference = b.constant(settings.reference);
  } else {
    auto view = ViewOp::create(b, b.getI64Type(), b.getI64Type(), "world");
    Value quantum = b.constant(b.quantum);
    reference = arith::MulIOp::create(b, quantum, view.getMembers());
  }
  Value top = b.toReal(samples), bottom = b.toReal(reference);
  Value factor = arith::DivFOp::create(b, top, bottom);
  factor = arith::MaximumFOp::create(b, factor, b.constant(settings.low));
  return arith::MinimumFOp::create(b, factor, b.constant(settings.high));
}

/// sum + λ/N · sum ⊙ sum ⊙ (w − w'): N times the compensated mean, because
/// @step divides by N, the divisor.
Value Writer::compensate(const Gradient &gradient, Value w, Value evaluatedAt) {
  Value sum = gradient.sum, lambda = b.constant(settings.lambda);
  Value divisor = b.toReal(b.extract(b.divisorOf(gradient.divisor)));
  Value scale = b.fill(arith::DivFOp::create(b, lambda, divisor), b.flatType);
  Value moved = arith::SubFOp::create(b, w, evaluatedAt);
  Value square = arith::MulFOp::create(b, sum, sum);
  Value scaled = arith::MulFOp::create(b, scale, square);
  Value change = arith::MulFOp::create(b, scaled, moved);
  return arith::AddFOp::create(b, sum, change);
}

/// Updates the model by a finished reduction, unless it is the empty one that
/// the first round starts with.
void Writer::apply(ValueRange sums, Value w, ValueRange evaluatedAt) {
  Gradient gradient = Gradient::of(sums);
  Value samples = b.extract(gradient.samples);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, samples,
                                    b.constant(int64_t(0)));
  b.when(any, [&] {
    if (!evaluatedAt.empty())
      gradient.sum = compensate(gradient, w, evaluatedAt.front());
    if (!settings.linear) {
      b.update(gradient);
      return;
    }
    Value factor = b.fill(factorOf(samples), b.rateType);
    b.update(gradient, [&](Value rate) -> Value {
      return arith::MulFOp::create(b, rate, factor);
    });
  });
}

void Writer::writeRound(ValueRange arguments) {
  Value previous = arguments.front(), w = b.load("w");
  Gradient batch = computeBatch(w, previous);
  // Posted before the update, so that it starts as early as it can.
  Value next = b.sumGradients("grads", batch);
  ValueRange sums = b.await(previous);
  apply(sums, w, arguments.drop_front());
  SmallVector<Value> onwards{next};
  if (settings.lambda != 0)
    onwards.push_back(w);
  NextOp::create(b, b.withinBudget(sums.back()), onwards);
}

void Writer::writeRole() {
  b.role("worker", "world", [&] {
    b.init([&](ValueRange) {
      SmallVector<Value> first{ReadyOp::create(b, carried.front())};
      if (settings.lambda != 0)
        first.push_back(b.load("w"));
      YieldOp::create(b, ValueRange(first));
    });
    b.strand([&](ValueRange arguments) { writeRound(arguments); }, carried);
    b.drain(
        [&](ValueRange arguments) {
          ValueRange sums = b.await(arguments.front());
          if (settings.flush) {
            Value w = settings.lambda != 0 ? b.load("w") : Value();
            apply(sums, w, arguments.drop_front());
          }
          YieldOp::create(b);
        },
        carried);
    b.modelOfCell();
  });
}

LogicalResult abs_sgd::build(ProgramBuilder &b,
                             const AlgorithmOptions &options) {
  Settings settings{.least = options.integer("m-min"),
                    .reference = options.integer("b-ref"),
                    .fixed = options.flag("fixed"),
                    .barrier = options.choice("protocol") == "p1",
                    .linear = options.choice("rule") == "linear",
                    .flush = options.flag("flush"),
                    .low = options.real("clip-low"),
                    .high = options.real("clip-high"),
                    .lambda = options.real("dc-lambda")};
  if (settings.low > settings.high)
    return b.emitOpError("clip-low must not exceed clip-high, got ")
           << settings.low << " and " << settings.high;
  if (settings.fixed && settings.barrier)
    return b.emitOpError("protocol=p1 lets a member compute until all are "
                         "ready, which fixed=true forbids; use protocol=p0");
  if (settings.lambda != 0 && b.hasStatistics())
    return b.emitOpError("dc-lambda compensates gradients, and the model has "
                         "statistics, which have none; use dc-lambda=0");
  GroupOp::create(b, "world");
  ChannelOp::create(b, "grads", "world", ChannelKind::Collective);
  if (settings.barrier)
    ChannelOp::create(b, "ready", "world", ChannelKind::Collective);
  b.addCells();
  Writer(b, settings).writeRole();
  return success();
}
