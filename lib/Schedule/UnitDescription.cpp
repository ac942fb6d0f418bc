// The body of the manifest, as an attribute that every dump shows.
#include "UnitDescription.h"

#include "Describe.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

using A = nn::ArgumentRole;

Describe::Entries rubato::describeCommon(Describe &d, ModuleOp module) {
  Builder &b = d.b;
  // Both kinds of schedules have read it before.
  auto evaluate =
      *nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate);
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

  SmallVector<Attribute> inputs, labels;
  for (unsigned i : evaluate.indices(A::Input))
    inputs.push_back(d.batch(evaluate.name(i), evaluate.argument(i)));
  for (unsigned i : evaluate.indices(A::Label))
    labels.push_back(d.batch(evaluate.name(i), evaluate.argument(i),
                             evaluate.role(i).getClasses()));
  auto single = [&](A role) {
    return d.batch(nn::stringifyArgumentRole(role), evaluate.argument(role));
  };
  auto batch = b.getDictionaryAttr({d.entry("inputs", b.getArrayAttr(inputs)),
                                    d.entry("labels", b.getArrayAttr(labels)),
                                    d.entry("weights", single(A::Weights)),
                                    d.entry("ids", single(A::Ids))});

  SmallVector<NamedAttribute> evaluation;
  for (nn::ResultRole role :
       {nn::ResultRole::Loss, nn::ResultRole::Correct, nn::ResultRole::Valid})
    evaluation.push_back(d.entry(nn::stringifyResultRole(role),
                                 d.place(evaluate.returned(role))));

  return {d.entry("quantum", evaluate.batchSize()),
          d.entry("float", d.dtype(evaluate.type(A::Parameters))),
          d.entry("cells", b.getArrayAttr(cells)), d.entry("batch", batch),
          d.entry("evaluate", b.getDictionaryAttr(evaluation))};
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
