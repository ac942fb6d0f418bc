// Learning-rate schedules, clocked in samples seen.
#include "Functions.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace rubato;

using A = nn::ArgumentRole;
using R = nn::ResultRole;

func::FuncOp rubato::buildLearningRate(ModuleOp module, Type element,
                                       const ScheduleOptions &options) {
  ImplicitLocOpBuilder b(
      NameLoc::get(StringAttr::get(module.getContext(), "lr")),
      module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto count = RankedTensorType::get({}, b.getI64Type());
  auto rate = RankedTensorType::get({}, element);
  auto wide = RankedTensorType::get({}, b.getF64Type());
  constexpr auto kind = nn::TrainingKind::LearningRate;
  func::FuncOp func = createFunction(b, b.getLoc(), kind,
                                     {{A::Seen, count},
                                      {A::Samples, count},
                                      {A::BaseRate, rate},
                                      {A::Budget, count}},
                                     {{R::Rate, rate}});
  b.setInsertionPointToStart(&func.getBody().front());
  auto signature = *nn::TrainingSignature::find(module, kind);
  Value seen = signature.argument(A::Seen), n = signature.argument(A::Samples),
        lr = signature.argument(A::BaseRate),
        budget = signature.argument(A::Budget);

  // Ratios of counts are formed in f64, the factor in the rate's type.
  auto ratio = [&](Value top, Value bottom) -> Value {
    Value quotient =
        arith::DivFOp::create(b, arith::SIToFPOp::create(b, wide, top),
                              arith::SIToFPOp::create(b, wide, bottom));
    return rate == wide ? quotient : arith::TruncFOp::create(b, rate, quotient);
  };
  auto constant = [&](Type type, double value) {
    return nn::splat(b, b.getLoc(), type, value);
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, x, y);
  };

  if (options.kind == "cosine") {
    Value angle =
        multiply(ratio(seen, budget), constant(rate, std::numbers::pi));
    Value raised = arith::AddFOp::create(b, constant(rate, 1.0),
                                         math::CosOp::create(b, angle));
    lr = multiply(lr, multiply(constant(rate, 0.5), raised));
  } else if (options.kind == "step") {
    Value steps = arith::DivSIOp::create(
        b, seen, constant(count, static_cast<double>(options.stepEvery)));
    Value exponent = multiply(arith::SIToFPOp::create(b, rate, steps),
                              constant(rate, std::log(options.stepFactor)));
    lr = multiply(lr, math::ExpOp::create(b, exponent));
  }
  if (options.warmup > 0) {
    Value after = arith::AddIOp::create(b, seen, n);
    Value part =
        ratio(after, constant(count, static_cast<double>(options.warmup)));
    Value one = constant(rate, 1.0);
    Value warm = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, part, one);
    lr = multiply(lr, arith::SelectOp::create(b, warm, part, one));
  }
  func::ReturnOp::create(b, lr);
  return func;
}
