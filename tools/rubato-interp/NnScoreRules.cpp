// The nn dialect: softmax, losses and accuracy, row by row.
#include "tools/rubato-interp/Rules.h"

#include "dialects/nn/Nn.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

/// Elements of a row that lie `stride` apart, and what all scores need of it.
template <typename T> struct Row {
  Row(const T *first, int64_t count, int64_t stride)
      : first(first), count(count), stride(stride), max(first[0]) {
    for (int64_t j = 1; j < count; ++j)
      if (!(at(j) <= max)) // NaN stays
        max = std::isnan(max) ? max : at(j);
    for (int64_t j = 0; j != count; ++j)
      sum += std::exp(at(j) - max);
  }
  T at(int64_t j) const { return first[j * stride]; }
  T softmax(int64_t j) const { return std::exp(at(j) - max) / sum; }
  T logSoftmax(int64_t j) const { return at(j) - max - std::log(sum); }

  const T *first;
  int64_t count, stride;
  T max, sum = 0;
};

/// softmax and log_softmax: `Fn(row, j)` along an axis.
template <typename Op, auto Fn> LogicalResult alongAxis(const Call &call) {
  auto shape = cast<RankedTensorType>(call.resultType()).getShape();
  int64_t axis = cast<Op>(call.op).getAxis(), count = shape[axis], stride = 1;
  for (int64_t size : shape.drop_front(axis + 1))
    stride *= size;
  return withElement(call.operands[0].element(), [&](auto zero) {
    using T = decltype(zero);
    ArrayRef<T> in = call.operands[0].elements<T>();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          for (size_t i = 0; i < in.size(); i += count * stride)
            for (int64_t k = i; k != int64_t(i) + stride; ++k) {
              Row<T> row(&in[k], count, stride);
              for (int64_t j = 0; j != count; ++j)
                out[k + j * stride] = T(Fn(row, j));
            }
        }));
  });
}

/// Labels are indices; one outside its row is an error of the data.
LogicalResult checkLabels(const Call &call, ArrayRef<int64_t> labels,
                          int64_t classes) {
  for (auto [i, label] : llvm::enumerate(labels))
    if (label < 0 || label >= classes)
      return call.op->emitOpError("label ")
             << label << " of row " << i << " lies outside its " << classes
             << " classes";
  return success();
}

struct Scores {
  explicit Scores(const Call &call)
      : rows(cast<RankedTensorType>(call.operands[0].type()).getDimSize(0)),
        classes(cast<RankedTensorType>(call.operands[0].type()).getDimSize(1)),
        labels(call.operands[1].elements<int64_t>()) {}
  int64_t rows, classes;
  ArrayRef<int64_t> labels;
};

LogicalResult crossEntropy(const Call &call) {
  Scores s(call);
  if (failed(checkLabels(call, s.labels, s.classes)))
    return failure();
  return withElement(call.operands[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = call.operands[0].elements<T>().data();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          for (int64_t i = 0; i != s.rows; ++i) {
            Row<T> row(in + i * s.classes, s.classes, 1);
            out[i] = T(std::log(row.sum)) - (row.at(s.labels[i]) - row.max);
          }
        }));
  });
}

LogicalResult crossEntropyGrad(const Call &call) {
  Scores s(call);
  if (failed(checkLabels(call, s.labels, s.classes)))
    return failure();
  return withElement(call.operands[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = call.operands[0].elements<T>().data();
    ArrayRef<T> gradient = call.operands[2].elements<T>();
    return call.yield(
        Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
          for (int64_t i = 0; i != s.rows; ++i) {
            Row<T> row(in + i * s.classes, s.classes, 1);
            for (int64_t j = 0; j != s.classes; ++j)
              out[i * s.classes + j] =
                  (row.softmax(j) - T(j == s.labels[i])) * gradient[i];
          }
        }));
  });
}

LogicalResult countCorrect(const Call &call) {
  Scores s(call);
  return withElement(call.operands[0].element(), [&](auto zero) {
    using T = decltype(zero);
    const T *in = call.operands[0].elements<T>().data();
    ArrayRef<T> weights = call.operands[2].elements<T>();
    int64_t count = 0;
    for (int64_t i = 0; i != s.rows && s.classes != 0; ++i) {
      const T *row = in + i * s.classes;
      // A row that holds NaN has no largest score.
      bool ordered = std::none_of(row, row + s.classes,
                                  [](T score) { return std::isnan(score); });
      int64_t best = std::max_element(row, row + s.classes) - row;
      count += weights[i] > 0 && ordered && best == s.labels[i];
    }
    return call.yield(Value::integer(call.resultType(), count));
  });
}

} // namespace

void addNnScoreRules(Rules &rules) {
  rules.add<nn::SoftmaxOp>(alongAxis<nn::SoftmaxOp, [](auto &row, int64_t j) {
    return row.softmax(j);
  }>);
  rules.add<nn::LogSoftmaxOp>(
      alongAxis<nn::LogSoftmaxOp,
                [](auto &row, int64_t j) { return row.logSoftmax(j); }>);
  rules.add<nn::SoftmaxCrossEntropyOp>(crossEntropy);
  rules.add<nn::SoftmaxCrossEntropyGradOp>(crossEntropyGrad);
  rules.add<nn::CountCorrectOp>(countCorrect);
}

} // namespace rubato::interp
