// Integer operations of arith, modulo their width.
#include "tools/rubato-interp/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace rubato::interp {

namespace {

constexpr const char *kDivisionByZero = "division by zero";
constexpr const char *kQuotientOverflow = "the quotient does not fit its type";
constexpr const char *kShiftTooFar = "shift by the width of the type or more";

/// Loops over operands read as unsigned or as signed integers. `Fn` gets the
/// lanes last, to report errors.
template <auto Fn> void unsignedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0), *y = l.in<int64_t>(1);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = wrapInteger(
        int64_t(Fn(asUnsigned(x[i], l.width), asUnsigned(y[i], l.width), l)),
        l.resultWidth);
}
template <auto Fn> void signedLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0), *y = l.in<int64_t>(1);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = wrapInteger(
        Fn(asSigned(x[i], l.width), asSigned(y[i], l.width), l), l.resultWidth);
}

template <typename Op, auto Fn> void addUnsigned(Loops &loops) {
  loops.add<Op>(Element::Integer, Element::Integer, unsignedLoop<Fn>);
}
template <typename Op, auto Fn> void addSigned(Loops &loops) {
  loops.add<Op>(Element::Integer, Element::Integer, signedLoop<Fn>);
}

/// Whether x / y is a number of the type; says why not.
bool divides(int64_t x, int64_t y, Lanes &l) {
  if (y == 0)
    l.error = kDivisionByZero;
  else if (y == -1 && x == (std::numeric_limits<int64_t>::min() >>
                            (64 - std::min(l.width, 64u))))
    l.error = kQuotientOverflow;
  return !l.error;
}
bool divides(uint64_t, uint64_t y, Lanes &l) {
  if (y == 0)
    l.error = kDivisionByZero;
  return !l.error;
}

bool shifts(uint64_t by, Lanes &l) {
  if (by >= l.width)
    l.error = kShiftTooFar;
  return !l.error;
}

bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b,
             unsigned width) {
  using P = arith::CmpIPredicate;
  int64_t s = asSigned(a, width), t = asSigned(b, width);
  uint64_t u = asUnsigned(a, width), v = asUnsigned(b, width);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return s < t;
  case P::sle:
    return s <= t;
  case P::sgt:
    return s > t;
  case P::sge:
    return s >= t;
  case P::ult:
    return u < v;
  case P::ule:
    return u <= v;
  case P::ugt:
    return u > v;
  case P::uge:
    break;
  }
  return u >= v;
}

void compareLoop(Lanes &l) {
  const int64_t *x = l.in<int64_t>(0), *y = l.in<int64_t>(1);
  int64_t *out = l.out<int64_t>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = compare(arith::CmpIPredicate(l.predicate), x[i], y[i], l.width);
}

void addRing(Loops &loops) {
  // Unsigned arithmetic wraps, and the low bits do not depend on the sign.
  using U = uint64_t;
  addUnsigned<arith::AddIOp, [](U x, U y, Lanes &) { return x + y; }>(loops);
  addUnsigned<arith::SubIOp, [](U x, U y, Lanes &) { return x - y; }>(loops);
  addUnsigned<arith::MulIOp, [](U x, U y, Lanes &) { return x * y; }>(loops);
  addUnsigned<arith::AndIOp, [](U x, U y, Lanes &) { return x & y; }>(loops);
  addUnsigned<arith::OrIOp, [](U x, U y, Lanes &) { return x | y; }>(loops);
  addUnsigned<arith::XOrIOp, [](U x, U y, Lanes &) { return x ^ y; }>(loops);
}

void addOrders(Loops &loops) {
  using S = int64_t;
  using U = uint64_t;
  addSigned<arith::MaxSIOp, [](S x, S y, Lanes &) { return std::max(x, y); }>(
      loops);
  addSigned<arith::MinSIOp, [](S x, S y, Lanes &) { return std::min(x, y); }>(
      loops);
  addUnsigned<arith::MaxUIOp, [](U x, U y, Lanes &) { return std::max(x, y); }>(
      loops);
  addUnsigned<arith::MinUIOp, [](U x, U y, Lanes &) { return std::min(x, y); }>(
      loops);
  loops.add<arith::CmpIOp>(Element::Integer, Element::Integer, compareLoop);
}

void addQuotients(Loops &loops) {
  using S = int64_t;
  using U = uint64_t;
  addSigned<arith::DivSIOp, [](S x, S y, Lanes &l) {
    return divides(x, y, l) ? x / y : S(0);
  }>(loops);
  addUnsigned<arith::DivUIOp, [](U x, U y, Lanes &l) {
    return divides(x, y, l) ? x / y : U(0);
  }>(loops);
  addSigned<arith::RemSIOp, [](S x, S y, Lanes &l) {
    return divides(x, y, l) ? x % y : S(0);
  }>(loops);
  addUnsigned<arith::RemUIOp, [](U x, U y, Lanes &l) {
    return divides(x, y, l) ? x % y : U(0);
  }>(loops);
  addSigned<arith::FloorDivSIOp, [](S x, S y, Lanes &l) {
    if (!divides(x, y, l))
      return S(0);
    return x / y - S(x % y != 0 && (x < 0) != (y < 0));
  }>(loops);
  addSigned<arith::CeilDivSIOp, [](S x, S y, Lanes &l) {
    if (!divides(x, y, l))
      return S(0);
    return x / y + S(x % y != 0 && (x < 0) == (y < 0));
  }>(loops);
  addUnsigned<arith::CeilDivUIOp, [](U x, U y, Lanes &l) {
    return divides(x, y, l) ? x / y + U(x % y != 0) : U(0);
  }>(loops);
}

void addShifts(Loops &loops) {
  using U = uint64_t;
  addUnsigned<arith::ShLIOp, [](U x, U y, Lanes &l) {
    return shifts(y, l) ? x << y : U(0);
  }>(loops);
  addUnsigned<arith::ShRUIOp, [](U x, U y, Lanes &l) {
    return shifts(y, l) ? x >> y : U(0);
  }>(loops);
  addUnsigned<arith::ShRSIOp, [](U x, U y, Lanes &l) {
    int64_t s = asSigned(wrapInteger(int64_t(x), l.width), l.width);
    return shifts(y, l) ? U(s >> y) : U(0);
  }>(loops);
}

} // namespace

void addIntegerLoops(Loops &loops) {
  addRing(loops);
  addOrders(loops);
  addQuotients(loops);
  addShifts(loops);
}

} // namespace rubato::interp
