// Memory effects: what keeps upstream passes from changing communication.
//
// An effect names the symbol it touches, so two channels or two cells stay
// independent of each other while operations on one keep their order.
#include "dialects/gsync/Gsync.h"

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
using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
} // namespace

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), getCellAttr(),
                       CellResource::get());
}

void AtomicOp::getEffects(Effects &effects) {
  for (auto cell : getCells().getAsRange<FlatSymbolRefAttr>()) {
    effects.emplace_back(MemoryEffects::Read::get(), cell, CellResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), cell,
                         CellResource::get());
  }
}

void AllReduceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), getChannelAttr(),
                       ChannelResource::get());
}

void AwaitOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), FutureResource::get());
}

void QuantaOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), DataResource::get());
}

void NextBatchOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), DataResource::get());
}

void StopRequestedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), DataResource::get());
}
