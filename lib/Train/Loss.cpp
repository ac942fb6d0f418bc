// Losses appended to a model's output.
#include "Functions.h"

using namespace mlir;
using namespace rubato;

Value rubato::spread(ImplicitLocOpBuilder &b, Value scalar, Type type) {
  return nn::BroadcastOp::create(b, type, scalar, ArrayRef<int64_t>{});
}

RankedTensorType rubato::labelType(LossKind loss, RankedTensorType scores) {
  if (loss == LossKind::Mse)
    return scores;
  return RankedTensorType::get({scores.getDimSize(0)},
                               IntegerType::get(scores.getContext(), 64));
}

int64_t rubato::classesOf(LossKind loss, RankedTensorType scores) {
  return loss == LossKind::SoftmaxCrossEntropy ? scores.getDimSize(1) : 0;
}

Value rubato::buildLoss(ImplicitLocOpBuilder &b, LossKind loss, Value scores,
                        Value labels) {
  auto type = cast<RankedTensorType>(scores.getType());
  auto perSample =
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
  if (loss == LossKind::SoftmaxCrossEntropy)
    return nn::SoftmaxCrossEntropyOp::create(b, perSample, scores, labels);

  // Mean over the features of one sample, so that the mean over samples is the
  // mean over all elements.
  Value difference = arith::SubFOp::create(b, scores, labels);
  Value squares = arith::MulFOp::create(b, difference, difference);
  auto features = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
  Value sums = nn::ReduceOp::create(b, perSample, nn::ReduceKind::Sum, squares,
                                    features);
  double count = type.getNumElements() / type.getDimSize(0);
  return arith::MulFOp::create(
      b, sums, nn::splat(b, b.getLoc(), perSample, 1.0 / count));
}

Value rubato::buildCorrect(ImplicitLocOpBuilder &b, LossKind loss, Value scores,
                           Value labels, Value weights) {
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  if (loss == LossKind::SoftmaxCrossEntropy)
    return nn::CountCorrectOp::create(b, scalar, scores, labels, weights);
  return nn::splat(b, b.getLoc(), scalar, 0);
}
