// The shared-memory transport: where everything is in the block.
#include "fabric/shared_fabric.h"

#include <new>

namespace rubato {

using namespace shared;

Status makeSharedFabric(int members, std::span<const ChannelSpec> channels,
                        std::unique_ptr<Fabric> &fabric) {
  return SharedFabric::make(members, channels, fabric);
}

Status SharedFabric::make(int members, std::span<const ChannelSpec> channels,
                          std::unique_ptr<Fabric> &fabric) {
  RB_TRY(checkSpecs(members, channels));
  auto made = std::make_unique<SharedFabric>(members, channels);
  RB_TRY(made->construct());
  fabric = std::move(made);
  return Status::ok();
}

SharedFabric::SharedFabric(int members, std::span<const ChannelSpec> channels)
    : FabricBase(members, channels), spins(spinTurns(members)),
      spareCores(allowedCpus() > members), places(channels.size()) {
  for (int rank = 0; rank < members; ++rank) {
    Local &local = *locals.emplace_back(std::make_unique<Local>());
    local.channels = std::vector<ChannelState>(channels.size());
    local.futures.reserve(2 * channels.size() + 8);
    for (size_t i = 0; i < channels.size(); ++i) {
      ChannelState &state = local.channels[i];
      if (channels[i].kind == ChannelSpec::Kind::Collective)
        state.slots = std::vector<SlotState>(size_t(channels[i].inFlight));
      if (channels[i].kind == ChannelSpec::Kind::Pair)
        state.letterOf.assign(size_t(snapshotCount()), -1);
      if (channels[i].kind != ChannelSpec::Kind::Mailbox ||
          channels[i].server != rank)
        continue;
      state.server.emplace(workerCount(), channels[i].exempt,
                           channels[i].ahead);
      // Buffer 0 is the worker's, buffer 1 in `latest`.
      state.spares.assign(size_t(workerCount()), {2, 3});
      state.granted.resize(size_t(grantCount()));
    }
  }
}

/// Gives everything its place. Sizes were checked to be sane one by one; their
/// sum may still be too large, which the kernel refuses.
void SharedFabric::lay(int64_t &bytes) {
  constexpr int64_t line = Layout::alignment; // what is shown is aligned
  auto take = [&](int64_t size) {
    int64_t place = bytes;
    bytes += (size + line - 1) / line * line;
    return place;
  };
  int64_t members = memberCount, workers = workerCount();
  take(sizeof(RunWords));
  membersAt = take(members * int64_t(sizeof(MemberWords)));
  linksAt = take(members * int64_t(sizeof(LinkWords)));
  for (size_t i = 0; i < specs.size(); ++i) {
    Place &place = places[i];
    // With what the large parts of a message need to be aligned.
    place.stride =
        (specs[i].bytes + line - 1) / line * line + Layout::maxLarge * line;
    int64_t slots = specs[i].inFlight;
    switch (specs[i].kind) {
    case ChannelSpec::Kind::Collective:
      place.slots = take(slots * int64_t(sizeof(SlotWords)));
      place.posts = take(slots * members * int64_t(sizeof(PostWords)));
      place.inputs = take(slots * members * place.stride);
      place.results = take(slots * place.stride);
      place.spills = take(slots * place.stride);
      break;
    case ChannelSpec::Kind::Pair:
      place.letters =
          take(2 * members * members * int64_t(sizeof(LetterWords)));
      place.snapshots = take(members * snapshotCount() * place.stride);
      break;
    case ChannelSpec::Kind::Mailbox:
      int64_t uploads = workers * WorkerWords::buffers;
      place.mailbox = take(sizeof(MailboxWords));
      place.ends = take(workers * int64_t(sizeof(WorkerWords)));
      place.uploads = take(uploads * int64_t(sizeof(CargoWords)));
      place.grants = take(grantCount() * int64_t(sizeof(CargoWords)));
      place.uploadData = take(uploads * place.stride);
      place.grantData = take(grantCount() * place.stride);
      break;
    }
  }
}

template <typename T> static void makeWords(T *words, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    new (words + i) T();
}

Status SharedFabric::construct() {
  constexpr int64_t most = int64_t(1) << 40;
  for (const ChannelSpec &spec : specs)
    if (spec.bytes > most)
      return Status::user("channel '" + spec.name + "' has messages of " +
                          std::to_string(spec.bytes) +
                          " bytes: use a smaller model");
  int64_t bytes = 0;
  lay(bytes);
  RB_TRY(Memory::sharedMemory(bytes, "memory shared by the members", block));
  RB_TRY(mapBlocks({}));
  new (&run()) RunWords();
  makeWords(&member(0), memberCount);
  makeWords(at<LinkWords>(linksAt), memberCount);
  links.attach(at<LinkWords>(linksAt));
  for (int i = 0; i < int(specs.size()); ++i)
    switch (specs[size_t(i)].kind) {
    case ChannelSpec::Kind::Collective:
      makeWords(&slot(i, 0), slotsOf(i));
      makeWords(&post(i, 0, 0), int64_t(slotsOf(i)) * memberCount);
      break;
    case ChannelSpec::Kind::Pair:
      makeWords(letters(i, 0, 0), int64_t(2) * memberCount * memberCount);
      break;
    case ChannelSpec::Kind::Mailbox:
      new (&mailbox(i)) MailboxWords();
      makeWords(&end(i, 0), workerCount());
      makeWords(&upload(i, 0, 0), workerCount() * WorkerWords::buffers);
      makeWords(&grantCargo(i, 0), grantCount());
      break;
    }
  return Status::ok();
}

} // namespace rubato
