// --link: a slower network than this machine's memory.
#pragma once

#include "fabric/fabric.h"

#include <string>

namespace rubato {

/// BANDWIDTH[,LATENCY]: "1Gbit,2ms", "100MB", "unlimited,500us".
Status parseLink(const std::string &text, RateLimit &link);

/// "1.25e+08 bytes/s, latency 2 ms".
std::string describeLink(const RateLimit &link);

} // namespace rubato
