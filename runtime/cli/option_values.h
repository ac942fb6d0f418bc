// Values on the command line: what each kind of option accepts.
#pragma once

#include "data/transform.h"
#include "unit/unit.h"

#include <charconv>
#include <map>
#include <string>
#include <vector>

namespace rubato {

/// A mistake on the command line.
inline Status usage(std::string message) {
  return {ErrorCode::Usage, std::move(message)};
}

/// A whole number in [low, high].
template <class T>
Status number(const std::string &text, T low, T high, T &to) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, to);
  if (error != std::errc() || stop != end || to < low || to > high)
    return usage("'" + text + "' is not a whole number from " +
                 std::to_string(low) + " to " + std::to_string(high));
  return Status::ok();
}

/// A number above 0.
Status positive(const std::string &text, double &to);

/// Splits NAME=VALUE; the name may go when there is one candidate only.
Status named(const std::vector<const BatchBuffer *> &candidates,
             const std::string &text, std::string &name, std::string &value);

std::vector<const BatchBuffer *> pointers(const std::vector<BatchBuffer> &list);

/// NAME=FILE of one of the buffers.
Status addFile(const std::vector<BatchBuffer> &buffers,
               std::map<std::string, std::string> &files,
               const std::string &text);

/// NAME=V of --scale and NAME=V[,V...] of --mean and --std. Without a name it
/// is the input's, when there is one input only.
using Transforms = std::map<std::string, Transform>;
Status addScale(const Unit &unit, Transforms &to, const std::string &text);
Status addMean(const Unit &unit, Transforms &to, const std::string &text);
Status addStd(const Unit &unit, Transforms &to, const std::string &text);

/// RANK:FACTOR of --slow.
Status addSlow(const std::string &text, std::map<int64_t, double> &slow);

} // namespace rubato
