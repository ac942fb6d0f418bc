// One Chrome trace out of the traces of all workers.
#pragma once

#include "support/status.h"

#include <string>

namespace rubato {

/// Where worker `rank` writes its trace: `path` itself when it is alone.
std::string tracePart(const std::string &path, int members, int rank);

/// Joins the parts into `path` when `wanted`, and removes the parts.
Status mergeTraces(const std::string &path, int members, bool wanted);

} // namespace rubato
