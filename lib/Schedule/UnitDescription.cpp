// The body of the manifest, as an attribute that every dump shows.
#include "UnitDescription.h"

#include "Describe.h"

#include "rubato/Support/Stage.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

namespace {

/// Classes of a label: columns of the scores its losses are computed from.
int64_t classesOf(ModuleOp module, func::FuncOp evaluate, Value label) {
  for (auto call : evaluate.getBody().front().getOps<func::CallOp>()) {
    auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
    for (auto [i, operand] : llvm::enumerate(call.getOperands()))
      if (operand == label && i > 0)
        if (auto scores =
                dyn_cast<RankedTensorType>(kernel.getArgumentTypes()[0]);
            scores && scores.getRank() == 2 &&
            cast<RankedTensorType>(label.getType())
                .getElementType()
                .isInteger(64))
          return scores.getDimSize(1);
  }
  return 0;
}

} // namespace

Describe::Entries rubato::describeCommon(Describe &d, ModuleOp module) {
  Builder &b = d.b;
  auto function = module.lookupSymbol<func::FuncOp>("evaluate");
  const Placement &placement = d.placement;

  SmallVector<Attribute> cells;
  for (auto cell : module.getOps<gsync::CellOp>()) {
    // Renamed by the scheduler so that buffers may have the cells' names.
    StringRef symbol = cell.getSymName();
    symbol.consume_front("cell.");
    const auto *buffer =
        llvm::find_if(placement.allBuffers(), [&](const Buffer &candidate) {
          return candidate.name == symbol;
        });
    std::string name = symbol.str();
    llvm::replace(name, '_', '-');
    StringRef init = cell.getLayout()                             ? "layout"
                     : cell.getRole() == gsync::CellRole::Setting ? "setting"
                                                                  : "zero";
    SmallVector<NamedAttribute> entries{
        d.entry("name", name),
        d.entry("role", gsync::stringifyCellRole(cell.getRole())),
        d.entry("region", sched::stringifyArenaRegion(buffer->region)),
        d.entry("offset", buffer->offset),
        d.entry("bytes", buffer->bytes),
        d.entry("dtype", d.dtype(cell.getType())),
        d.entry("init", init)};
    if (cell.getDefaultValueAttr())
      entries.push_back(d.entry("default", cell.getDefaultValueAttr()));
    cells.push_back(b.getDictionaryAttr(entries));
  }

  // @evaluate(w, [frozen,] inputs…, label, weights, ids)
  Block &evaluate = function.getBody().front();
  unsigned count = evaluate.getNumArguments();
  unsigned first = module.lookupSymbol("frozen") ? 2 : 1;
  SmallVector<Attribute> inputs, labels;
  auto nameOf = [&](unsigned i) {
    return function.getArgAttrOfType<StringAttr>(i, kNameAttr).getValue();
  };
  for (unsigned i = first; i < count - 3; ++i)
    inputs.push_back(d.batch(nameOf(i), evaluate.getArgument(i)));
  Value label = evaluate.getArgument(count - 3);
  labels.push_back(
      d.batch(nameOf(count - 3), label, classesOf(module, function, label)));
  auto batch = b.getDictionaryAttr(
      {d.entry("inputs", b.getArrayAttr(inputs)),
       d.entry("labels", b.getArrayAttr(labels)),
       d.entry("weights", d.batch("weights", evaluate.getArgument(count - 2))),
       d.entry("ids", d.batch("ids", evaluate.getArgument(count - 1)))});

  ValueRange results = evaluate.getTerminator()->getOperands();
  auto evaluation =
      b.getDictionaryAttr({d.entry("loss", d.place(results[0])),
                           d.entry("correct", d.place(results[1])),
                           d.entry("valid", d.place(results[2]))});

  auto quantum =
      cast<RankedTensorType>(evaluate.getArgument(count - 1).getType())
          .getDimSize(0);
  return {d.entry("quantum", quantum),
          d.entry("float", d.dtype(evaluate.getArgument(0).getType())),
          d.entry("cells", b.getArrayAttr(cells)), d.entry("batch", batch),
          d.entry("evaluate", evaluation)};
}

DictionaryAttr rubato::describeUnit(ModuleOp module, ProgramParts &parts,
                                    const Placement &placement,
                                    ArrayRef<BucketRange> buckets) {
  Describe d{Builder(module.getContext()), placement};
  Builder &b = d.b;
  Describe::Entries entries = describeCommon(d, module);
  ValueRange sums = parts.await.getValues();
  auto round = b.getDictionaryAttr({d.entry("samples", d.place(sums[1])),
                                    d.entry("loss", d.place(sums[2]))});
  ValueRange own = parts.reduce.getValues();
  Attribute gradient = d.place(own[0], {d.entry("samples", d.place(own[1])),
                                        d.entry("loss", d.place(own[2]))});
  SmallVector<Attribute> cuts;
  auto slots = llvm::to_vector(parts.layout.slots());
  for (const BucketRange &bucket : buckets) {
    SmallVector<Attribute> names;
    for (unsigned i = bucket.firstSlot; i < bucket.endSlot; ++i)
      names.push_back(b.getStringAttr(slots[i].getName()));
    cuts.push_back(b.getDictionaryAttr(
        {d.entry("offset", bucket.offset), d.entry("count", bucket.count),
         d.entry("slots", b.getArrayAttr(names))}));
  }
  entries.push_back(d.entry("round", round));
  entries.push_back(d.entry("gradient", gradient));
  entries.push_back(d.entry("buckets", b.getArrayAttr(cuts)));
  return b.getDictionaryAttr(entries);
}
