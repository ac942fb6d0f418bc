// The numbers by which compiled code names what a program declares.
#include "ProgramNumbers.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace rubato;

ProgramNumbers::ProgramNumbers(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (auto channel = dyn_cast<gsync::ChannelOp>(op))
      channels.try_emplace(channel.getSymName(), channels.size());
    else if (auto policy = dyn_cast<gsync::PolicyOp>(op))
      policies.try_emplace(policy.getSymName(), policies.size());
    else if (auto place = dyn_cast<gsync::RendezvousOp>(op))
      rendezvous.try_emplace(place.getSymName(), rendezvous.size());
  }
  llvm::EquivalenceClasses<StringRef> together;
  module.walk([&](gsync::AtomicOp atomic) {
    StringRef first = cast<FlatSymbolRefAttr>(atomic.getCells()[0]).getValue();
    for (auto cell : atomic.getCells().getAsRange<FlatSymbolRefAttr>())
      together.unionSets(first, cell.getValue());
  });
  llvm::StringMap<int64_t> ofLeader;
  for (auto cell : module.getOps<gsync::CellOp>()) {
    StringRef name = cell.getSymName();
    StringRef leader =
        together.contains(name) ? together.getLeaderValue(name) : name;
    locks[name] = ofLeader.try_emplace(leader, ofLeader.size()).first->second;
  }
}

std::pair<int64_t, int64_t> ProgramNumbers::entry(gsync::AskOp ask) const {
  auto policy = SymbolTable::lookupNearestSymbolFrom<gsync::PolicyOp>(
      ask, FlatSymbolRefAttr::get(ask.getEntry().getRootReference()));
  int64_t index = 0;
  for (auto entry : policy.getEntries().front().getOps<gsync::EntryOp>()) {
    if (entry.getSymName() == ask.getEntry().getLeafReference())
      break;
    ++index;
  }
  return {policies.lookup(policy.getSymName()), index};
}
