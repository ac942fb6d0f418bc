// Writes the dictionaries that become the manifest.
#ifndef RUBATO_LIB_SCHEDULE_DESCRIBE_H
#define RUBATO_LIB_SCHEDULE_DESCRIBE_H

#include "Placement.h"

#include "mlir/IR/Builders.h"

namespace rubato {

/// Dictionaries with few words.
struct Describe {
  mlir::Builder b;
  const Placement &placement;
  using Entries = llvm::SmallVector<mlir::NamedAttribute>;

  mlir::NamedAttribute entry(llvm::StringRef key, mlir::Attribute value) {
    return b.getNamedAttr(key, value);
  }
  mlir::NamedAttribute entry(llvm::StringRef key, llvm::StringRef value) {
    return b.getNamedAttr(key, b.getStringAttr(value));
  }
  mlir::NamedAttribute entry(llvm::StringRef key, int64_t value) {
    return b.getNamedAttr(key, b.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute flag(llvm::StringRef key, bool value) {
    return b.getNamedAttr(key, b.getBoolAttr(value));
  }

  llvm::StringRef dtype(mlir::Type type) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    return element.isF32() ? "f32" : element.isF64() ? "f64" : "i64";
  }

  /// {region, offset} of an address or a value, with more entries in front.
  mlir::Attribute place(Address address, Entries more = {}) {
    const Buffer &buffer = placement.buffer(address.buffer);
    more.push_back(entry("region", sched::stringifyArenaRegion(buffer.region)));
    more.push_back(entry("offset", buffer.offset + address.offset));
    return b.getDictionaryAttr(more);
  }
  mlir::Attribute place(mlir::Value value, Entries more = {}) {
    return place(placement.at(value), std::move(more));
  }

  mlir::Attribute batch(llvm::StringRef name, mlir::Value value,
                        int64_t classes = 0) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    const Buffer &buffer = placement.buffer(placement.at(value).buffer);
    Entries entries{entry("name", name), entry("dtype", dtype(type)),
                    entry("shape", b.getI64ArrayAttr(type.getShape())),
                    entry("offset", buffer.offset)};
    if (buffer.region != sched::ArenaRegion::Private)
      entries.push_back(
          entry("region", sched::stringifyArenaRegion(buffer.region)));
    if (classes)
      entries.push_back(entry("classes", classes));
    return b.getDictionaryAttr(entries);
  }
};

/// What every unit has: quantum, float type, cells, batch and the results of
/// an evaluation.
Describe::Entries describeCommon(Describe &d, mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_DESCRIBE_H
