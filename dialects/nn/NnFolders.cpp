// Folders and canonicalization patterns of the nn dialect.
#include "dialects/nn/Nn.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace rubato::nn;

/// The value itself where the operation changes nothing.
template <typename Op> static OpFoldResult foldIdentity(Op op) {
  return op.getInput().getType() == op.getType() ? OpFoldResult(op.getInput())
                                                 : OpFoldResult();
}

/// A splat stays a splat under every operation that only moves elements.
template <typename Op> static OpFoldResult foldSplat(Op op, Attribute input) {
  if (auto elements = dyn_cast_or_null<SplatElementsAttr>(input))
    return elements.resizeSplat(cast<ShapedType>(op.getType()));
  return {};
}

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult UnpackOp::fold(FoldAdaptor) {
  // A slot of a freshly packed vector is the value that was packed there.
  auto pack = getFlat().getDefiningOp<PackOp>();
  if (!pack || pack.getLayoutAttr() != getLayoutAttr())
    return {};
  auto layout =
      SymbolTable::lookupNearestSymbolFrom<LayoutOp>(*this, getLayoutAttr());
  if (!layout)
    return {};
  for (auto [slot, value] : llvm::zip(layout.slots(), pack.getValues()))
    if (slot.getName() == getSlot())
      return value;
  return {};
}

namespace {
/// A transposed operand becomes a flag of the product.
struct AbsorbTranspose : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto isSwap = [](TransposeOp t) {
      return t && t.getPerm() == ArrayRef<int64_t>{1, 0};
    };
    auto lhs = op.getLhs().getDefiningOp<TransposeOp>();
    auto rhs = op.getRhs().getDefiningOp<TransposeOp>();
    if (!isSwap(lhs) && !isSwap(rhs))
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    rewriter.modifyOpInPlace(op, [&] {
      if (isSwap(lhs)) {
        op.getLhsMutable().assign(lhs.getInput());
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (isSwap(rhs)) {
        op.getRhsMutable().assign(rhs.getInput());
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    return success();
  }
};
} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<AbsorbTranspose>(context);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(*this))
    return same;
  return foldSplat(*this, adaptor.getInput());
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPerm(), llvm::seq<int64_t>(0, getPerm().size())))
    return getInput();
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    // The second permutation undoes the first.
    bool undone =
        llvm::all_of(llvm::seq<int64_t>(0, getPerm().size()), [&](int64_t i) {
          return inner.getPerm()[getPerm()[i]] == i;
        });
    if (undone)
      return inner.getInput();
  }
  return foldSplat(*this, adaptor.getInput());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(*this))
    return same;
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldSplat(*this, adaptor.getInput());
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  // relu(relu(x)) = relu(x)
  if (auto inner = getInput().getDefiningOp<ReluOp>())
    return inner.getResult();
  return {};
}
