// What the results of operations are called where they are printed.
//
// A program is read by people: the value of a cell is called after the cell,
// an answer after its question, and so on.
#include "dialects/gsync/Gsync.h"

using namespace mlir;
using namespace rubato::gsync;

using SetName = OpAsmSetValueNameFn;

void LoadOp::getAsmResultNames(SetName name) { name(getValue(), getCell()); }
void AskOp::getAsmResultNames(SetName name) {
  if (getNumResults())
    name(getResult(0), getEntry().getLeafReference());
}
void MeetOp::getAsmResultNames(SetName name) { name(getMet(), "met"); }

void NextBatchOp::getAsmResultNames(SetName name) {
  if (getNumResults())
    name(getResult(0), "batch");
}
void AwaitOp::getAsmResultNames(SetName name) {
  if (getNumResults())
    name(getResult(0), "got");
}

void RepeatOp::getAsmResultNames(SetName name) {
  if (!getResults().empty())
    name(getResults().front(), "end");
  name(getCount(), "k");
}
void RepeatOp::getAsmBlockArgumentNames(Region &region, SetName name) {
  name(region.getArgument(0), "i");
}
void AtomicOp::getAsmBlockArgumentNames(Region &region, SetName name) {
  for (auto [cell, argument] : llvm::zip(
           getCells().getAsRange<FlatSymbolRefAttr>(), region.getArguments()))
    name(argument, cell.getValue());
}

void StrandOp::getAsmBlockArgumentNames(Region &region, SetName name) {
  for (Value argument : region.getArguments())
    name(argument, "carried");
}
void DrainOp::getAsmBlockArgumentNames(Region &region, SetName name) {
  for (Value argument : region.getArguments())
    name(argument, "last");
}

#define NAMED(Op, text)                                                        \
  void Op::getAsmResultNames(SetName name) {                                   \
    name((*this)->getResult(0), text);                                         \
  }
NAMED(AllReduceOp, "sum")
NAMED(AllGatherOp, "all")
NAMED(ReduceScatterOp, "part")
NAMED(BroadcastOp, "copy")
NAMED(ExchangeOp, "theirs")
NAMED(PullOp, "model")
NAMED(ReadyOp, "ready")
NAMED(DoneOp, "done")
NAMED(WorkersOp, "workers")
NAMED(SizeOp, "size")
NAMED(QuantaOp, "quanta")
NAMED(RoundSamplesOp, "total")
NAMED(DataSamplesOp, "samples")
NAMED(NowOp, "now")
NAMED(CommitOp, "ok")
NAMED(StopRequestedOp, "stop")
NAMED(ZeroOp, "zero")
#undef NAMED

void CollectOp::getAsmResultNames(SetName name) {
  if (!getValues().empty())
    name(getValues().front(), "sum");
  name(getWho(), "who");
}
void ViewOp::getAsmResultNames(SetName name) {
  name(getMembers(), "members");
  name(getRank(), "rank");
}
