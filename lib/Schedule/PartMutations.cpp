// Single changes to parts of values that leave early or arrive late.
#include "ProgramMutations.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

/// The nearest launch in front of `op`, or behind it, that `accept` likes.
template <typename Step, typename Accept>
static LaunchOp findLaunch(Operation *op, Step step, Accept accept) {
  for (op = step(op); op; op = step(op))
    if (auto launch = dyn_cast<LaunchOp>(op); launch && accept(launch))
      return launch;
  return {};
}

static Operation *previous(Operation *op) { return op->getPrevNode(); }
static Operation *next(Operation *op) { return op->getNextNode(); }

/// Bytes of `buffer` that a list of ranges touches beyond `begin`: their end.
static int64_t endBeyond(ArrayAttr ranges, FlatSymbolRefAttr buffer,
                         int64_t begin) {
  int64_t end = begin;
  for (auto range : ranges.getAsRange<RangeAttr>())
    if (range.getBuffer() == buffer)
      end = std::max<int64_t>(end, range.getOffset() + range.getSize());
  return end;
}

static bool touches(ArrayAttr ranges, FlatSymbolRefAttr buffer, int64_t begin,
                    int64_t end) {
  return llvm::any_of(ranges.getAsRange<RangeAttr>(), [&](RangeAttr range) {
    return range.getBuffer() == buffer && range.getOffset() < end &&
           begin < range.getOffset() + range.getSize();
  });
}

static void addReady(ReadyOp ready, Mutations &mutations) {
  FlatSymbolRefAttr buffer = ready.getOperandRange().getBuffer();
  int64_t begin = ready.getFrom(), end = ready.getTo();
  auto any = [](LaunchOp) { return true; };
  if (LaunchOp producer = findLaunch(ready, previous, any)) {
    bool writes = touches(producer.getWrites(), buffer, begin, end);
    mutations.push_back(
        {"early-ready", ready,
         [=](IRMapping &copies) {
           // With the event that it waits for, so that only one launch is lost.
           Operation *moved = copyOf(copies, ready);
           SmallVector<Operation *> group{moved};
           while (isa<RecordOp, WaitOp>(group.back()->getPrevNode()))
             group.push_back(group.back()->getPrevNode());
           Operation *before = copyOf(copies, producer);
           for (Operation *op : llvm::reverse(group))
             op->moveBefore(before);
         },
         writes ? "" : "the launch that it now precedes writes none of it"});
  }
  auto writesMore = [&](LaunchOp launch) {
    return endBeyond(launch.getWrites(), buffer, end) > end;
  };
  if (LaunchOp later = findLaunch(ready, next, writesMore)) {
    int64_t wider = endBeyond(later.getWrites(), buffer, end);
    mutations.push_back({"wide-ready", ready, [=](IRMapping &copies) {
                           copyOf(copies, ready).setTo(wider);
                         }});
    // The launch writes where others may read already.
    mutations.push_back(
        {"write-ready", later, [=](IRMapping &copies) {
           auto copy = copyOf(copies, later);
           SmallVector<Attribute> writes;
           for (auto range : copy.getWrites().getAsRange<RangeAttr>())
             writes.push_back(
                 range.getBuffer() != buffer
                     ? range
                     : RangeAttr::get(copy.getContext(), buffer, 0,
                                      range.getOffset() + range.getSize()));
           copy.setWritesAttr(ArrayAttr::get(copy.getContext(), writes));
         }});
  }
}

static void addArrive(ArriveOp arrive, Mutations &mutations) {
  mutations.push_back({"drop-arrive", arrive, [=](IRMapping &copies) {
                         copyOf(copies, arrive)->erase();
                       }});
  TypedRangeAttr part = arrive.getArriving();
  auto reads = [&](LaunchOp launch) {
    return touches(launch.getReads(), part.getBuffer(), part.getOffset(),
                   part.getOffset() + part.getSize());
  };
  if (LaunchOp reader = findLaunch(arrive, next, reads))
    mutations.push_back(
        {"late-arrive", arrive, [=](IRMapping &copies) {
           copyOf(copies, arrive)->moveAfter(copyOf(copies, reader));
         }});
}

/// More or fewer first bytes than the segment takes.
static void addFirst(AwaitOp await, Mutations &mutations) {
  auto sum = cast<TypedRangeAttr>(await.getOuts()[0]);
  int64_t first = *await.getFirst(), width = bytesOf(sum.getType());
  auto set = [&](StringRef kind, int64_t bytes) {
    if (bytes > 0 && bytes < sum.getSize())
      mutations.push_back({kind, await, [=](IRMapping &copies) {
                             copyOf(copies, await).setFirst(bytes);
                           }});
  };
  set("raise-first", first + width);
  set("lower-first", first - width);
}

void rubato::addPartMutations(ModuleOp module, Mutations &mutations) {
  module.walk([&](Operation *op) {
    if (auto ready = dyn_cast<ReadyOp>(op))
      addReady(ready, mutations);
    else if (auto arrive = dyn_cast<ArriveOp>(op))
      addArrive(arrive, mutations);
    else if (auto await = dyn_cast<AwaitOp>(op); await && await.getFirst())
      addFirst(await, mutations);
  });
}
