// Single changes to awaits, renews, starts, frames and buffers.
#include "ProgramMutations.h"

#include "Producers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

namespace {

class Finder {
public:
  Finder(ModuleOp module, Mutations &mutations)
      : module(module), symbols(module), mutations(mutations) {}

  void run() {
    for (auto program : module.getOps<ProgramOp>())
      program.walk([&](Operation *op) { visit(op); });
  }

private:
  void visit(Operation *op);
  void addRenew(RenewOp renew);
  void addEarlyStart(Operation *start, ArrayAttr ins);
  void addReuse(StringRef kind, FlatSymbolRefAttr value, Operation *from,
                Operation *to);
  void addSwap(Operation *first);
  void addEarlyFrame(WriteOp write);
  bool writes(Operation *op, FlatSymbolRefAttr value);
  bool isFutureFrame(FlatSymbolRefAttr buffer);
  void add(StringRef kind, Operation *at,
           std::function<void(IRMapping &)> apply,
           const std::string &equivalent = {}) {
    mutations.push_back({kind, at, std::move(apply), equivalent});
  }

  ModuleOp module;
  SymbolTable symbols;
  Mutations &mutations;
};

} // namespace

/// What others may keep: operands of `op`, null if it takes none.
static ArrayAttr operandsOf(Operation *op) {
  if (auto start = dyn_cast<StartOp>(op))
    return start.getIns();
  if (auto exchange = dyn_cast<ExchangeOp>(op))
    return exchange.getIns();
  if (auto push = dyn_cast<PushOp>(op))
    return push.getIns();
  if (auto grant = dyn_cast<GrantOp>(op))
    return grant.getIns();
  return {};
}

static SmallVector<FlatSymbolRefAttr> valuesOf(ArrayAttr ranges,
                                               const SymbolTable &symbols) {
  SmallVector<FlatSymbolRefAttr> values;
  for (auto range : ranges.getAsRange<TypedRangeAttr>())
    if (symbols.lookup<BufferOp>(range.getBuffer().getValue()).isValue())
      values.push_back(range.getBuffer());
  return values;
}

static AwaitOp awaitOf(Operation *start) {
  for (Operation *user : start->getResults().getUsers())
    if (auto await = dyn_cast<AwaitOp>(user);
        await && await->getBlock() == start->getBlock())
      return await;
  return {};
}

/// Whether `op` runs a segment that writes the value.
bool Finder::writes(Operation *op, FlatSymbolRefAttr value) {
  return op
      ->walk([&](RunOp run) {
        auto segment = symbols.lookup<SegmentOp>(run.getSegment());
        for (auto launch : segment.getLine()->getOps<LaunchOp>())
          if (writesTo(launch, value))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void Finder::addRenew(RenewOp renew) {
  add("drop-renew", renew,
      [=](IRMapping &copies) { copyOf(copies, renew)->erase(); });
  if (renew.getKeep())
    add("drop-keep", renew,
        [=](IRMapping &copies) { copyOf(copies, renew).setKeep(false); });
  Operation *run = renew->getNextNode();
  while (run && !isa<RunOp>(run))
    run = run->getNextNode();
  if (run)
    add("late-renew", renew, [=](IRMapping &copies) {
      copyOf(copies, renew)->moveAfter(copies.lookup(run));
    });
}

/// In front of whatever runs the last segment that writes an operand.
void Finder::addEarlyStart(Operation *start, ArrayAttr ins) {
  for (FlatSymbolRefAttr value : valuesOf(ins, symbols)) {
    Operation *producer = start;
    do {
      Operation *before = producer->getPrevNode();
      producer = before ? before : producer->getParentOp();
    } while (!isa<ProgramOp>(producer) &&
             (producer->isAncestor(start) || !writes(producer, value)));
    if (isa<ProgramOp>(producer))
      continue; // no segment writes it
    while (isa_and_nonnull<RenewOp>(producer->getPrevNode()))
      producer = producer->getPrevNode(); // they belong to the run
    add("early-start", start, [=](IRMapping &copies) {
      Operation *moved = copies.lookup(start);
      moved->moveBefore(copies.lookup(producer));
      // Numbers that are not known there yet do not matter.
      DominanceInfo dominance(moved->getParentOfType<ProgramOp>());
      OpBuilder b(moved);
      for (OpOperand &operand : moved->getOpOperands())
        if (!dominance.properlyDominates(operand.get(), moved))
          operand.set(arith::ConstantOp::create(
              b, moved->getLoc(),
              cast<TypedAttr>(b.getZeroAttr(operand.get().getType()))));
    });
  }
}

/// One launch of every run between two operations of a block writes to a value
/// whose memory others have, where it wrote something else that fits.
void Finder::addReuse(StringRef kind, FlatSymbolRefAttr value, Operation *from,
                      Operation *to) {
  int64_t room = symbols.lookup<BufferOp>(value.getValue()).getBytes();
  auto reuse = [&](RunOp run) {
    auto segment = symbols.lookup<SegmentOp>(run.getSegment());
    for (auto launch : segment.getLine()->getOps<LaunchOp>())
      for (auto [i, range] :
           llvm::enumerate(launch.getWrites().getAsRange<RangeAttr>())) {
        if (range.getBuffer() == value || range.getSize() > room)
          continue;
        add(kind, run, [=](IRMapping &copies) {
          auto copy = copyOf(copies, launch);
          SmallVector<Attribute> written(copy.getWrites().getValue());
          written[i] =
              RangeAttr::get(copy.getContext(), value, 0, range.getSize());
          copy.setWritesAttr(ArrayAttr::get(copy.getContext(), written));
        });
        return;
      }
  };
  for (Operation *op = from->getNextNode(); op && op != to;
       op = op->getNextNode())
    op->walk([&](RunOp run) {
      // Whoever renews it may write it.
      for (Operation *before = run->getPrevNode();
           isa_and_nonnull<RenewOp>(before); before = before->getPrevNode())
        if (cast<RenewOp>(before).getBufferAttr() == value)
          return;
      reuse(run);
    });
}

/// The futures of two starts change places.
void Finder::addSwap(Operation *first) {
  for (Operation *second = first->getNextNode(); second;
       second = second->getNextNode()) {
    if (!isa<StartOp, ExchangeOp>(second) || !awaitOf(second))
      continue;
    auto types = [](Operation *start) {
      SmallVector<std::pair<Type, int64_t>> types;
      for (auto range : operandsOf(start).getAsRange<TypedRangeAttr>())
        types.push_back({range.getType(), range.getSize()});
      return types;
    };
    add(
        "swap-starts", second,
        [=](IRMapping &copies) {
          Value a = copies.lookup(first)->getResult(0);
          Value b = copies.lookup(second)->getResult(0);
          AwaitOp mine = awaitOf(a.getDefiningOp());
          AwaitOp other = awaitOf(b.getDefiningOp());
          mine.getFutureMutable().assign(b);
          other.getFutureMutable().assign(a);
        },
        types(first) == types(second)
            ? "both bring the same types: other numbers, but no other byte"
            : "");
  }
}

bool Finder::isFutureFrame(FlatSymbolRefAttr buffer) {
  return module
      .walk([&](FrameOp frame) {
        return frame.getKind() == FrameKind::Future &&
                       frame.getBufferAttr() == buffer
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// As soon as there is something to write.
void Finder::addEarlyFrame(WriteOp write) {
  Operation *source = write.getValue().getDefiningOp();
  if (!source || !isFutureFrame(write.getRange().getBuffer()) ||
      isa<arith::ConstantOp>(source))
    return;
  bool isLast = true;
  for (Operation *op = source->getNextNode(); op && op != write;
       op = op->getNextNode())
    isLast &= isPure(op) || isa<DropOp, WriteOp>(op);
  add(
      "early-frame", write,
      [=](IRMapping &copies) {
        copyOf(copies, write)->moveAfter(copies.lookup(source));
      },
      isLast ? "nothing that can fail stands in between" : "");
}

void Finder::visit(Operation *op) {
  if (auto renew = dyn_cast<RenewOp>(op))
    return addRenew(renew);
  if (auto write = dyn_cast<WriteOp>(op))
    return addEarlyFrame(write);
  if (auto await = dyn_cast<AwaitOp>(op)) {
    add("drop-await", op,
        [=](IRMapping &copies) { copies.lookup(op)->erase(); });
    for (FlatSymbolRefAttr value : valuesOf(await.getOuts(), symbols)) {
      Operation *drop = op->getNextNode();
      while (drop && !(isa<DropOp>(drop) &&
                       cast<DropOp>(drop).getBufferAttr() == value))
        drop = drop->getNextNode();
      addReuse("write-result", value, op, drop);
    }
    return;
  }
  ArrayAttr ins = operandsOf(op);
  if (!ins)
    return;
  addEarlyStart(op, ins);
  Operation *await = op->getNumResults() ? awaitOf(op).getOperation() : nullptr;
  // What is carried stays in flight until the await of the next round.
  for (FlatSymbolRefAttr value : valuesOf(ins, symbols))
    if (await || isa<PushOp, GrantOp>(op))
      addReuse("reuse-buffer", value, op, await);
    else
      addReuse("reuse-buffer", value, &op->getBlock()->front(), nullptr);
  if (await && isa<StartOp, ExchangeOp>(op))
    addSwap(op);
}

void rubato::addProgramMutations(ModuleOp module, Mutations &mutations) {
  Finder(module, mutations).run();
}
