// Small files as texts. Streams would bring every locale of the C++ library
// into each executable.
#pragma once

#include <string>

namespace rubato {

/// Reads a whole file, or a pipe to its end. False where that fails.
bool readFile(const std::string &path, std::string &text);

} // namespace rubato
