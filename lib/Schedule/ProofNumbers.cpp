// What the branches of a program tell about its numbers.
#include "ProofNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;
using arith::CmpIPredicate;
using Kind = Number::Kind;

/// Whether a comparison asks if the present body of a counted loop is its last:
/// `index + step >= bound`. The loop, or null.
static scf::ForOp asksForLast(arith::CmpIOp compare) {
  auto next = compare.getLhs().getDefiningOp<arith::AddIOp>();
  if (!next || compare.getPredicate() != CmpIPredicate::sge)
    return {};
  auto index = dyn_cast<BlockArgument>(next.getLhs());
  auto loop = index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp())
                    : scf::ForOp();
  if (!loop || index != loop.getInductionVar() ||
      compare.getRhs() != loop.getUpperBound())
    return {};
  APInt step, added;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !matchPattern(next.getRhs(), m_ConstantInt(&added)) || step != added)
    return {};
  return loop;
}

static std::optional<bool> compareExact(CmpIPredicate predicate, int64_t a,
                                        int64_t b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
    return a < b;
  case CmpIPredicate::sle:
    return a <= b;
  case CmpIPredicate::sgt:
    return a > b;
  case CmpIPredicate::sge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// If a comparison only asks whether one number is positive: which number, and
/// what the answer means.
static std::optional<std::pair<Value, bool>>
asksForPositive(arith::CmpIOp compare, const ProofState &state) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  Number a = numberOf(lhs, state), b = numberOf(rhs, state);
  CmpIPredicate predicate = compare.getPredicate();
  if ((predicate == CmpIPredicate::slt && b.is(1)) ||
      (predicate == CmpIPredicate::sle && b.is(0)))
    return std::pair(lhs, false);
  if ((predicate == CmpIPredicate::sgt && b.is(0)) ||
      (predicate == CmpIPredicate::sge && b.is(1)))
    return std::pair(lhs, true);
  if (predicate == CmpIPredicate::slt && a.is(0))
    return std::pair(rhs, true);
  return std::nullopt;
}

static Number compared(arith::CmpIOp compare, const ProofState &state) {
  if (scf::ForOp loop = asksForLast(compare))
    return Number::truth(llvm::is_contained(state.lastBodies, loop));
  Number a = numberOf(compare.getLhs(), state);
  Number b = numberOf(compare.getRhs(), state);
  CmpIPredicate predicate = compare.getPredicate();
  if (a.kind == Kind::Exact && b.kind == Kind::Exact) {
    auto answer = compareExact(predicate, a.value, b.value);
    return answer ? Number::truth(*answer) : Number();
  }
  if (auto asked = asksForPositive(compare, state)) {
    Number number = numberOf(asked->first, state);
    if (number.isPositive() || number.isNotPositive())
      return Number::truth(number.isPositive() == asked->second);
    return {};
  }
  bool differ = (a.isPositive() && b.isNotPositive()) ||
                (a.isNotPositive() && b.isPositive());
  if (differ && predicate == CmpIPredicate::eq)
    return Number::truth(false);
  if (differ && predicate == CmpIPredicate::ne)
    return Number::truth(true);
  return {};
}

static Number added(const Number &a, const Number &b) {
  if (a.kind == Kind::Exact && b.kind == Kind::Exact)
    return Number::exact(a.value + b.value);
  bool positive = (a.isPositive() && (b.isPositive() || b.is(0))) ||
                  (b.isPositive() && a.is(0));
  return positive ? Number{Kind::Positive} : Number();
}

Number rubato::numberOf(Value value, const ProofState &state) {
  if (std::optional<Number> known = state.find(value))
    return *known;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Number::exact(constant.getBitWidth() == 1
                             ? int64_t(constant.getZExtValue())
                             : constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto operand = [&](unsigned i) { return numberOf(op->getOperand(i), state); };
  return TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::CmpIOp compare) { return compared(compare, state); })
      .Case([&](arith::AddIOp) { return added(operand(0), operand(1)); })
      .Case([&](arith::ExtUIOp) { return operand(0); })
      .Case([&](arith::AndIOp) {
        Number a = operand(0), b = operand(1);
        return a.is(0) || b.is(0)   ? Number::truth(false)
               : a.is(1) && b.is(1) ? a
                                    : Number();
      })
      .Case([&](arith::XOrIOp) {
        Number a = operand(0), b = operand(1);
        return a.kind == Kind::Exact && b.kind == Kind::Exact
                   ? Number::exact(a.value ^ b.value)
                   : Number();
      })
      .Case([&](arith::SelectOp) {
        Number which = operand(0);
        return which.is(1) ? operand(1) : which.is(0) ? operand(2) : Number();
      })
      .Default([](Operation *) { return Number(); });
}

void rubato::assume(Value condition, bool holds, ProofState &state) {
  // What nobody else asks for is not worth states of its own.
  if (!condition.hasOneUse())
    state.set(condition, Number::truth(holds));
  Operation *op = condition.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    auto asked = asksForPositive(compare, state);
    if (asked && numberOf(asked->first, state).kind == Kind::Unknown &&
        !asked->first.hasOneUse())
      state.set(asked->first,
                {holds == asked->second ? Kind::Positive : Kind::NotPositive});
  }
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op); both && holds) {
    assume(both.getLhs(), true, state);
    assume(both.getRhs(), true, state);
  }
}

Branches rubato::branch(Value condition, const ProofState &state) {
  Number known = numberOf(condition, state);
  Branches result;
  for (bool holds : {true, false}) {
    if (known.kind == Kind::Exact && known.is(1) != holds)
      continue;
    ProofState &next = (holds ? result.holds : result.fails).emplace(state);
    if (known.kind != Kind::Exact)
      assume(condition, holds, next);
  }
  return result;
}

Number rubato::widened(Number number) {
  if (number.kind != Kind::Exact || number.value == 0)
    return number;
  return number.value > 0 ? Number{Kind::Positive} : Number{Kind::NotPositive};
}
