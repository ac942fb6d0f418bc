// nn-to-linalg: softmax, losses and accuracy, all of them row by row.
#include "NnToLinalg.h"

#include <limits>

using namespace mlir;
using namespace rubato;

namespace {

/// What every score needs: rows reduced along one axis. exp(x - max) is
/// written wherever it is used, never stored, so that scratch stays one number
/// per row.
struct Rows {
  Rows(ImplicitLocOpBuilder &b, Value scores, int64_t axis)
      : b(b), scores(scores), axis(axis),
        type(cast<RankedTensorType>(scores.getType())),
        element(type.getElementType()),
        rowMap(selectDims(b.getContext(), type.getRank(),
                          otherDims(type.getRank(), {axis}))) {}

  /// A value per row, read at each element of the row.
  Access perRow(Value value) const { return Access(value, rowMap); }

  RankedTensorType rowType(Type elementType) const {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    return RankedTensorType::get(shape, elementType);
  }

  Value max() const {
    Value lowest = scalar(b, element, -std::numeric_limits<double>::infinity());
    return reduce(b, element, {axis}, Access(scores), lowest,
                  [](ImplicitLocOpBuilder &body, ValueRange args) {
                    return arith::MaximumFOp::create(body, args[1], args[0]);
                  });
  }

  static Value exponential(ImplicitLocOpBuilder &body, Value x, Value max) {
    return math::ExpOp::create(body, arith::SubFOp::create(body, x, max));
  }

  /// The sum of exp(x - max) of each row.
  Value sum(Value max) const {
    return reduce(b, element, {axis}, {Access(scores), perRow(max)},
                  scalar(b, element, 0.0),
                  [](ImplicitLocOpBuilder &body, ValueRange args) {
                    return arith::AddFOp::create(
                        body, args[2], exponential(body, args[0], args[1]));
                  });
  }

  /// Whether the present column is `label`, an i64.
  Value isColumn(ImplicitLocOpBuilder &body, Value label) const {
    Value column = arith::IndexCastOp::create(
        body, body.getI64Type(), linalg::IndexOp::create(body, axis));
    return arith::CmpIOp::create(body, arith::CmpIPredicate::eq, column, label);
  }

  ImplicitLocOpBuilder &b;
  Value scores;
  int64_t axis;
  RankedTensorType type;
  Type element;
  AffineMap rowMap;
};

struct LowerSoftmax : OpRewritePattern<nn::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Rows rows(b, op.getInput(), op.getAxis());
    Value max = rows.max(), sum = rows.sum(max);
    rewriter.replaceOp(
        op, elementwise(b, rows.type,
                        {op.getInput(), rows.perRow(max), rows.perRow(sum)},
                        [](ImplicitLocOpBuilder &body, ValueRange args) {
                          return arith::DivFOp::create(
                              body, Rows::exponential(body, args[0], args[1]),
                              args[2]);
                        }));
    return success();
  }
};

struct LowerLogSoftmax : OpRewritePattern<nn::LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Rows rows(b, op.getInput(), op.getAxis());
    Value max = rows.max();
    Value log =
        elementwise(b, rows.rowType(rows.element), Access(rows.sum(max)),
                    [](ImplicitLocOpBuilder &body, ValueRange args) {
                      return math::LogOp::create(body, args[0]);
                    });
    rewriter.replaceOp(
        op, elementwise(b, rows.type,
                        {op.getInput(), rows.perRow(max), rows.perRow(log)},
                        [](ImplicitLocOpBuilder &body, ValueRange args) {
                          Value x =
                              arith::SubFOp::create(body, args[0], args[1]);
                          return arith::SubFOp::create(body, x, args[2]);
                        }));
    return success();
  }
};

struct LowerCrossEntropy : OpRewritePattern<nn::SoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Rows rows(b, op.getLogits(), 1);
    Value max = rows.max(), sum = rows.sum(max);
    Value zero = scalar(b, rows.element, 0.0);
    Value picked = reduce(
        b, rows.element, {1}, {op.getLogits(), rows.perRow(op.getLabels())},
        zero, [&](ImplicitLocOpBuilder &body, ValueRange args) {
          return arith::SelectOp::create(body, rows.isColumn(body, args[1]),
                                         args[0], args[2]);
        });
    rewriter.replaceOp(
        op, elementwise(b, rows.rowType(rows.element), {max, sum, picked},
                        [](ImplicitLocOpBuilder &body, ValueRange args) {
                          // log(sum) - (x - max): both terms are small when
                          // the prediction is good.
                          Value margin =
                              arith::SubFOp::create(body, args[2], args[0]);
                          Value log = math::LogOp::create(body, args[1]);
                          return arith::SubFOp::create(body, log, margin);
                        }));
    return success();
  }
};

struct LowerCrossEntropyGrad : OpRewritePattern<nn::SoftmaxCrossEntropyGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SoftmaxCrossEntropyGradOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Rows rows(b, op.getLogits(), 1);
    Value max = rows.max(), sum = rows.sum(max);
    Value one = scalar(b, rows.element, 1.0);
    Value zero = scalar(b, rows.element, 0.0);
    rewriter.replaceOp(
        op, elementwise(
                b, rows.type,
                {op.getLogits(), rows.perRow(max), rows.perRow(sum),
                 rows.perRow(op.getLabels()), rows.perRow(op.getGradient())},
                [&](ImplicitLocOpBuilder &body, ValueRange args) {
                  Value p = arith::DivFOp::create(
                      body, Rows::exponential(body, args[0], args[1]), args[2]);
                  Value hit = arith::SelectOp::create(
                      body, rows.isColumn(body, args[3]), one, zero);
                  return arith::MulFOp::create(
                      body, arith::SubFOp::create(body, p, hit), args[4]);
                }));
    return success();
  }
};

struct LowerCountCorrect : OpRewritePattern<nn::CountCorrectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::CountCorrectOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Rows rows(b, op.getScores(), 1);
    Type i64 = b.getI64Type();
    Value none = scalar(b, i64, rows.type.getDimSize(1));
    Value max = rows.max();
    // The smallest column that holds the maximum: the first of equals.
    Value best = reduce(
        b, i64, {1}, {op.getScores(), rows.perRow(max)}, none,
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          Value column = arith::IndexCastOp::create(
              body, i64, linalg::IndexOp::create(body, 1));
          Value equal = arith::CmpFOp::create(body, arith::CmpFPredicate::OEQ,
                                              args[0], args[1]);
          Value candidate = arith::SelectOp::create(body, equal, column, none);
          return arith::MinSIOp::create(body, args[2], candidate);
        });
    Value zero = scalar(b, rows.element, 0.0);
    Value nothing = scalar(b, i64, 0), one = scalar(b, i64, 1);
    rewriter.replaceOp(
        op, reduce(b, i64, {0}, {best, op.getLabels(), op.getWeights()},
                   nothing, [&](ImplicitLocOpBuilder &body, ValueRange args) {
                     Value hit = arith::CmpIOp::create(
                         body, arith::CmpIPredicate::eq, args[0], args[1]);
                     Value counts = arith::CmpFOp::create(
                         body, arith::CmpFPredicate::OGT, args[2], zero);
                     Value more = arith::SelectOp::create(
                         body, arith::AndIOp::create(body, hit, counts), one,
                         nothing);
                     return arith::AddIOp::create(body, args[3], more);
                   }));
    return success();
  }
};

} // namespace

void rubato::populateNnScoresToLinalg(RewritePatternSet &patterns) {
  patterns.add<LowerSoftmax, LowerLogSoftmax, LowerCrossEntropy,
               LowerCrossEntropyGrad, LowerCountCorrect>(patterns.getContext());
}
