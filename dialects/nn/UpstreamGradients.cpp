// Gradient rules of upstream operations, as external models.
#include "dialects/nn/Nn.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace rubato::nn;

namespace {

/// Each rule is a function (builder, op, gradient, operand gradients).
template <typename Op, void (*Rule)(ImplicitLocOpBuilder &, Op, Value,
                                    MutableArrayRef<Value>)>
struct RuleModel
    : DifferentiableOpInterface::ExternalModel<RuleModel<Op, Rule>, Op> {
  LogicalResult buildGradient(Operation *op, OpBuilder &builder,
                              ArrayRef<Value> results,
                              MutableArrayRef<Value> operands) const {
    ImplicitLocOpBuilder b(op->getLoc(), builder);
    Rule(b, cast<Op>(op), results[0], operands);
    return success();
  }
};

void addRule(ImplicitLocOpBuilder &, arith::AddFOp, Value g,
             MutableArrayRef<Value> d) {
  d[0] = d[1] = g;
}

void subRule(ImplicitLocOpBuilder &b, arith::SubFOp, Value g,
             MutableArrayRef<Value> d) {
  d[0] = g;
  d[1] = arith::NegFOp::create(b, g);
}

void mulRule(ImplicitLocOpBuilder &b, arith::MulFOp op, Value g,
             MutableArrayRef<Value> d) {
  d[0] = arith::MulFOp::create(b, g, op.getRhs());
  d[1] = arith::MulFOp::create(b, g, op.getLhs());
}

void divRule(ImplicitLocOpBuilder &b, arith::DivFOp op, Value g,
             MutableArrayRef<Value> d) {
  // With q = x/y: dx = g/y and dy = -q·dx.
  d[0] = arith::DivFOp::create(b, g, op.getRhs());
  d[1] =
      arith::NegFOp::create(b, arith::MulFOp::create(b, d[0], op.getResult()));
}

void negRule(ImplicitLocOpBuilder &b, arith::NegFOp, Value g,
             MutableArrayRef<Value> d) {
  d[0] = arith::NegFOp::create(b, g);
}

void selectRule(ImplicitLocOpBuilder &b, arith::SelectOp op, Value g,
                MutableArrayRef<Value> d) {
  Value zero = splat(b, op.getLoc(), op.getType(), 0.0);
  d[1] = arith::SelectOp::create(b, op.getCondition(), g, zero);
  d[2] = arith::SelectOp::create(b, op.getCondition(), zero, g);
}

void extRule(ImplicitLocOpBuilder &b, arith::ExtFOp op, Value g,
             MutableArrayRef<Value> d) {
  d[0] = arith::TruncFOp::create(b, op.getIn().getType(), g);
}

void truncRule(ImplicitLocOpBuilder &b, arith::TruncFOp op, Value g,
               MutableArrayRef<Value> d) {
  d[0] = arith::ExtFOp::create(b, op.getIn().getType(), g);
}

void tanhRule(ImplicitLocOpBuilder &b, math::TanhOp op, Value g,
              MutableArrayRef<Value> d) {
  Value one = splat(b, op.getLoc(), op.getType(), 1.0);
  Value square = arith::MulFOp::create(b, op.getResult(), op.getResult());
  d[0] = arith::MulFOp::create(b, g, arith::SubFOp::create(b, one, square));
}

template <typename Op, void (*Rule)(ImplicitLocOpBuilder &, Op, Value,
                                    MutableArrayRef<Value>)>
void attach(MLIRContext *context) {
  Op::template attachInterface<RuleModel<Op, Rule>>(*context);
}

} // namespace

void rubato::nn::registerDifferentiableModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::AddFOp, addRule>(context);
    attach<arith::SubFOp, subRule>(context);
    attach<arith::MulFOp, mulRule>(context);
    attach<arith::DivFOp, divRule>(context);
    attach<arith::NegFOp, negRule>(context);
    attach<arith::SelectOp, selectRule>(context);
    attach<arith::ExtFOp, extRule>(context);
    attach<arith::TruncFOp, truncRule>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attach<math::TanhOp, tanhRule>(context);
  });
}
