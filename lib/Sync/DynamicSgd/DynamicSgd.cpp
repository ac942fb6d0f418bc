// Dynamic SGD: synchronous SGD of an elastic group.
#include "DynamicSgd.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

static void declareRamp(ProgramBuilder &b, const AlgorithmOptions &options) {
  auto integer = [&](StringRef name) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(options.integer(name)));
  };
  auto real = [&](StringRef name) {
    return b.getNamedAttr(name, b.getF64FloatAttr(options.real(name)));
  };
  auto choice = [&](StringRef name) {
    return b.getNamedAttr(name, b.getStringAttr(options.choice(name)));
  };
  SmallVector<NamedAttribute> settings{choice("rule"), integer("base-members"),
                                       real("per-ratio"), integer("length"),
                                       choice("shrink")};
  if (options.real("max-factor") > 0)
    settings.push_back(real("max-factor"));
  Type i64 = b.getI64Type(), f64 = b.getF64Type(), i1 = b.getI1Type();
  b.policy("ramp", "dynamic.ramp", Placement::Replicated, settings,
           {{"factor", b.getFunctionType({i64}, {f64, i1})}});
}

/// What keeping the last step does to a velocity when the factor on the
/// learning rate becomes `factor`: the old factor over the new one.
static Value uncorrection(ProgramBuilder &b, Value factor) {
  Value last = b.load("last_factor"), none = b.constant(0.0);
  Value isFirst =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, last, none);
  Value ratio = arith::DivFOp::create(b, last, factor);
  Value one = b.constant(1.0);
  return arith::SelectOp::create(b, isFirst, one, ratio);
}

/// The update of a round that everybody voted for. Each question to the ramp
/// is one such update.
static void apply(ProgramBuilder &b, const ProgramBuilder::Gradient &gradient,
                  Value members, bool uncorrected) {
  ValueRange answer =
      b.ask("ramp", "factor", members, {b.getF64Type(), b.getI1Type()});
  Value factor = answer[0], reset = answer[1];
  Value rateFactor = b.fill(factor, b.rateType);
  Value correction = uncorrected ? uncorrection(b, factor) : Value();
  b.update(
      gradient,
      [&](Value rate) -> Value {
        return arith::MulFOp::create(b, rate, rateFactor);
      },
      [&](MutableArrayRef<Value> state) {
        for (Value &value : state) {
          if (uncorrected)
            value = arith::MulFOp::create(b, value,
                                          b.fill(correction, value.getType()));
          Value zero = b.zero(value.getType());
          value = arith::SelectOp::create(b, reset, zero, value);
        }
      });
  if (uncorrected)
    b.atomic({"last_factor"}, [&](ValueRange) {
      return ProgramBuilder::AtomicResult{{factor}};
    });
}

static void buildRound(ProgramBuilder &b, bool uncorrected) {
  auto view = ViewOp::create(b, b.getI64Type(), b.getI64Type(), "world");
  Value w = b.load("w"), step = b.load("seen");
  auto gradient = b.roundGradient(w, step);
  ValueRange sums = b.await(b.sumGradients("grads", gradient));
  auto whole = ProgramBuilder::Gradient::of(sums);
  // Nothing has changed so far. Where samples are missing they come again, for
  // the members there are then.
  Value counted = b.extract(whole.samples);
  Value expected = RoundSamplesOp::create(b, b.getI64Type());
  Value ok = CommitOp::create(b, b.getI1Type(), "world", counted, expected);
  b.when(ok, [&] { apply(b, whole, view.getMembers(), uncorrected); });
  NextOp::create(b, b.withinBudget(sums.back()));
}

LogicalResult dynamic_sgd::build(ProgramBuilder &b,
                                 const AlgorithmOptions &options) {
  int64_t min = options.integer("min-members"),
          max = options.integer("max-members");
  if (min > max)
    return b.emitOpError("min-members must not exceed max-members, got ")
           << min << " and " << max;
  bool uncorrected = options.flag("uncorrected");
  if (uncorrected &&
      (b.stateTypes.size() != 1 || b.stateTypes.front() != b.flatType))
    return b.emitOpError("uncorrected=true needs an optimizer whose only "
                         "state is its velocity: SGD with momentum");
  GroupOp::create(b, "world", b.getI64IntegerAttr(min),
                  b.getI64IntegerAttr(max), ArrayAttr(), DenseI64ArrayAttr());
  ChannelOp::create(b, "grads", "world", ChannelKind::Collective);
  declareRamp(b, options);
  b.addCells();
  if (uncorrected)
    b.addState("last_factor", b.getF64Type());
  b.role("worker", "world", [&] {
    b.strand([&](ValueRange) { buildRound(b, uncorrected); });
    b.modelOfCell();
  });
  return success();
}
