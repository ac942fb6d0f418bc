// The first values of a unit's cells.
#pragma once

#include "support/status.h"
#include "unit/unit.h"

namespace rubato {

/// Gives every cell its first value: zero, its default, or the tensors of the
/// unit's weights. `regions` are this worker's.
Status initialiseCells(const Unit &unit, void *const *regions);

} // namespace rubato
