// linalg operations on tensors, from what defines them: their indexing maps
// and their body. The body becomes a list of scalar steps once, which then
// runs at every point.
#include "tools/rubato-interp/Elementwise.h"
#include "tools/rubato-interp/Rules.h"
#include "tools/rubato-interp/Walk.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

#include <cstring>
#include <deque>

using namespace mlir;

namespace rubato::interp {

namespace {

/// A number while the body runs.
union Slot {
  int64_t integer;
  float single;
  double real;
};

size_t bytesOf(Element element) { return element == Element::Single ? 4 : 8; }

/// The body of a linalg operation, ready to run.
class Body {
public:
  LogicalResult compile(linalg::LinalgOp op, const Environment *captured);

  /// Runs it at a point; the error, or null.
  const char *run(ArrayRef<int64_t> index) {
    for (auto [slot, dim] : indices)
      slot->integer = index[dim];
    for (const Step &step : steps)
      if (const char *error = step.op.run(1, step.inputs.data(), step.output))
        return error;
    return nullptr;
  }
  Slot *argument(unsigned i) { return arguments[i]; }
  const Slot *result(unsigned i) const { return results[i]; }
  /// Whether the body reads a value that nobody knows.
  bool isOpaque() const { return opaque; }

private:
  struct Step {
    ElementwiseOp op;
    SmallVector<const void *, 3> inputs;
    Slot *output;
  };

  Slot *define(mlir::Value value) {
    slots.emplace_back();
    return slotOf[value] = &slots.back();
  }
  LogicalResult constant(Operation *op, mlir::Value name, const Value &value);
  LogicalResult capture(Operation *op, mlir::Value name,
                        const Environment *captured);
  LogicalResult compileOp(Operation *op, const Environment *captured);

  std::deque<Slot> slots; // which do not move
  llvm::DenseMap<mlir::Value, Slot *> slotOf;
  SmallVector<Step> steps;
  SmallVector<std::pair<Slot *, unsigned>> indices;
  SmallVector<Slot *> arguments;
  SmallVector<const Slot *> results;
  bool opaque = false;
};

LogicalResult Body::constant(Operation *op, mlir::Value name,
                             const Value &value) {
  if (value.isOpaque())
    opaque = true;
  else if (value.kind() != Value::Kind::Scalar)
    return op->emitOpError("reads a value in its body that is no scalar");
  Slot *slot = define(name);
  if (value.isKnown())
    std::memcpy(slot, value.data(), bytesOf(value.element()));
  return success();
}

LogicalResult Body::capture(Operation *op, mlir::Value name,
                            const Environment *captured) {
  Value value = captured ? captured->lookup(name) : Value();
  TypedAttr attribute;
  if (!value && matchPattern(name, m_Constant(&attribute)))
    if (FailureOr<Value> known = Value::fromAttr(attribute); succeeded(known))
      value = *known;
  if (!value)
    return op->emitOpError("reads a value that has not been computed");
  return constant(op, name, value);
}

LogicalResult Body::compileOp(Operation *op, const Environment *captured) {
  for (mlir::Value operand : op->getOperands())
    if (!slotOf.contains(operand) && failed(capture(op, operand, captured)))
      return failure();
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    for (mlir::Value operand : op->getOperands())
      results.push_back(slotOf[operand]);
    return success();
  }
  TypedAttr attribute;
  if (matchPattern(op, m_Constant(&attribute)))
    if (FailureOr<Value> value = Value::fromAttr(attribute); succeeded(value))
      return constant(op, op->getResult(0), *value);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indices.push_back({define(index), unsigned(index.getDim())});
    return success();
  }
  std::optional<ElementwiseOp> elementwise = elementwiseOf(op);
  if (!elementwise)
    return op->emitError("rubato-interp cannot evaluate '")
           << op->getName() << "' in the body of a linalg operation";
  Step step{*elementwise, {}, nullptr};
  for (mlir::Value operand : op->getOperands())
    step.inputs.push_back(slotOf[operand]);
  step.output = define(op->getResult(0));
  steps.push_back(std::move(step));
  return success();
}

LogicalResult Body::compile(linalg::LinalgOp op, const Environment *captured) {
  Block &block = *op.getBlock();
  for (BlockArgument argument : block.getArguments())
    arguments.push_back(define(argument));
  for (Operation &inner : block)
    if (failed(compileOp(&inner, captured)))
      return failure();
  return success();
}

/// How an operand is read along the loops.
struct Access {
  int64_t start = 0;
  Sizes strides;
};

/// Affine maps without division become strides: the place at no loop's start
/// and the way from there along each loop.
FailureOr<Access> accessOf(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (AffineExpr expr : map.getResults()) {
    WalkResult walk = expr.walk([](AffineExpr part) {
      return isa<AffineBinaryOpExpr>(part) &&
                     part.getKind() != AffineExprKind::Add &&
                     part.getKind() != AffineExprKind::Mul
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return op.emitError("rubato-interp cannot evaluate indexing maps that "
                          "divide");
  }
  Sizes strides = rowMajorStrides(op.getShape(&operand));
  auto placeAt = [&](ArrayRef<int64_t> point) {
    int64_t place = 0;
    for (auto [stride, i] : llvm::zip_equal(strides, map.compose(point)))
      place += stride * i;
    return place;
  };
  Sizes point(map.getNumDims(), 0);
  Access access{placeAt(point), {}};
  for (int64_t &coordinate : point) {
    coordinate = 1;
    access.strides.push_back(placeAt(point) - access.start);
    coordinate = 0;
  }
  return access;
}

} // namespace

LogicalResult evaluateLinalg(const Call &call) {
  auto op = cast<linalg::LinalgOp>(call.op);
  if (!op.hasPureTensorSemantics())
    return op.emitError("rubato-interp evaluates linalg operations on tensors "
                        "only");
  Body body;
  if (failed(body.compile(op, call.captured)))
    return failure();
  unsigned inputs = op.getNumDpsInputs(), outputs = op.getNumDpsInits();
  if (body.isOpaque()) {
    for (Type type : op->getResultTypes())
      call.results.push_back(Value::opaque(type));
    return success();
  }

  SmallVector<Sizes> strides;
  Sizes starts;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Access> access = accessOf(op, operand);
    if (failed(access))
      return failure();
    strides.push_back(access->strides);
    starts.push_back(access->start);
  }

  // Where each operand's elements are; results begin as their inits.
  SmallVector<const char *> from;
  SmallVector<std::vector<char>> buffers(outputs);
  SmallVector<size_t> bytes;
  for (auto [i, operand] : llvm::enumerate(call.operands)) {
    bytes.push_back(bytesOf(operand.element()));
    from.push_back(static_cast<const char *>(operand.data()));
    if (i >= inputs) {
      buffers[i - inputs].assign(from[i], from[i] + operand.size() * bytes[i]);
      from[i] = buffers[i - inputs].data();
    }
  }
  for (Walk w(op.getStaticLoopRanges(), strides, starts); w.valid(); w.next()) {
    for (unsigned i = 0; i != from.size(); ++i)
      std::memcpy(body.argument(i), from[i] + w.place(i) * bytes[i], bytes[i]);
    if (const char *error = body.run(w.index()))
      return op.emitOpError(error);
    for (unsigned o = 0; o != outputs; ++o)
      std::memcpy(buffers[o].data() + w.place(inputs + o) * bytes[inputs + o],
                  body.result(o), bytes[inputs + o]);
  }
  for (unsigned o = 0; o != outputs; ++o)
    withElement(call.operands[inputs + o].element(), [&](auto zero) {
      using T = decltype(zero);
      call.results.push_back(Value::build<T>(
          op->getResult(o).getType(), [&](MutableArrayRef<T> out) {
            if (!out.empty())
              std::memcpy(out.data(), buffers[o].data(), buffers[o].size());
          }));
    });
  return success();
}

} // namespace rubato::interp
