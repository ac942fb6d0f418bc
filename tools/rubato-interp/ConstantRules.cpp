// Constants, and the operations of arith and math that have two results.
#include "tools/rubato-interp/Rules.h"

#include "dialects/gsync/Gsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

LogicalResult constant(const Call &call) {
  auto attribute = cast<arith::ConstantOp>(call.op).getValue();
  FailureOr<Value> value = Value::fromAttr(attribute);
  if (failed(value))
    return call.op->emitError("rubato-interp cannot read this constant; write "
                              "it as a dense one");
  return call.yield(*value);
}

LogicalResult zero(const Call &call) {
  return call.yield(*Value::zero(call.resultType()));
}

/// Both halves of a result of twice the width, by `wide(a, b)` on integers of
/// that width.
template <bool Signed, auto Wide> LogicalResult extended(const Call &call) {
  unsigned width = integerWidth(call.operands[0].type());
  auto x = call.operands[0].elements<int64_t>();
  auto y = call.operands[1].elements<int64_t>();
  auto half = [&](unsigned number, unsigned shift) {
    Type type = call.op->getResult(number).getType();
    call.results.push_back(
        Value::build<int64_t>(type, [&](MutableArrayRef<int64_t> out) {
          for (size_t i = 0; i != out.size(); ++i) {
            APInt a(width, uint64_t(x[i]), false, true);
            APInt b(width, uint64_t(y[i]), false, true);
            APInt sum = Wide(Signed ? a.sext(2 * width) : a.zext(2 * width),
                             Signed ? b.sext(2 * width) : b.zext(2 * width));
            out[i] = sum.lshr(shift).trunc(width).getSExtValue();
          }
        }));
  };
  half(0, 0);
  half(1, width);
  return success();
}

LogicalResult sincos(const Call &call) {
  const Value &x = call.operands[0];
  withElement(x.element(), [&](auto zero) {
    using T = decltype(zero);
    for (bool cosine : {false, true})
      call.results.push_back(
          Value::build<T>(call.resultType(), [&](MutableArrayRef<T> out) {
            for (auto [to, from] : llvm::zip(out, x.elements<T>()))
              to = T(cosine ? std::cos(from) : std::sin(from));
          }));
  });
  return success();
}

} // namespace

void addConstantRules(Rules &rules) {
  rules.add<arith::ConstantOp>(constant);
  rules.add<gsync::ZeroOp>(zero);
  // The upper half of the sum of two zero-extended numbers is the carry.
  rules.add<arith::AddUIExtendedOp>(
      extended<false, [](APInt a, APInt b) { return a + b; }>);
  rules.add<arith::MulUIExtendedOp>(
      extended<false, [](APInt a, APInt b) { return a * b; }>);
  rules.add<arith::MulSIExtendedOp>(
      extended<true, [](APInt a, APInt b) { return a * b; }>);
  rules.add<math::SincosOp>(sincos);
}

} // namespace rubato::interp
