// Prints what a program does besides computing, in order.
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCPRINTCOMMUNICATION
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

namespace {
class CommunicationPrinter {
public:
  explicit CommunicationPrinter(raw_ostream &out) : out(out) {}

  void print(Operation *op, unsigned depth) {
    if (op->hasTrait<OpTrait::IsTerminator>() && !isa<NextOp>(op))
      return;
    bool control = isBranch(op) || isLoop(op);
    if (!control && !isAction(op))
      return;
    // Branches and loops count where something is done in them.
    if (control && !hasActions(op))
      return;
    // An unread snapshot may go: it touches nothing.
    if (isa<LoadOp, ViewOp, QuantaOp, RoundSamplesOp, WorkersOp>(op))
      return;
    out.indent(2 * depth) << op->getName();
    printNames(op);
    out << "\n";
    for (auto [number, region] : llvm::enumerate(op->getRegions())) {
      if (isBranch(op) && number > 0 && !region.empty() && hasActions(region))
        out.indent(2 * depth) << "else\n";
      for (Block &block : region)
        for (Operation &inner : block)
          print(&inner, depth + 1);
    }
  }

private:
  /// Whether something in a region prints.
  static bool hasActions(Region &region) {
    return region
        .walk([](Operation *op) {
          return isAction(op) && !isa<LoadOp, ViewOp, QuantaOp, RoundSamplesOp,
                                      WorkersOp>(op)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }
  static bool hasActions(Operation *op) {
    return isa<RepeatOp>(op) ||
           llvm::any_of(op->getRegions(),
                        [](Region &region) { return hasActions(region); });
  }

  /// The symbols that an operation touches, and how many values it moves.
  void printNames(Operation *op) {
    for (StringRef name : {"sym_name", "label", "channel", "group", "entry",
                           "rendezvous", "cells", "acked_by"})
      if (Attribute attribute = op->getAttr(name))
        out << " " << attribute;
    if (auto batch = dyn_cast<NextBatchOp>(op))
      out << " " << stringifyBatchSource(batch.getSource());
    if (auto next = dyn_cast<NextOp>(op))
      out << " carries " << next.getCarried().size();
    if (channelOf(op))
      out << " of " << op->getNumOperands();
  }

  raw_ostream &out;
};

class GsyncPrintCommunication
    : public rubato::impl::GsyncPrintCommunicationBase<
          GsyncPrintCommunication> {
  void runOnOperation() override {
    CommunicationPrinter printer(llvm::outs());
    auto program = FlatProgram::get(getOperation());
    if (failed(program))
      return signalPassFailure();
    for (Operation &op : *program->module().getBody())
      if (isa<GsyncDialect>(op.getDialect()))
        printer.print(&op, 0);
    markAllAnalysesPreserved();
  }
};
} // namespace
