// The channels of a program and the memory of its values, as a fabric wants
// them.
#pragma once

#include "fabric/fabric.h"
#include "unit/spec.h"

namespace rubato {

std::vector<ChannelSpec> channelsOf(const ProgramSpec &program, int members);

/// The blocks that members of the program may need at once: one of each of its
/// values, and what its channels keep of them while others read.
std::vector<BlockDemand> blocksOf(const std::vector<int64_t> &valueBytes,
                                  std::span<const ChannelSpec> channels,
                                  int members);

} // namespace rubato
