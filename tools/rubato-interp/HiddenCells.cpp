// Which integer cells decide about nothing where only control matters.
#include "tools/rubato-interp/Independence.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// Follows the values that come from a cell. They may be computed with, and
/// stored in cells that are hidden; every other use may decide something.
bool Independence::decides(unsigned cell, const llvm::BitVector &hidden) const {
  llvm::SetVector<mlir::Value> reached;
  auto isIt = [&](FlatSymbolRefAttr name) {
    return program.index(name.getValue()) == cell;
  };
  program.module.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      if (isIt(load.getCellAttr()))
        reached.insert(load.getValue());
    if (auto atomic = dyn_cast<AtomicOp>(op))
      for (auto [name, argument] :
           llvm::zip(atomic.getCells().getAsRange<FlatSymbolRefAttr>(),
                     atomic.getBody().getArguments()))
        if (isIt(name))
          reached.insert(argument);
  });
  for (size_t i = 0; i != reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      unsigned index = use.getOperandNumber();
      auto atomic = dyn_cast<AtomicOp>(user->getParentOp());
      if (isa<YieldOp>(user) && atomic) {
        size_t cells = atomic.getCells().size();
        if (index >= cells)
          reached.insert(atomic.getResult(index - cells));
        else if (!hidden[program.index(
                     cast<FlatSymbolRefAttr>(atomic.getCells()[index])
                         .getValue())])
          return true;
        continue;
      }
      if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp())) {
        reached.insert(user->getParentOp()->getResult(index));
        continue;
      }
      auto call = dyn_cast<func::CallOp>(user);
      bool computes = call ? program.isPure(program.callee(call))
                           : user->getNumRegions() == 0 &&
                                 !user->hasTrait<OpTrait::IsTerminator>() &&
                                 !isa<GsyncDialect>(user->getDialect());
      if (!computes)
        return true;
      reached.insert(user->result_begin(), user->result_end());
    }
  return false;
}

llvm::BitVector Independence::findHidden() const {
  llvm::BitVector hidden(program.cells.size(), true);
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned cell : hidden.set_bits())
      if (elementOf(program.cells[cell].getType()) == Element::Integer &&
          decides(cell, hidden)) {
        hidden.reset(cell);
        changed = true;
        break;
      }
  }
  return hidden;
}

} // namespace rubato::interp
