#include "program/channels.h"

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

} // namespace rubato
