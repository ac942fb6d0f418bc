// Writes the entries of a unit: what lies where.
#ifndef RUBATO_LIB_SCHEDULE_DESCRIBE_H
#define RUBATO_LIB_SCHEDULE_DESCRIBE_H

#include "Placement.h"

#include "mlir/IR/Builders.h"

namespace rubato {

/// Entries in a block of their own: their names are free in the module when
/// the program that they describe is gone.
struct Describe {
  Describe(mlir::ModuleOp module, const Placement &placement)
      : placement(placement), entries(std::make_unique<mlir::Block>()),
        b(module.getContext()), loc(module.getLoc()) {
    b.setInsertionPointToEnd(entries.get());
  }

  const Placement &placement;
  std::unique_ptr<mlir::Block> entries;
  mlir::OpBuilder b;
  mlir::Location loc;

  mlir::FlatSymbolRefAttr symbol(llvm::StringRef name) {
    return mlir::FlatSymbolRefAttr::get(b.getContext(), name);
  }
  mlir::FlatSymbolRefAttr buffer(Address address) {
    return symbol(placement.buffer(address.buffer).name);
  }

  /// The type in which a number or a tensor lies in memory.
  mlir::Type stored(mlir::Type type) {
    if (mlir::isa<mlir::RankedTensorType, mlir::FloatType>(type))
      return type;
    return b.getI64Type(); // flags, handles and sets of members as well
  }

  void batch(sched::BatchPart part, llvm::StringRef name, mlir::Value value,
             int64_t classes = 0) {
    sched::BatchBufferOp::create(
        b, loc, sched::BatchPartAttr::get(b.getContext(), part),
        b.getStringAttr(name), buffer(placement.at(value)),
        mlir::TypeAttr::get(value.getType()),
        classes ? b.getI64IntegerAttr(classes) : mlir::IntegerAttr());
  }

  /// What `program` leaves at an address.
  void result(llvm::StringRef program, sched::ResultKind kind, Address address,
              mlir::Type type) {
    auto place =
        sched::PlaceAttr::get(b.getContext(), buffer(address), address.offset);
    sched::ResultOp::create(b, loc, symbol(program),
                            sched::ResultKindAttr::get(b.getContext(), kind),
                            place, mlir::TypeAttr::get(type));
  }
  void result(llvm::StringRef program, sched::ResultKind kind,
              mlir::Value value) {
    result(program, kind, placement.at(value), value.getType());
  }
};

/// What every unit has: cells, batch and the results of an evaluation.
void describeCommon(Describe &d, mlir::ModuleOp module);

/// Channels, in the order of their numbers.
void describeChannels(Describe &d, mlir::ModuleOp module);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_DESCRIBE_H
