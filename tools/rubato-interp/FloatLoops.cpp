// Floating-point operations of arith, and select.
#include "tools/rubato-interp/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

/// IEEE 754 maximum: NaN wins, and +0 is above -0.
template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T> bool compare(arith::CmpFPredicate predicate, T a, T b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    break;
  }
  return true;
}

template <typename T> void compareLoop(Lanes &l) {
  const T *x = l.in<T>(0), *y = l.in<T>(1);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = compare(arith::CmpFPredicate(l.predicate), x[i], y[i]);
}

template <typename T> void selectLoop(Lanes &l) {
  const int64_t *condition = l.in<int64_t>(0);
  const T *x = l.in<T>(1), *y = l.in<T>(2);
  T *out = l.out<T>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = condition[i] ? x[i] : y[i];
}

} // namespace

void addFloatLoops(Loops &loops) {
  addFloatUnary<arith::NegFOp, [](auto x) { return -x; }>(loops);
  addFloatBinary<arith::AddFOp, [](auto x, auto y) { return x + y; }>(loops);
  addFloatBinary<arith::SubFOp, [](auto x, auto y) { return x - y; }>(loops);
  addFloatBinary<arith::MulFOp, [](auto x, auto y) { return x * y; }>(loops);
  addFloatBinary<arith::DivFOp, [](auto x, auto y) { return x / y; }>(loops);
  addFloatBinary<arith::RemFOp, [](auto x, auto y) { return std::fmod(x, y); }>(
      loops);
  addFloatBinary<arith::MaximumFOp,
                 [](auto x, auto y) { return maximum(x, y); }>(loops);
  addFloatBinary<arith::MinimumFOp,
                 [](auto x, auto y) { return minimum(x, y); }>(loops);
  // These prefer the number to NaN.
  addFloatBinary<arith::MaxNumFOp, [](auto x, auto y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y);
  }>(loops);
  addFloatBinary<arith::MinNumFOp, [](auto x, auto y) {
    return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y);
  }>(loops);
  loops.add<arith::CmpFOp>(Element::Single, Element::Integer,
                           compareLoop<float>);
  loops.add<arith::CmpFOp>(Element::Double, Element::Integer,
                           compareLoop<double>);
  loops.add<arith::SelectOp>(Element::Single, Element::Single,
                             selectLoop<float>);
  loops.add<arith::SelectOp>(Element::Double, Element::Double,
                             selectLoop<double>);
  loops.add<arith::SelectOp>(Element::Integer, Element::Integer,
                             selectLoop<int64_t>);
}

} // namespace rubato::interp
