// Flat vectors as safetensors files, one tensor per slot: for tests, for
// debugging, and for people who want the numbers elsewhere.
#pragma once

#include "unit/unit.h"

#include <map>
#include <string>

namespace rubato {

/// Writes a vector in the unit's layout and float type.
Status dumpSlots(const Unit &unit, const void *flat, const std::string &path,
                 const std::map<std::string, std::string> &metadata);

} // namespace rubato
