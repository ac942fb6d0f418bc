// The trained model as an inference ONNX file: the compiler's template with
// the trained values put in their places. Needs no protobuf.
#pragma once

#include "unit/unit.h"

#include <string>

namespace rubato {

/// Whether the unit holds a usable template; asked before training starts.
Status checkTemplate(const Unit &unit);

/// Writes the template with `flat`, a parameter vector in the unit's layout
/// and float type, to `path`: whole or not at all.
Status saveOnnx(const Unit &unit, const void *flat, const std::string &path);

} // namespace rubato
