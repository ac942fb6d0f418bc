// The channels of a program, as a fabric wants them.
#pragma once

#include "fabric/fabric.h"
#include "program/spec.h"

namespace rubato {

std::vector<ChannelSpec> channelsOf(const ProgramSpec &program, int members);

} // namespace rubato
