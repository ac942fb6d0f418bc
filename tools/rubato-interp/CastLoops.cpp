// Conversions between numbers of different types.
#include "tools/rubato-interp/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

/// Bounds are powers of two, which every float holds exactly. The comparisons
/// fail for NaN.
template <typename T> void toSignedLoop(Lanes &l) {
  const T *x = l.in<T>(0);
  int64_t *out = l.out<int64_t>();
  T bound = std::ldexp(T(1), int(l.resultWidth) - 1);
  for (int64_t i = 0; i != l.count; ++i) {
    T whole = std::trunc(x[i]);
    bool fits = whole >= -bound && whole < bound;
    if (!fits)
      l.error = "the number does not fit its integer type";
    out[i] = fits ? wrapInteger(int64_t(whole), l.resultWidth) : 0;
  }
}
template <typename T> void toUnsignedLoop(Lanes &l) {
  const T *x = l.in<T>(0);
  int64_t *out = l.out<int64_t>();
  T bound = std::ldexp(T(1), int(l.resultWidth));
  for (int64_t i = 0; i != l.count; ++i) {
    T whole = std::trunc(x[i]);
    bool fits = whole >= 0 && whole < bound;
    if (!fits)
      l.error = "the number does not fit its integer type";
    out[i] = fits ? wrapInteger(int64_t(uint64_t(whole)), l.resultWidth) : 0;
  }
}

template <typename T> void fromSignedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0);
  T *out = l.out<T>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = T(asSigned(x[i], l.width));
}
template <typename T> void fromUnsignedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0);
  T *out = l.out<T>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = T(asUnsigned(x[i], l.width));
}

void resizeSignedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = wrapInteger(asSigned(x[i], l.width), l.resultWidth);
}
void resizeUnsignedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = wrapInteger(int64_t(asUnsigned(x[i], l.width)), l.resultWidth);
}

template <typename Op, Loop Single, Loop Double>
void addFromInteger(Loops &loops) {
  loops.add<Op>(Element::Integer, Element::Single, Single);
  loops.add<Op>(Element::Integer, Element::Double, Double);
}
template <typename Op, Loop Single, Loop Double>
void addToInteger(Loops &loops) {
  loops.add<Op>(Element::Single, Element::Integer, Single);
  loops.add<Op>(Element::Double, Element::Integer, Double);
}
template <typename Op, Loop Resize> void addResize(Loops &loops) {
  loops.add<Op>(Element::Integer, Element::Integer, Resize);
}

void addBitcasts(Loops &loops) {
  using Op = arith::BitcastOp;
  constexpr auto same = [](auto x) { return x; };
  loops.add<Op>(Element::Integer, Element::Integer, resizeSignedLoop);
  loops.add<Op>(Element::Single, Element::Single,
                unaryLoop<float, float, same>);
  loops.add<Op>(Element::Double, Element::Double,
                unaryLoop<double, double, same>);
  loops.add<Op>(Element::Single, Element::Integer,
                unaryLoop<float, int64_t, [](float x) {
                  return int64_t(llvm::bit_cast<int32_t>(x));
                }>);
  loops.add<Op>(Element::Integer, Element::Single,
                unaryLoop<int64_t, float, [](int64_t x) {
                  return llvm::bit_cast<float>(int32_t(x));
                }>);
  loops.add<Op>(Element::Double, Element::Integer,
                unaryLoop<double, int64_t,
                          [](double x) { return llvm::bit_cast<int64_t>(x); }>);
  loops.add<Op>(Element::Integer, Element::Double,
                unaryLoop<int64_t, double,
                          [](int64_t x) { return llvm::bit_cast<double>(x); }>);
}

} // namespace

void addCastLoops(Loops &loops) {
  addFromInteger<arith::SIToFPOp, fromSignedLoop<float>,
                 fromSignedLoop<double>>(loops);
  addFromInteger<arith::UIToFPOp, fromUnsignedLoop<float>,
                 fromUnsignedLoop<double>>(loops);
  addToInteger<arith::FPToSIOp, toSignedLoop<float>, toSignedLoop<double>>(
      loops);
  addToInteger<arith::FPToUIOp, toUnsignedLoop<float>, toUnsignedLoop<double>>(
      loops);
  addResize<arith::ExtSIOp, resizeSignedLoop>(loops);
  addResize<arith::ExtUIOp, resizeUnsignedLoop>(loops);
  addResize<arith::TruncIOp, resizeSignedLoop>(loops);
  addResize<arith::IndexCastOp, resizeSignedLoop>(loops);
  addResize<arith::IndexCastUIOp, resizeUnsignedLoop>(loops);
  loops.add<arith::ExtFOp>(
      Element::Single, Element::Double,
      unaryLoop<float, double, [](float x) { return double(x); }>);
  loops.add<arith::TruncFOp>(
      Element::Double, Element::Single,
      unaryLoop<double, float, [](double x) { return float(x); }>);
  addBitcasts(loops);
}

} // namespace rubato::interp
