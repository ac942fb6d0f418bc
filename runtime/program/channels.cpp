#include "program/channels.h"

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
    channels.push_back(std::move(spec));
  }
  return channels;
}

std::vector<BlockDemand> blocksOf(const std::vector<int64_t> &valueBytes,
                                  std::span<const ChannelSpec> channels) {
  std::map<int64_t, int> counts;
  for (int64_t bytes : valueBytes)
    ++counts[bytes];
  std::vector<BlockDemand> demands;
  for (auto [bytes, count] : counts) {
    for (const ChannelSpec &channel : channels) {
      constexpr int pair = 4; // two of each direction, and slow readers
      if (channel.bytes >= bytes)
        count +=
            channel.kind == ChannelSpec::Kind::Pair ? pair : channel.inFlight;
    }
    demands.push_back({bytes, count});
  }
  return demands;
}

} // namespace rubato
