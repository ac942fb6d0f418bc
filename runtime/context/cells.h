// The first values of a unit's cells.
#pragma once

#include "support/status.h"
#include "unit/unit.h"

#include <functional>

namespace rubato {

/// Gives every cell its first value: its default, or the tensors of the unit's
/// weights. Memory is zero at first. `write` gets all bytes of a cell.
using WriteCell = std::function<Status(const Cell &cell, const char *bytes)>;
Status initialiseCells(const Unit &unit, const WriteCell &write);

} // namespace rubato
