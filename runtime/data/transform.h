// From the elements of a file to the elements of a batch buffer:
// (v * scale - mean) / std, in the buffer's float type.
#pragma once

#include "abi/rubato_abi.h"
#include "data/array.h"
#include "support/status.h"

#include <optional>
#include <string>
#include <vector>

namespace rubato {

/// What the command line says about one input. Lists have one value for all,
/// or one per channel (the first dimension of a sample).
struct Transform {
  std::optional<double> scale;
  std::vector<double> mean, std;

  bool isIdentity() const { return !scale && mean.empty() && std.empty(); }
};

/// Reads "0.5", "1e-3" or "1/255"; the value is finite.
Status parseNumber(const std::string &text, double &value);

/// Reads a comma-separated list of such numbers.
Status parseNumbers(const std::string &text, std::vector<double> &values);

/// Factors for a run of elements, rounded to the type they are used in.
struct Factors {
  double scale = 1, mean = 0, std = 1;
};

/// Converts `count` elements; neither side needs to be aligned.
using ConvertFn = void (*)(const char *from, char *to, int64_t count,
                           const Factors &factors);

/// The conversion for a pair of types; `plain` leaves the factors out. Null
/// for a float file and an integer buffer.
ConvertFn converter(ElementType from, rb_dtype to, bool plain);

} // namespace rubato
