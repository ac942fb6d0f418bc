// --log-cells: all cells of a member behind the lines of the log that end its
// rounds.
#pragma once

#include "program/member.h"

#include <string_view>

namespace rubato {

/// A line of the event log, with the member's cells where a round or a drain
/// has ended. `crew` is in the order of ranks.
std::string lineWithCells(std::string_view line, const Unit &unit,
                          const std::vector<std::unique_ptr<Member>> &crew);

} // namespace rubato
