// Operations of math, by the functions of the C library in the operand's type.
#include "tools/rubato-interp/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace rubato::interp {

namespace {

void addExponentials(Loops &loops) {
  addFloatUnary<math::ExpOp, [](auto x) { return std::exp(x); }>(loops);
  addFloatUnary<math::Exp2Op, [](auto x) { return std::exp2(x); }>(loops);
  addFloatUnary<math::ExpM1Op, [](auto x) { return std::expm1(x); }>(loops);
  addFloatUnary<math::LogOp, [](auto x) { return std::log(x); }>(loops);
  addFloatUnary<math::Log2Op, [](auto x) { return std::log2(x); }>(loops);
  addFloatUnary<math::Log10Op, [](auto x) { return std::log10(x); }>(loops);
  addFloatUnary<math::Log1pOp, [](auto x) { return std::log1p(x); }>(loops);
  addFloatUnary<math::SqrtOp, [](auto x) { return std::sqrt(x); }>(loops);
  addFloatUnary<math::CbrtOp, [](auto x) { return std::cbrt(x); }>(loops);
  addFloatUnary<math::RsqrtOp,
                [](auto x) { return decltype(x)(1) / std::sqrt(x); }>(loops);
  addFloatUnary<math::ErfOp, [](auto x) { return std::erf(x); }>(loops);
  addFloatUnary<math::ErfcOp, [](auto x) { return std::erfc(x); }>(loops);
  addFloatBinary<math::PowFOp, [](auto x, auto y) { return std::pow(x, y); }>(
      loops);
}

void addTrigonometry(Loops &loops) {
  addFloatUnary<math::SinOp, [](auto x) { return std::sin(x); }>(loops);
  addFloatUnary<math::CosOp, [](auto x) { return std::cos(x); }>(loops);
  addFloatUnary<math::TanOp, [](auto x) { return std::tan(x); }>(loops);
  addFloatUnary<math::AsinOp, [](auto x) { return std::asin(x); }>(loops);
  addFloatUnary<math::AcosOp, [](auto x) { return std::acos(x); }>(loops);
  addFloatUnary<math::AtanOp, [](auto x) { return std::atan(x); }>(loops);
  addFloatUnary<math::SinhOp, [](auto x) { return std::sinh(x); }>(loops);
  addFloatUnary<math::CoshOp, [](auto x) { return std::cosh(x); }>(loops);
  addFloatUnary<math::TanhOp, [](auto x) { return std::tanh(x); }>(loops);
  addFloatUnary<math::AsinhOp, [](auto x) { return std::asinh(x); }>(loops);
  addFloatUnary<math::AcoshOp, [](auto x) { return std::acosh(x); }>(loops);
  addFloatUnary<math::AtanhOp, [](auto x) { return std::atanh(x); }>(loops);
  addFloatBinary<math::Atan2Op,
                 [](auto x, auto y) { return std::atan2(x, y); }>(loops);
}

void addRounding(Loops &loops) {
  addFloatUnary<math::AbsFOp, [](auto x) { return std::fabs(x); }>(loops);
  addFloatUnary<math::FloorOp, [](auto x) { return std::floor(x); }>(loops);
  addFloatUnary<math::CeilOp, [](auto x) { return std::ceil(x); }>(loops);
  addFloatUnary<math::TruncOp, [](auto x) { return std::trunc(x); }>(loops);
  addFloatUnary<math::RoundOp, [](auto x) { return std::round(x); }>(loops);
  // The rounding mode of the process is never changed: ties go to even.
  addFloatUnary<math::RoundEvenOp, [](auto x) { return std::nearbyint(x); }>(
      loops);
  addFloatBinary<math::CopySignOp,
                 [](auto x, auto y) { return std::copysign(x, y); }>(loops);
  addFloatTernary<math::FmaOp, [](auto x, auto y, auto z) {
    return std::fma(x, y, z);
  }>(loops);
}

/// x to the power n modulo 2^64. Below n = 0 only ±1 have a whole power.
void integerPowerLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0), *n = l.in<int64_t>(1);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i) {
    int64_t base = asSigned(x[i], l.width), power = asSigned(n[i], l.width);
    uint64_t result = 1, square = uint64_t(base);
    if (power < 0 && base == 0)
      l.error = "negative power of zero";
    if (power < 0 && base != 1 && base != -1)
      result = 0;
    else if (power < 0)
      power &= 1; // 1 and -1 are their own inverses
    for (; power > 0; power >>= 1, square *= square)
      if (power & 1)
        result *= square;
    out[i] = wrapInteger(int64_t(result), l.resultWidth);
  }
}

template <typename T> void floatPowerLoop(Lanes &l) {
  const T *x = l.in<T>(0);
  const int64_t *n = l.in<int64_t>(1);
  T *out = l.out<T>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = T(std::pow(double(x[i]), double(asSigned(n[i], l.width))));
}

template <typename Op, auto Fn> void addClass(Loops &loops) {
  loops.add<Op>(Element::Single, Element::Integer,
                unaryLoop<float, int64_t, Fn>);
  loops.add<Op>(Element::Double, Element::Integer,
                unaryLoop<double, int64_t, Fn>);
}

/// Integer functions of the unsigned reading and the width.
template <typename Op, auto Fn> void addBits(Loops &loops) {
  loops.add<Op>(Element::Integer, Element::Integer, [](Lanes &l) {
    const int64_t *x = l.in<int64_t>(0);
    int64_t *out = l.out<int64_t>();
    for (int64_t i = 0; i != l.count; ++i)
      out[i] = wrapInteger(Fn(asUnsigned(x[i], l.width), l.width), l.width);
  });
}

} // namespace

void addMathLoops(Loops &loops) {
  addExponentials(loops);
  addTrigonometry(loops);
  addRounding(loops);
  addClass<math::IsFiniteOp, [](auto x) { return std::isfinite(x); }>(loops);
  addClass<math::IsInfOp, [](auto x) { return std::isinf(x); }>(loops);
  addClass<math::IsNaNOp, [](auto x) { return std::isnan(x); }>(loops);
  addClass<math::IsNormalOp, [](auto x) { return std::isnormal(x); }>(loops);
  using U = uint64_t;
  addBits<math::CtPopOp, [](U x, unsigned) { return llvm::popcount(x); }>(
      loops);
  addBits<math::CountLeadingZerosOp, [](U x, unsigned width) {
    return llvm::countl_zero(x) - int(64 - width);
  }>(loops);
  addBits<math::CountTrailingZerosOp, [](U x, unsigned width) {
    return std::min(llvm::countr_zero(x), int(width));
  }>(loops);
  loops.add<math::IPowIOp>(Element::Integer, Element::Integer,
                           integerPowerLoop);
  loops.add<math::FPowIOp>(Element::Integer, Element::Single,
                           floatPowerLoop<float>);
  loops.add<math::FPowIOp>(Element::Integer, Element::Double,
                           floatPowerLoop<double>);
  loops.add<math::AbsIOp>(Element::Integer, Element::Integer, [](Lanes &l) {
    const int64_t *x = l.in<int64_t>(0);
    int64_t *out = l.out<int64_t>();
    for (int64_t i = 0; i != l.count; ++i) {
      uint64_t u = uint64_t(asSigned(x[i], l.width));
      out[i] = wrapInteger(int64_t(x[i] < 0 ? 0 - u : u), l.width);
    }
  });
}

} // namespace rubato::interp
