// Operations that act element by element: one loop each over raw elements,
// which serves scalars, tensors and the bodies of linalg operations alike.
#ifndef RUBATO_TOOLS_INTERP_ELEMENTWISE_H
#define RUBATO_TOOLS_INTERP_ELEMENTWISE_H

#include "tools/rubato-interp/Value.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <array>

namespace rubato::interp {

/// What a loop works on.
struct Lanes {
  int64_t count;
  const void *const *inputs;
  void *output;
  /// Bits of the operands' and of the result's integers.
  unsigned width, resultWidth;
  /// Which comparison.
  int64_t predicate;
  /// Set where an element has no result; says why.
  const char *error = nullptr;

  template <typename T> const T *in(unsigned i) const {
    return static_cast<const T *>(inputs[i]);
  }
  template <typename T> T *out() const { return static_cast<T *>(output); }
};

using Loop = void (*)(Lanes &);

/// An operation's loop and what it must be told.
struct ElementwiseOp {
  Loop loop;
  unsigned width, resultWidth;
  int64_t predicate;

  /// Runs the loop; the error, or null.
  const char *run(int64_t count, const void *const *inputs,
                  void *output) const {
    Lanes lanes{count, inputs, output, width, resultWidth, predicate, nullptr};
    loop(lanes);
    return lanes.error;
  }
};

/// The loops of all elementwise operations of one result, by how the last
/// operand and the result are stored.
class Loops {
public:
  template <typename Op> void add(Element operand, Element result, Loop loop) {
    table[mlir::TypeID::get<Op>()][size_t(operand)][size_t(result)] = loop;
  }
  Loop lookup(mlir::Operation *op, Element operand, Element result) const;

private:
  using ByElement = std::array<std::array<Loop, 3>, 3>;
  llvm::DenseMap<mlir::TypeID, ByElement> table;
};

void addFloatLoops(Loops &loops);
void addIntegerLoops(Loops &loops);
void addCastLoops(Loops &loops);
void addMathLoops(Loops &loops);
void addNnLoops(Loops &loops);

/// The elementwise form of `op`, where it has one.
std::optional<ElementwiseOp> elementwiseOf(mlir::Operation *op);

/// Applies it to known values of `op`'s operand types, all of one shape.
llvm::LogicalResult evaluateElementwise(mlir::Operation *op,
                                        const ElementwiseOp &elementwise,
                                        llvm::ArrayRef<Value> operands,
                                        llvm::SmallVectorImpl<Value> &results);

/// Loops over one to three operands of type `In` by a function without state.
template <typename In, typename Out, auto Fn> void unaryLoop(Lanes &l) {
  const In *x = l.in<In>(0);
  Out *out = l.out<Out>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = Fn(x[i]);
}
template <typename In, typename Out, auto Fn> void binaryLoop(Lanes &l) {
  const In *x = l.in<In>(0), *y = l.in<In>(1);
  Out *out = l.out<Out>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = Fn(x[i], y[i]);
}
template <typename In, typename Out, auto Fn> void ternaryLoop(Lanes &l) {
  const In *x = l.in<In>(0), *y = l.in<In>(1), *z = l.in<In>(2);
  Out *out = l.out<Out>();
  for (int64_t i = 0; i != l.count; ++i)
    out[i] = Fn(x[i], y[i], z[i]);
}

/// Registers an operation on floats of one type with results of that type.
template <typename Op, auto Fn> void addFloatUnary(Loops &loops) {
  loops.add<Op>(Element::Single, Element::Single, unaryLoop<float, float, Fn>);
  loops.add<Op>(Element::Double, Element::Double,
                unaryLoop<double, double, Fn>);
}
template <typename Op, auto Fn> void addFloatBinary(Loops &loops) {
  loops.add<Op>(Element::Single, Element::Single, binaryLoop<float, float, Fn>);
  loops.add<Op>(Element::Double, Element::Double,
                binaryLoop<double, double, Fn>);
}
template <typename Op, auto Fn> void addFloatTernary(Loops &loops) {
  loops.add<Op>(Element::Single, Element::Single,
                ternaryLoop<float, float, Fn>);
  loops.add<Op>(Element::Double, Element::Double,
                ternaryLoop<double, double, Fn>);
}

/// The signed and the unsigned reading of a stored integer.
inline int64_t asSigned(int64_t value, unsigned width) {
  return width == 1 ? -value : value;
}
inline uint64_t asUnsigned(int64_t value, unsigned width) {
  return width >= 64 ? uint64_t(value)
                     : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_ELEMENTWISE_H
