// The body of the manifest, as an attribute that every dump shows.
#include "UnitDescription.h"

#include "rubato/Support/Stage.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

namespace {

/// Writes dictionaries with few words.
struct Describe {
  Builder b;
  const Placement &placement;

  NamedAttribute entry(StringRef key, Attribute value) {
    return b.getNamedAttr(key, value);
  }
  NamedAttribute entry(StringRef key, StringRef value) {
    return b.getNamedAttr(key, b.getStringAttr(value));
  }
  NamedAttribute entry(StringRef key, int64_t value) {
    return b.getNamedAttr(key, b.getI64IntegerAttr(value));
  }

  StringRef dtype(Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    return element.isF32() ? "f32" : element.isF64() ? "f64" : "i64";
  }

  /// {region, offset} of a value, with more entries in front.
  Attribute place(Value value, SmallVector<NamedAttribute> more = {}) {
    Address address = placement.at(value);
    const Buffer &buffer = placement.buffer(address.buffer);
    more.push_back(entry("region", sched::stringifyArenaRegion(buffer.region)));
    more.push_back(entry("offset", buffer.offset + address.offset));
    return b.getDictionaryAttr(more);
  }

  Attribute batch(StringRef name, Value value, int64_t classes = 0) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<NamedAttribute> entries{
        entry("name", name), entry("dtype", dtype(type)),
        entry("shape", b.getI64ArrayAttr(type.getShape())),
        entry("offset", placement.buffer(placement.at(value).buffer).offset)};
    if (classes)
      entries.push_back(entry("classes", classes));
    return b.getDictionaryAttr(entries);
  }
};

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

DictionaryAttr rubato::describeUnit(ModuleOp module, ProgramParts &parts,
                                    const Placement &placement,
                                    ArrayRef<BucketRange> buckets) {
  Describe d{Builder(module.getContext()), placement};
  Builder &b = d.b;

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
  Block &evaluate = parts.evaluate.getBody().front();
  unsigned count = evaluate.getNumArguments();
  unsigned first = module.lookupSymbol("frozen") ? 2 : 1;
  SmallVector<Attribute> inputs, labels;
  auto nameOf = [&](unsigned i) {
    return parts.evaluate.getArgAttrOfType<StringAttr>(i, kNameAttr).getValue();
  };
  for (unsigned i = first; i < count - 3; ++i)
    inputs.push_back(d.batch(nameOf(i), evaluate.getArgument(i)));
  Value label = evaluate.getArgument(count - 3);
  labels.push_back(d.batch(nameOf(count - 3), label,
                           classesOf(module, parts.evaluate, label)));
  auto batch = b.getDictionaryAttr(
      {d.entry("inputs", b.getArrayAttr(inputs)),
       d.entry("labels", b.getArrayAttr(labels)),
       d.entry("weights", d.batch("weights", evaluate.getArgument(count - 2))),
       d.entry("ids", d.batch("ids", evaluate.getArgument(count - 1)))});

  ValueRange sums = parts.await.getValues();
  auto round = b.getDictionaryAttr({d.entry("samples", d.place(sums[1])),
                                    d.entry("loss", d.place(sums[2]))});
  ValueRange own = parts.reduce.getValues();
  Attribute gradient = d.place(own[0], {d.entry("samples", d.place(own[1])),
                                        d.entry("loss", d.place(own[2]))});
  ValueRange results = evaluate.getTerminator()->getOperands();
  auto evaluation =
      b.getDictionaryAttr({d.entry("loss", d.place(results[0])),
                           d.entry("correct", d.place(results[1])),
                           d.entry("valid", d.place(results[2]))});

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
  auto quantum =
      cast<RankedTensorType>(evaluate.getArgument(count - 1).getType())
          .getDimSize(0);
  return b.getDictionaryAttr(
      {d.entry("quantum", quantum),
       d.entry("float", d.dtype(evaluate.getArgument(0).getType())),
       d.entry("cells", b.getArrayAttr(cells)), d.entry("batch", batch),
       d.entry("round", round), d.entry("gradient", gradient),
       d.entry("evaluate", evaluation),
       d.entry("buckets", b.getArrayAttr(cuts))});
}
