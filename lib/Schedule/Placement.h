// Where values live: named buffers, and addresses in them.
#ifndef RUBATO_LIB_SCHEDULE_PLACEMENT_H
#define RUBATO_LIB_SCHEDULE_PLACEMENT_H

#include "dialects/sched/Sched.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace rubato {

/// Bytes of a tensor of static shape.
int64_t bytesOf(mlir::Type type);

struct Buffer {
  std::string name;
  sched::ArenaRegion region;
  int64_t bytes;
  int64_t offset = 0; // in the region; of a value its number
  bool isValue() const { return region == sched::ArenaRegion::Value; }
};

struct Address {
  unsigned buffer;
  int64_t offset;
  bool operator==(const Address &) const = default;
};

/// Assigns buffers to values. Pinned values (cells, batches, numbers of the
/// host) have buffers of their own for the whole run; scratch values share
/// memory by lifetime, body by body.
class Placement {
public:
  /// A new buffer at the end of its region.
  unsigned addBuffer(llvm::StringRef name, sched::ArenaRegion region,
                     int64_t bytes);

  /// Gives what was a value a place in the private region.
  void pin(unsigned buffer);

  bool isPlaced(mlir::Value value) const { return places.contains(value); }
  Address at(mlir::Value value) const { return places.lookup(value); }
  void set(mlir::Value value, Address address) { places[value] = address; }

  /// Makes `value` be computed at `address`: follows packs to their operands
  /// and loops to their carried values.
  llvm::LogicalResult direct(mlir::Value value, Address address);

  /// Views (unpack, reshape) of placed values live inside them.
  void placeViews(mlir::Block &block);

  /// Scratch for every result of a kernel call of `order` that has no place
  /// yet; lifetimes are positions in `order`.
  void placeScratch(llvm::ArrayRef<mlir::func::CallOp> order,
                    llvm::StringRef prefix);

  const Buffer &buffer(unsigned index) const { return buffers[index]; }
  llvm::ArrayRef<Buffer> allBuffers() const { return buffers; }

  /// Puts scratch behind the pinned part and returns the region's size.
  int64_t finish(sched::ArenaRegion region);

private:
  /// `wanted`, or with a number behind it where a buffer has that name.
  std::string uniqueName(llvm::StringRef wanted) const;

  std::vector<Buffer> buffers;
  llvm::DenseMap<mlir::Value, Address> places;
  llvm::SmallVector<unsigned> scratch; // offsets relative to the scratch part
  int64_t pinnedBytes[4] = {};
  int64_t scratchBytes = 0;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PLACEMENT_H
