// What the runtime must know of a unit that follows from its code.
#include "UnitFacts.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;

static int64_t totalBytes(ArrayAttr ranges) {
  int64_t total = 0;
  for (auto range : ranges.getAsRange<sched::TypedRangeAttr>())
    total += range.getSize();
  return total;
}

UnitFacts::UnitFacts(ModuleOp module) : module(module) {
  for (auto program : module.getOps<sched::ProgramOp>()) {
    ProgramFacts &facts = programs[program.getSymName()];
    program.walk([&](Operation *op) { take(op, facts); });
  }
}

void UnitFacts::take(Operation *op, ProgramFacts &program) {
  auto message = [&](int64_t channel, int64_t bytes) {
    int64_t &most = channelBytes[channel];
    most = std::max(most, bytes);
  };
  auto lock = [&](int64_t number) {
    lockCount = std::max(lockCount, number + 1);
  };
  // What all members do together makes their rounds the same ones.
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](sched::StartOp start) {
        program.lockstep = true;
        message(start.getChannel(), totalBytes(start.getIns()));
      })
      .Case<sched::ExchangeOp, sched::PushOp, sched::GrantOp>([&](auto sent) {
        message(sent.getChannel(), totalBytes(sent.getIns()));
      })
      .Case([&](sched::BatchOp batch) {
        if (batch.getSource() == sched::BatchSource::Cursor)
          program.cursor = program.lockstep = true;
      })
      .Case<sched::RoundSamplesOp>(
          [&](auto) { program.cursor = program.lockstep = true; })
      .Case([&](sched::CommitOp) { votes = program.lockstep = true; })
      .Case([&](sched::AskOp ask) { program.policies.insert(ask.getPolicy()); })
      .Case([&](sched::MeetOp meet) {
        program.rendezvous.insert(meet.getRendezvous());
      })
      .Case<sched::LockOp, sched::UnlockOp, sched::LookOp>(
          [&](auto locked) { lock(locked.getLock()); });
}

const ProgramFacts &UnitFacts::of(FlatSymbolRefAttr program) const {
  static const ProgramFacts nothing;
  auto found = programs.find(program.getValue());
  return found == programs.end() ? nothing : found->second;
}

static ArrayAttr listOf(MLIRContext *context, ArrayRef<Attribute> symbols) {
  return symbols.empty() ? ArrayAttr() : ArrayAttr::get(context, symbols);
}

ArrayAttr UnitFacts::askers(int64_t policy) const {
  SmallVector<Attribute> roles;
  for (auto role : ModuleOp(module).getOps<sched::RoleOp>())
    if (llvm::any_of(role.parts(), [&](FlatSymbolRefAttr part) {
          return of(part).policies.contains(policy);
        }))
      roles.push_back(FlatSymbolRefAttr::get(role.getSymNameAttr()));
  return listOf(module->getContext(), roles);
}

ArrayAttr UnitFacts::meeting(int64_t rendezvous) const {
  SmallVector<Attribute> strands;
  for (auto role : ModuleOp(module).getOps<sched::RoleOp>())
    for (sched::StrandOp strand : role.strands())
      if (of(strand.getProgramAttr()).rendezvous.contains(rendezvous))
        strands.push_back(strand.getProgramAttr());
  return listOf(module->getContext(), strands);
}

SmallVector<sched::TypedRangeAttr> rubato::reducedParts(ModuleOp module) {
  SmallVector<sched::TypedRangeAttr> parts;
  for (auto segment : module.getOps<sched::SegmentOp>()) {
    for (auto ready : segment.getLine()->getOps<sched::ReadyOp>()) {
      sched::TypedRangeAttr whole = ready.getOperandRange();
      parts.push_back(sched::TypedRangeAttr::get(
          module.getContext(), whole.getBuffer(),
          whole.getOffset() + ready.getFrom(), ready.getTo() - ready.getFrom(),
          whole.getType()));
    }
    if (!parts.empty())
      break; // all such segments have the same
  }
  return parts;
}
