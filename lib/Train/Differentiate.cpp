// Reverse-mode differentiation of straight-line code.
#include "rubato/Train/Differentiate.h"

#include "dialects/nn/Nn.h"
#include "rubato/Support/Unsupported.h"

#include "mlir/IR/TypeUtilities.h"
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
    markUnsupported(diag);
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

/// The operations without a rule between the leaves and `output`: all of them,
/// also those in front of another such operation.
MissingRules findMissingRules(ArrayRef<Operation *> active, Value output) {
  llvm::SmallPtrSet<Value, 16> reached{output};
  SmallVector<Operation *> without;
  for (Operation *op : llvm::reverse(active)) {
    if (llvm::none_of(op->getResults(),
                      [&](Value v) { return reached.contains(v); }))
      continue; // does not reach the output
    auto rule = dyn_cast<nn::DifferentiableOpInterface>(op);
    if (!rule)
      without.push_back(op);
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (rule ? rule.flowsGradient(index)
               : isa<FloatType>(getElementTypeOrSelf(operand.getType())))
        reached.insert(operand);
  }
  MissingRules missing;
  for (Operation *op : llvm::reverse(without))
    missing.add(op);
  return missing;
}

/// Says in every new operation's location that it belongs to the backward
/// pass; traces and kernel names are made from it.
class MarkBackward : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), "backward"),
                            op->getLoc()));
    inserted.push_back(op);
  }

  /// Rules give the gradients of all operands; those that nobody wanted (of a
  /// model's inputs, say) go again.
  void eraseUnused(ArrayRef<Value> wanted) {
    for (Operation *op : llvm::reverse(inserted))
      if (isOpTriviallyDead(op) && llvm::none_of(wanted, [&](Value value) {
            return value && value.getDefiningOp() == op;
          }))
        op->erase();
    inserted.clear();
  }

private:
  SmallVector<Operation *> inserted;
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
  if (MissingRules missing = findMissingRules(active.getArrayRef(), output);
      !missing.empty())
    return missing.report();
  llvm::DenseMap<Value, Value> gradientOf{{output, seed}};

  for (Operation *op : llvm::reverse(active.getArrayRef())) {
    SmallVector<Value> results;
    for (Value result : op->getResults())
      results.push_back(gradientOf.lookup(result));
    if (llvm::none_of(results, [](Value v) { return v != nullptr; }))
      continue; // does not reach the output

    auto rule = cast<nn::DifferentiableOpInterface>(op);
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
  for (Value value : wrt)
    gradients.push_back(gradientOf.lookup(value));
  mark.eraseUnused(gradients);
  return success();
}
