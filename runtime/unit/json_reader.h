// Typed access to a JSON document that keeps the first problem as a Status.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace rubato {

/// Reads members of JSON objects. Each function names the member by its path
/// in its error and returns a harmless value after one, so a caller may read
/// several members and look at status() once.
class JsonReader {
public:
  using json = nlohmann::json;

  /// `blame` closes every message: whose fault a bad document is.
  JsonReader(std::string document, std::string blame)
      : document(std::move(document)), blame(std::move(blame)) {}

  const Status &status() const { return status_; }
  bool failed() const { return !status_; }
  void fail(const std::string &where, const std::string &what);

  const json &object(const json &in, const std::string &where, const char *key);
  const json &array(const json &in, const std::string &where, const char *key);
  std::string text(const json &in, const std::string &where, const char *key);
  int64_t integer(const json &in, const std::string &where, const char *key,
                  int64_t low = 0, int64_t high = INT64_MAX);
  bool boolean(const json &in, const std::string &where, const char *key);

  /// The value itself as an integer in [low, high].
  int64_t integer(const json &value, const std::string &where, int64_t low,
                  int64_t high);

private:
  const json &member(const json &in, const std::string &where, const char *key,
                     json::value_t type, const char *typeName);

  std::string document, blame;
  Status status_;
};

} // namespace rubato
