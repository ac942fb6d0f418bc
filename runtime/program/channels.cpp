#include "program/channels.h"

#include <algorithm>
#include <map>

namespace rubato {

std::vector<ChannelSpec> channelsOf(const ProgramSpec &program, int members) {
  std::vector<ChannelSpec> channels;
  for (const ProgramChannel &channel : program.channels) {
    ChannelSpec spec;
    spec.name = channel.name;
    spec.kind = channel.kind == "mailbox" ? ChannelSpec::Kind::Mailbox
                : channel.kind == "pair"  ? ChannelSpec::Kind::Pair
                                          : ChannelSpec::Kind::Collective;
    spec.bytes = channel.bytes;
    spec.server = program.serverOf(channel, members);
    spec.exempt = channel.exempt;
    spec.ahead = channel.ahead;
    channels.push_back(std::move(spec));
  }
  return channels;
}

/// Of a pair two that are on their way, and one for each other member that
/// still reads an older one, up to a number: all sizes share the memory. Of a
/// mailbox what a worker has pushed: one that nobody looked at, and one in a
/// sum or brought as one.
static int keptBy(const ChannelSpec &channel, int members) {
  constexpr int leastPair = 4, mostPair = 8, mailbox = 2;
  return channel.kind == ChannelSpec::Kind::Pair
             ? std::clamp(members - 1 + 2, leastPair, mostPair)
         : channel.kind == ChannelSpec::Kind::Mailbox ? mailbox
                                                      : channel.inFlight;
}

std::vector<BlockDemand> blocksOf(const std::vector<int64_t> &valueBytes,
                                  std::span<const ChannelSpec> channels,
                                  int members) {
  std::map<int64_t, int> counts;
  for (int64_t bytes : valueBytes)
    ++counts[bytes];
  std::vector<BlockDemand> demands;
  for (auto [bytes, count] : counts) {
    for (const ChannelSpec &channel : channels) {
      if (channel.bytes < bytes)
        continue;
      count += keptBy(channel, members);
      // Each worker may still have an older one than its newest.
      if (channel.kind == ChannelSpec::Kind::Mailbox)
        demands.push_back({bytes, 2 * (members - 1), channel.server});
    }
    demands.push_back({bytes, count});
  }
  return demands;
}

} // namespace rubato
