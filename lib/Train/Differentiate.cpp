// Reverse-mode differentiation of straight-line code.
#include "rubato/Train/Differentiate.h"

#include "dialects/nn/Nn.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace rubato;

namespace {

/// Collects operations without a rule, by kind, for one report.
class MissingRules {
public:
  void add(Operation *op) {
    missing[op->getName().getStringRef()].push_back(op);
  }
  bool empty() const { return missing.empty(); }

  LogicalResult report() const {
    Operation *first = missing.front().second.front();
    InFlightDiagnostic diag = first->emitError(
        "cannot train through operations that have no gradient rule:");
    for (const auto &[name, ops] : missing)
      diag << " " << name << " (" << ops.size() << ")";
    diag << "; freeze the parameters in front of them with --freeze, or "
            "export the model without them";
    for (const auto &[name, ops] : missing)
      for (Operation *op : ops)
        diag.attachNote(op->getLoc()) << "no gradient rule for " << name;
    return failure();
  }

private:
  llvm::MapVector<StringRef, SmallVector<Operation *>> missing;
};

/// Operations of the block that depend on one of `wrt`, in order.
llvm::SetVector<Operation *> dependents(Block &block, ArrayRef<Value> wrt) {
  llvm::SmallPtrSet<Value, 16> active(wrt.begin(), wrt.end());
  llvm::SetVector<Operation *> ops;
  for (Operation &op : block) {
    if (!llvm::any_of(op.getOperands(),
                      [&](Value v) { return active.contains(v); }))
      continue;
    ops.insert(&op);
    active.insert_range(op.getResults());
  }
  return ops;
}

/// Says in every new operation's location that it belongs to the backward
/// pass; traces and kernel names are made from it.
class MarkBackward : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), "backward"),
                            op->getLoc()));
  }
};

} // namespace

LogicalResult rubato::differentiate(OpBuilder &outer, Value output, Value seed,
                                    ArrayRef<Value> wrt,
                                    SmallVectorImpl<Value> &gradients) {
  MarkBackward mark;
  OpBuilder builder(outer);
  builder.setListener(&mark);

  llvm::SetVector<Operation *> active =
      dependents(*output.getParentBlock(), wrt);
  llvm::DenseMap<Value, Value> gradientOf{{output, seed}};
  MissingRules missing;

  for (Operation *op : llvm::reverse(active.getArrayRef())) {
    SmallVector<Value> results;
    for (Value result : op->getResults())
      results.push_back(gradientOf.lookup(result));
    if (llvm::none_of(results, [](Value v) { return v != nullptr; }))
      continue; // does not reach the output

    auto rule = dyn_cast<nn::DifferentiableOpInterface>(op);
    if (!rule) {
      missing.add(op);
      continue;
    }
    SmallVector<Value> operands(op->getNumOperands());
    if (failed(rule.buildGradient(builder, results, operands)))
      return failure();
    for (auto [index, gradient] : llvm::enumerate(operands)) {
      Value operand = op->getOperand(index);
      bool wanted =
          llvm::is_contained(wrt, operand) ||
          (operand.getDefiningOp() && active.contains(operand.getDefiningOp()));
      if (!gradient || !wanted || !rule.flowsGradient(index))
        continue;
      Value &sum = gradientOf[operand];
      sum = sum ? arith::AddFOp::create(builder, op->getLoc(), sum, gradient)
                : gradient;
    }
  }
  if (!missing.empty())
    return missing.report();
  for (Value value : wrt)
    gradients.push_back(gradientOf.lookup(value));
  return success();
}
