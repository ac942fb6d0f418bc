// place-numbers: what the host computes with lies where the host reaches it.
#include "ArenaPlanner.h"

#include "dialects/sched/Sched.h"
#include "rubato/Schedule/Passes.h"

namespace rubato {
#define GEN_PASS_DEF_PLACENUMBERS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using sched::ArenaRegion;

namespace {

constexpr int64_t word = 8; // bytes of every number

/// Who touches a buffer.
struct Touched {
  bool kernels = false, host = false;
};

class Numbers {
public:
  explicit Numbers(ModuleOp module) : module(module) {}

  void place() {
    find();
    follow();
    lay();
  }

private:
  /// Calls `visit` with the buffer of every place that an operation names.
  static void forEachBuffer(Operation *op,
                            llvm::function_ref<void(StringAttr)> visit) {
    op->getAttrDictionary().walk(
        [&](sched::RangeAttr range) { visit(range.getBuffer().getAttr()); });
    op->getAttrDictionary().walk([&](sched::TypedRangeAttr range) {
      visit(range.getBuffer().getAttr());
    });
    op->getAttrDictionary().walk(
        [&](sched::PlaceAttr place) { visit(place.getBuffer().getAttr()); });
  }

  void find() {
    for (Operation &entry : *module.getBody()) {
      bool segment = isa<sched::SegmentOp>(entry);
      if (segment || isa<sched::ProgramOp>(entry))
        entry.walk([&](Operation *op) {
          forEachBuffer(op, [&](StringAttr name) {
            (segment ? touched[name].kernels : touched[name].host) = true;
          });
        });
      // The runtime reads results and writes batches through the device.
      if (isa<sched::ResultOp>(entry))
        forEachBuffer(&entry,
                      [&](StringAttr name) { touched[name] = {true, true}; });
      if (auto batch = dyn_cast<sched::BatchBufferOp>(entry))
        touched[batch.getBufferAttr().getAttr()] = {true, true};
      // A tensor that is carried stays where kernels may reach it.
      entry.walk([&](sched::FrameOp frame) {
        if (frame.getKind() == sched::FrameKind::Tensor)
          touched[frame.getBufferAttr().getAttr()].kernels = true;
      });
    }
    for (auto buffer : module.getOps<sched::BufferOp>())
      if (!isNumber(buffer))
        touched[buffer.getSymNameAttr()].kernels = true;
  }

  /// A copy from where kernels compute, or to there, is one of the device.
  void follow() {
    bool changed = true;
    while (changed) {
      changed = false;
      module.walk([&](sched::CopyOp copy) {
        SmallVector<StringAttr> ends;
        forEachBuffer(copy, [&](StringAttr name) { ends.push_back(name); });
        bool any = llvm::any_of(
            ends, [&](StringAttr name) { return touched[name].kernels; });
        for (StringAttr name : ends)
          if (any && !std::exchange(touched[name].kernels, true))
            changed = true;
      });
    }
  }

  static bool isNumber(sched::BufferOp buffer) {
    return (buffer.getRegion() == ArenaRegion::Private ||
            buffer.getRegion() == ArenaRegion::Host) &&
           int64_t(buffer.getBytes()) <= word;
  }

  /// The host's in their own region; those of both sides in one piece behind
  /// all else, so that a device brings them at once.
  void lay() {
    int64_t end = 0, host = 0;
    SmallVector<sched::BufferOp> both;
    auto set = [](sched::BufferOp buffer, int64_t offset) {
      buffer.setOffsetAttr(
          Builder(buffer.getContext()).getI64IntegerAttr(offset));
    };
    for (auto buffer : module.getOps<sched::BufferOp>()) {
      if (buffer.getRegion() != ArenaRegion::Private && !isNumber(buffer))
        continue;
      Touched by = touched[buffer.getSymNameAttr()];
      bool own = isNumber(buffer) && !by.kernels;
      buffer.setRegion(own ? ArenaRegion::Host : ArenaRegion::Private);
      if (own) {
        set(buffer, host);
        host += word;
      } else if (isNumber(buffer) && by.host) {
        both.push_back(buffer);
      } else {
        set(buffer, end);
        end = align(end + int64_t(buffer.getBytes()));
      }
    }
    int64_t begin = end;
    for (sched::BufferOp buffer : both) {
      set(buffer, end);
      end += word;
    }
    sched::ArenaOp arena = sched::ArenaOp::of(module);
    Builder b(module.getContext());
    arena.setPrivateBytesAttr(b.getI64IntegerAttr(align(end)));
    arena.setHostBytesAttr(b.getI64IntegerAttr(host));
    if (both.empty())
      arena.removeNumbersAttr();
    else
      arena.setNumbers(ArrayRef<int64_t>{begin, end - begin});
  }

  static int64_t align(int64_t bytes) {
    return llvm::alignTo(bytes, kArenaAlignment);
  }

  ModuleOp module;
  llvm::DenseMap<StringAttr, Touched> touched;
};

struct PlaceNumbers : rubato::impl::PlaceNumbersBase<PlaceNumbers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!sched::ArenaOp::of(module))
      return;
    // Ranges that lie in each other are of no use to tell who touches what.
    SmallVector<std::pair<int64_t, sched::BufferOp>> all;
    for (auto buffer : module.getOps<sched::BufferOp>())
      if (buffer.getRegion() == ArenaRegion::Private)
        all.push_back({int64_t(buffer.getOffset()), buffer});
    llvm::sort(all, llvm::less_first());
    for (size_t i = 1; i < all.size(); ++i) {
      auto [offset, before] = all[i - 1];
      if (offset + int64_t(before.getBytes()) > all[i].first)
        return; // nothing is moved
    }
    Numbers(module).place();
  }
};

} // namespace
