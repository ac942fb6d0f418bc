// Which segments write a value last, before an operation of a program uses it.
#include "Producers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;

bool rubato::writesTo(sched::LaunchOp launch, FlatSymbolRefAttr value) {
  return llvm::any_of(
      launch.getWrites().getAsRange<sched::RangeAttr>(),
      [&](sched::RangeAttr range) { return range.getBuffer() == value; });
}

/// Whether an attribute of `op` names the symbol, at any depth.
static bool names(Operation *op, FlatSymbolRefAttr symbol) {
  return op->getAttrDictionary()
      .walk([&](FlatSymbolRefAttr name) {
        return name == symbol ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool rubato::mentions(Operation *op, FlatSymbolRefAttr value,
                      const SymbolTable &symbols) {
  return op
      ->walk([&](Operation *inner) {
        if (isa<sched::DropOp>(inner))
          return WalkResult::advance();
        if (auto run = dyn_cast<sched::RunOp>(inner)) {
          auto segment = symbols.lookup<sched::SegmentOp>(run.getSegment());
          for (Operation &each : *segment.getLine())
            if (names(&each, value))
              return WalkResult::interrupt();
          return WalkResult::advance();
        }
        return names(inner, value) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

class Finder {
public:
  Finder(sched::StartOp start, FlatSymbolRefAttr value,
         const SymbolTable &symbols)
      : start(start), value(value), symbols(symbols) {}

  Producers find() {
    searchBefore(start, {});
    if (found.runs.empty() && found.obstacle.empty())
      found.obstacle = "no segment of its block computes its first operand";
    return std::move(found);
  }

private:
  /// Searches backwards from `op`, which runs in the last body of `loop`.
  void searchBefore(Operation *op, scf::ForOp loop);
  void searchIn(Operation *op, scf::ForOp loop);
  bool changes(Operation *op);
  void stop(const Twine &why) {
    if (found.obstacle.empty())
      found.obstacle = why.str();
  }

  sched::StartOp start;
  FlatSymbolRefAttr value;
  const SymbolTable &symbols;
  Producers found;
};

} // namespace

/// Whether `op` changes the value, its memory, or the order on the channel.
bool Finder::changes(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        bool does =
            TypeSwitch<Operation *, bool>(inner)
                .Case([&](sched::RunOp run) {
                  auto segment =
                      symbols.lookup<sched::SegmentOp>(run.getSegment());
                  return llvm::any_of(
                      segment.getLine()->getOps<sched::LaunchOp>(),
                      [&](sched::LaunchOp launch) {
                        return writesTo(launch, value);
                      });
                })
                // What is ready belongs to the next start of its channel, and
                // nobody else may get the memory meanwhile.
                .Case([&](sched::StartOp other) {
                  return other.getChannel() == start.getChannel() ||
                         names(other, value);
                })
                .Case([](sched::ReadOp) { return false; })
                // Its failure has the round run again, and others may have
                // begun with what was ready.
                .Case([&](sched::AwaitOp await) {
                  return names(await, value) ||
                         await.getFuture().getDefiningOp<sched::ExchangeOp>();
                })
                .Case([&](sched::CopyOp copy) {
                  return copy.getTo().getBuffer() == value;
                })
                .Default([&](Operation *other) { return names(other, value); });
        return does ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Backwards, because only the last that writes matters: what it leaves is what
/// the start takes, and nobody changes it in between.
void Finder::searchBefore(Operation *op, scf::ForOp loop) {
  for (op = op->getPrevNode(); op; op = op->getPrevNode())
    if (changes(op))
      return searchIn(op, loop);
}

void Finder::searchIn(Operation *op, scf::ForOp loop) {
  TypeSwitch<Operation *>(op)
      .Case([&](sched::RunOp run) { found.runs.push_back({run, loop}); })
      // Each side has its own last writer; one that has none starts whole,
      // which is as right: members need not agree on how early they were.
      .Case([&](scf::IfOp branch) {
        for (Region *region :
             branch->getRegions().empty()
                 ? SmallVector<Region *>()
                 : SmallVector<Region *>{&branch.getThenRegion(),
                                         &branch.getElseRegion()})
          if (!region->empty())
            searchBefore(region->front().getTerminator(), loop);
      })
      .Case([&](scf::ForOp inner) {
        if (loop)
          return stop("it is computed in a loop of loops");
        searchBefore(inner.getBody()->getTerminator(), inner);
      })
      .Case([&](scf::WhileOp) {
        stop("nobody knows which body of the loop in front of it is the last");
      })
      .Case([&](sched::StartOp other) {
        if (other.getChannel() != start.getChannel())
          return stop("another start hands its first operand over in between");
        stop("another reduction of its channel starts in between");
      })
      .Case<sched::ExchangeOp, sched::PushOp, sched::GrantOp>([&](auto sent) {
        stop("a " + sent->getName().getStringRef() +
             " hands its first operand over in between");
      })
      .Case([&](sched::AwaitOp await) {
        if (await.getFuture().getDefiningOp<sched::ExchangeOp>())
          return stop(
              "an exchange is awaited in between, whose failure has the "
              "round run again");
        stop("its first operand comes from a sched.await");
      })
      .Default([&](Operation *other) {
        stop("its first operand comes from a " +
             other->getName().getStringRef());
      });
}

Producers rubato::findProducers(sched::StartOp start, FlatSymbolRefAttr value,
                                const SymbolTable &symbols) {
  return Finder(start, value, symbols).find();
}
