// Prints what a program does besides computing, in order.
#include "ProgramStructure.h"
#include "rubato/Sync/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCPRINTCOMMUNICATION
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// Reads change nothing: an unread one may go, equal ones may become one.
static bool isRead(Operation *op) {
  return isa<LoadOp, ViewOp, QuantaOp, RoundSamplesOp, DataSamplesOp,
             WorkersOp>(op);
}

namespace {
class CommunicationPrinter {
public:
  explicit CommunicationPrinter(raw_ostream &out) : out(out) {}

  void print(Operation *op, unsigned depth, bool conditional = false) {
    bool prints = (isAction(op) && !isRead(op)) || isLoop(op);
    if (prints) {
      out.indent(2 * depth) << (conditional ? "if " : "") << op->getName();
      printNames(op);
      out << "\n";
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        print(block, depth + prints, !prints && (conditional || isBranch(op)));
  }

private:
  /// Upstream passes join branches by the same condition and nested ones, which
  /// changes nothing: branches by one condition with nothing in between print
  /// as one, and how deep conditions nest is left out.
  void print(Block &block, unsigned depth, bool conditional) {
    SmallVector<scf::IfOp> run;
    auto flush = [&] {
      for (unsigned side : {0, 1})
        for (scf::IfOp branch : run)
          if (!branch->getRegion(side).empty())
            print(branch->getRegion(side).front(), depth, true);
      run.clear();
    };
    for (Operation &op : block) {
      auto branch = dyn_cast<scf::IfOp>(op);
      if (isPure(&op) || isRead(&op))
        continue;
      if (!branch ||
          (!run.empty() && run.front().getCondition() != branch.getCondition()))
        flush();
      if (branch)
        run.push_back(branch);
      else
        print(&op, depth, conditional);
    }
    flush();
  }

  /// The symbols that an operation touches, and how many values it moves.
  void printNames(Operation *op) {
    if (auto name = op->getAttrOfType<StringAttr>("sym_name"))
      out << " @" << name.getValue();
    if (auto name = op->getAttrOfType<StringAttr>("label"))
      out << " @" << name.getValue();
    for (StringRef name :
         {"channel", "group", "entry", "rendezvous", "cells", "acked_by"})
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
