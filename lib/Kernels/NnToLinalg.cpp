// nn-to-linalg: products, shapes, activations and plain elementwise work.
#include "NnToLinalg.h"

#include "rubato/Kernels/Passes.h"
#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/DialectConversion.h"

namespace rubato {
#define GEN_PASS_DEF_NNTOLINALGPASS
#include "rubato/Kernels/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

AffineMap rubato::selectDims(MLIRContext *context, int64_t rank,
                             ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> results;
  for (int64_t dim : dims)
    results.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, results, context);
}

SmallVector<int64_t> rubato::otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> rest;
  for (int64_t i = 0; i != rank; ++i)
    if (!llvm::is_contained(dims, i))
      rest.push_back(i);
  return rest;
}

Value rubato::scalar(ImplicitLocOpBuilder &b, Type type, double value) {
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(b.getFloatAttr(type, value))
                            : TypedAttr(b.getIntegerAttr(type, int64_t(value)));
  return arith::ConstantOp::create(b, attribute);
}

Value rubato::filled(ImplicitLocOpBuilder &b, RankedTensorType type,
                     Value value) {
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::FillOp::create(b, ValueRange{value}, ValueRange{empty})
      .getResult(0);
}

/// The one place where a linalg.generic is written down.
static Value generic(ImplicitLocOpBuilder &b, int64_t rank,
                     ArrayRef<Access> inputs, Value init, AffineMap initMap,
                     ArrayRef<utils::IteratorType> iterators,
                     ElementFn element) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Access &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map ? input.map : b.getMultiDimIdentityMap(rank));
  }
  maps.push_back(initMap);
  return linalg::GenericOp::create(
             b, init.getType(), tensors, init, maps, iterators,
             [&](OpBuilder &builder, Location loc, ValueRange args) {
               ImplicitLocOpBuilder body(loc, builder);
               linalg::YieldOp::create(body, element(body, args));
             })
      .getResult(0);
}

Value rubato::elementwise(ImplicitLocOpBuilder &b, RankedTensorType type,
                          ArrayRef<Access> inputs, ElementFn element) {
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return generic(b, type.getRank(), inputs, empty,
                 b.getMultiDimIdentityMap(type.getRank()), iterators, element);
}

Value rubato::reduce(ImplicitLocOpBuilder &b, Type elementType,
                     ArrayRef<int64_t> dims, ArrayRef<Access> inputs,
                     Value init, ElementFn combine) {
  auto input = cast<RankedTensorType>(inputs.front().tensor.getType());
  SmallVector<int64_t> kept = otherDims(input.getRank(), dims), shape;
  for (int64_t dim : kept)
    shape.push_back(input.getDimSize(dim));
  SmallVector<utils::IteratorType> iterators(input.getRank(),
                                             utils::IteratorType::parallel);
  for (int64_t dim : dims)
    iterators[dim] = utils::IteratorType::reduction;
  Value start = filled(b, RankedTensorType::get(shape, elementType), init);
  return generic(b, input.getRank(), inputs, start,
                 selectDims(b.getContext(), input.getRank(), kept), iterators,
                 combine);
}

namespace {

/// One contraction over a zero-filled tensor; transposition is in the maps.
struct LowerMatmul : OpRewritePattern<nn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    Value start = filled(b, type, scalar(b, type.getElementType(), 0.0));
    auto map = [&](ArrayRef<int64_t> dims) {
      return selectDims(b.getContext(), 3, dims);
    };
    AffineMap maps[] = {op.getTransposeLhs() ? map({2, 0}) : map({0, 2}),
                        op.getTransposeRhs() ? map({1, 2}) : map({2, 1}),
                        map({0, 1})};
    NamedAttribute attribute =
        b.getNamedAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
    rewriter.replaceOpWithNewOp<linalg::MatmulOp>(
        op, TypeRange{type}, ValueRange{op.getLhs(), op.getRhs()},
        ValueRange{start}, ArrayRef<NamedAttribute>{attribute});
    return success();
  }
};

struct LowerBroadcast : OpRewritePattern<nn::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    AffineMap map = selectDims(b.getContext(), type.getRank(), op.getDims());
    rewriter.replaceOp(
        op, elementwise(b, type, Access(op.getInput(), map),
                        [](auto &, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct LowerTranspose : OpRewritePattern<nn::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    AffineMap map = inversePermutation(
        selectDims(b.getContext(), type.getRank(), op.getPerm()));
    rewriter.replaceOp(
        op, elementwise(b, type, Access(op.getInput(), map),
                        [](auto &, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct LowerReduce : OpRewritePattern<nn::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    rewriter.replaceOp(
        op, reduce(b, element, op.getDims(), Access(op.getInput()),
                   scalar(b, element, 0.0),
                   [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
                     if (isa<FloatType>(element))
                       return arith::AddFOp::create(body, args[1], args[0]);
                     return arith::AddIOp::create(body, args[1], args[0]);
                   }));
    return success();
  }
};

struct LowerReshape : OpRewritePattern<nn::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto from = cast<RankedTensorType>(op.getInput().getType());
    auto to = cast<RankedTensorType>(op.getType());
    if (from == to) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    auto steps = getReassociationIndicesForReshape(from, to);
    if (steps && from.getRank() != to.getRank()) {
      rewriter.replaceOp(op, step(b, op.getInput(), to, *steps));
      return success();
    }
    // Neither shape refines the other: through the flat vector.
    auto flat =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    auto down = getReassociationIndicesForReshape(from, flat);
    auto up = getReassociationIndicesForReshape(flat, to);
    if (!down || !up)
      return rewriter.notifyMatchFailure(op, "no way through a flat vector");
    rewriter.replaceOp(op,
                       step(b, step(b, op.getInput(), flat, *down), to, *up));
    return success();
  }

  static Value step(ImplicitLocOpBuilder &b, Value input, RankedTensorType to,
                    ArrayRef<ReassociationIndices> reassociation) {
    if (cast<RankedTensorType>(input.getType()).getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(b, to, input, reassociation);
    return tensor::ExpandShapeOp::create(b, to, input, reassociation);
  }
};

struct LowerRelu : OpRewritePattern<nn::ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReluOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    Value zero = scalar(b, type.getElementType(), 0.0);
    // Written so that NaN passes, and so that it is one instruction on x86.
    rewriter.replaceOp(
        op, elementwise(b, type, Access(op.getInput()),
                        [&](ImplicitLocOpBuilder &body, ValueRange args) {
                          Value below = arith::CmpFOp::create(
                              body, arith::CmpFPredicate::OGT, zero, args[0]);
                          return arith::SelectOp::create(body, below, zero,
                                                         args[0]);
                        }));
    return success();
  }
};

struct LowerSigmoid : OpRewritePattern<nn::SigmoidOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::SigmoidOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    Value one = scalar(b, type.getElementType(), 1.0);
    rewriter.replaceOp(
        op, elementwise(b, type, Access(op.getInput()),
                        [&](ImplicitLocOpBuilder &body, ValueRange args) {
                          Value e = math::ExpOp::create(
                              body, arith::NegFOp::create(body, args[0]));
                          Value sum = arith::AddFOp::create(body, one, e);
                          return arith::DivFOp::create(body, one, sum);
                        }));
    return success();
  }
};

/// Any operation of arith or math that maps its scalar form over tensors.
struct LowerElementwise : RewritePattern {
  LowerElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  static bool matches(Operation *op) {
    return OpTrait::hasElementwiseMappableTraits(op) &&
           op->getNumResults() == 1 &&
           isa<RankedTensorType>(op->getResult(0).getType());
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!matches(op))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Access> inputs;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        inputs.push_back(operand);
    rewriter.replaceOp(
        op, elementwise(b, type, inputs,
                        [&](ImplicitLocOpBuilder &body, ValueRange args) {
                          // A scalar operand, as select's condition may be,
                          // is used from outside.
                          SmallVector<Value> operands;
                          for (Value operand : op->getOperands())
                            if (isa<RankedTensorType>(operand.getType())) {
                              operands.push_back(args.front());
                              args = args.drop_front();
                            } else {
                              operands.push_back(operand);
                            }
                          return body
                              .create(op->getLoc(),
                                      op->getName().getIdentifier(), operands,
                                      type.getElementType(), op->getAttrs())
                              ->getResult(0);
                        }));
    return success();
  }
};

struct NnToLinalg : rubato::impl::NnToLinalgPassBase<NnToLinalg> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // Around calls of kernels only views are left, which the scheduler places.
    if (function.isExternal() ||
        (!function->hasAttr(kKernelAttr) &&
         !function.getBody().getOps<func::CallOp>().empty()))
      return;

    RewritePatternSet patterns(&getContext());
    patterns.add<LowerMatmul, LowerBroadcast, LowerTranspose, LowerReduce,
                 LowerReshape, LowerRelu, LowerSigmoid, LowerElementwise>(
        &getContext());
    populateNnScoresToLinalg(patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<nn::NnDialect>();
    // Stored tensors are the business of the stages around kernels.
    target.addLegalOp<nn::GetOp, nn::PackOp, nn::UnpackOp>();
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !LowerElementwise::matches(op); });
    if (failed(applyPartialConversion(function, target, std::move(patterns))))
      return signalPassFailure();
    fuseElementwise(function);
  }
};

} // namespace
