// The table of evaluation rules, one per operation; filled dialect by dialect.
#ifndef RUBATO_TOOLS_INTERP_RULES_H
#define RUBATO_TOOLS_INTERP_RULES_H

#include "tools/rubato-interp/Evaluate.h"

namespace rubato::interp {

/// One evaluation of one operation. The operands are known and of the types of
/// `op`'s operands; the result types have known values.
struct Call {
  mlir::Operation *op;
  llvm::ArrayRef<Value> operands;
  llvm::SmallVectorImpl<Value> &results;
  /// Values from outside that a region of `op` reads; null where there is no
  /// surrounding block.
  const Environment *captured;

  mlir::Type resultType() const { return op->getResult(0).getType(); }
  llvm::LogicalResult yield(Value value) const {
    results.push_back(std::move(value));
    return llvm::success();
  }
};

using Rule = llvm::LogicalResult (*)(const Call &);

/// The rules of operations that are not elementwise.
class Rules {
public:
  template <typename Op> void add(Rule rule) {
    table[mlir::TypeID::get<Op>()] = rule;
  }
  /// The rule of `op`, or null.
  Rule lookup(mlir::Operation *op) const {
    return table.lookup(op->getName().getTypeID());
  }

private:
  llvm::DenseMap<mlir::TypeID, Rule> table;
};

void addConstantRules(Rules &rules);
void addNnRules(Rules &rules);
void addNnScoreRules(Rules &rules);
void addTensorRules(Rules &rules);
void addTensorSliceRules(Rules &rules);

/// The rule of every operation that implements linalg's interface.
llvm::LogicalResult evaluateLinalg(const Call &call);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_RULES_H
