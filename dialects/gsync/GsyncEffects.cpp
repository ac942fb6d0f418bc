// Memory effects: what keeps upstream passes from changing communication.
//
// An effect names the symbol it touches, so two channels or two cells stay
// independent of each other while operations on one keep their order. What
// gives another answer each time (a poll, the clock, a question) writes: two
// of them must not become one.
#include "dialects/gsync/Gsync.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace rubato::gsync;

namespace {
struct ChannelResource : SideEffects::Resource::Base<ChannelResource> {
  StringRef getName() final { return "gsync.channel"; }
};
struct CellResource : SideEffects::Resource::Base<CellResource> {
  StringRef getName() final { return "gsync.cell"; }
};
struct DataResource : SideEffects::Resource::Base<DataResource> {
  StringRef getName() final { return "gsync.data"; }
};
struct FutureResource : SideEffects::Resource::Base<FutureResource> {
  StringRef getName() final { return "gsync.future"; }
};
struct PolicyResource : SideEffects::Resource::Base<PolicyResource> {
  StringRef getName() final { return "gsync.policy"; }
};
struct RendezvousResource : SideEffects::Resource::Base<RendezvousResource> {
  StringRef getName() final { return "gsync.rendezvous"; }
};
struct ClockResource : SideEffects::Resource::Base<ClockResource> {
  StringRef getName() final { return "gsync.clock"; }
};
struct MembershipResource : SideEffects::Resource::Base<MembershipResource> {
  StringRef getName() final { return "gsync.membership"; }
};
using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
} // namespace

template <typename Resource>
static void write(Effects &effects, SymbolRefAttr symbol) {
  effects.emplace_back(MemoryEffects::Write::get(), symbol, Resource::get());
}
template <typename Resource> static void write(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), Resource::get());
}
template <typename Resource> static void read(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), Resource::get());
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getCellAttr(),
                       CellResource::get());
}

void AtomicOp::getEffects(Effects &effects) {
  for (auto cell : getCells().getAsRange<FlatSymbolRefAttr>()) {
    effects.emplace_back(MemoryEffects::Read::get(), cell, CellResource::get());
    write<CellResource>(effects, cell);
  }
  // What is read inside is read under the lock, however deep it stands.
  getBody().walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      load.getEffects(effects);
    else if (auto now = dyn_cast<NowOp>(op))
      now.getEffects(effects);
    else if (isa<CallOpInterface>(op))
      // A helper may read what it likes: keep it in order with the clock and
      // with every cell.
      for (MemoryEffects::Effect *effect :
           {static_cast<MemoryEffects::Effect *>(MemoryEffects::Read::get()),
            static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())})
        effects.emplace_back(effect, CellResource::get());
  });
}

#define CHANNEL_EFFECT(Op)                                                     \
  void Op::getEffects(Effects &effects) {                                      \
    write<ChannelResource>(effects, getChannelAttr());                         \
  }
CHANNEL_EFFECT(AllReduceOp)
CHANNEL_EFFECT(AllGatherOp)
CHANNEL_EFFECT(ReduceScatterOp)
CHANNEL_EFFECT(BroadcastOp)
CHANNEL_EFFECT(ExchangeOp)
CHANNEL_EFFECT(PullOp)
CHANNEL_EFFECT(PushOp)
CHANNEL_EFFECT(CollectOp)
CHANNEL_EFFECT(GrantOp)
CHANNEL_EFFECT(CloseOp)
#undef CHANNEL_EFFECT

void WorkersOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getChannelAttr(),
                       ChannelResource::get());
}

void AwaitOp::getEffects(Effects &effects) { write<FutureResource>(effects); }
void DoneOp::getEffects(Effects &effects) { write<FutureResource>(effects); }
void ReadyOp::getEffects(Effects &effects) { write<FutureResource>(effects); }

/// With `until` it polls: two loops that look alike run differently often.
void RepeatOp::getEffects(Effects &effects) {
  if (getUntil())
    write<FutureResource>(effects);
}

void AskOp::getEffects(Effects &effects) {
  // The state belongs to the policy: its entries are not independent.
  write<PolicyResource>(
      effects, FlatSymbolRefAttr::get(getEntryAttr().getRootReference()));
}
void MeetOp::getEffects(Effects &effects) {
  write<RendezvousResource>(effects, getRendezvousAttr());
}
void NowOp::getEffects(Effects &effects) { write<ClockResource>(effects); }
void WorkOp::getEffects(Effects &effects) { write<ClockResource>(effects); }
void ViewOp::getEffects(Effects &effects) { read<MembershipResource>(effects); }

void CommitOp::getEffects(Effects &effects) {
  write<MembershipResource>(effects);
  write<DataResource>(effects);
}

void QuantaOp::getEffects(Effects &effects) {
  read<MembershipResource>(effects);
}
void RoundSamplesOp::getEffects(Effects &effects) {
  read<MembershipResource>(effects);
}
// It never changes, so nothing orders it.
void DataSamplesOp::getEffects(Effects &) {}
void NextBatchOp::getEffects(Effects &effects) { write<DataResource>(effects); }
void StopRequestedOp::getEffects(Effects &effects) {
  write<MembershipResource>(effects);
}
