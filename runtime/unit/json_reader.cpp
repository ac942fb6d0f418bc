// Typed access to JSON; nothing here throws, because every type is asked for
// before it is used.
#include "unit/json_reader.h"

namespace rubato {

using nlohmann::json;

static const json missing;

/// "cells[2].offset"
static std::string path(const std::string &where, const char *key) {
  return where.empty() ? key : where + "." + key;
}

void JsonReader::fail(const std::string &where, const std::string &what) {
  if (!failed())
    status_ = {ErrorCode::Internal,
               document + ": " + where + ": " + what + "; " + blame};
}

const json &JsonReader::member(const json &in, const std::string &where,
                               const char *key, json::value_t type,
                               const char *typeName) {
  auto found = in.find(key);
  if (found != in.end() && found->type() == type)
    return *found;
  fail(path(where, key), std::string("must be ") + typeName);
  return missing;
}

const json &JsonReader::object(const json &in, const std::string &where,
                               const char *key) {
  return member(in, where, key, json::value_t::object, "an object");
}

const json &JsonReader::array(const json &in, const std::string &where,
                              const char *key) {
  return member(in, where, key, json::value_t::array, "an array");
}

std::string JsonReader::text(const json &in, const std::string &where,
                             const char *key) {
  const json &value = member(in, where, key, json::value_t::string, "a string");
  return value.is_string() ? value.get<std::string>() : "";
}

bool JsonReader::boolean(const json &in, const std::string &where,
                         const char *key) {
  const json &value =
      member(in, where, key, json::value_t::boolean, "true or false");
  return value.is_boolean() && value.get<bool>();
}

int64_t JsonReader::integer(const json &in, const std::string &where,
                            const char *key, int64_t low, int64_t high) {
  auto found = in.find(key);
  return integer(found == in.end() ? missing : *found, path(where, key), low,
                 high);
}

int64_t JsonReader::integer(const json &value, const std::string &where,
                            int64_t low, int64_t high) {
  bool good = value.is_number_integer();
  if (good && value.is_number_unsigned())
    good = value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
  int64_t number = good ? value.get<int64_t>() : low;
  if (good && number >= low && number <= high)
    return number;
  fail(where, "must be an integer from " + std::to_string(low) + " to " +
                  std::to_string(high));
  return low;
}

} // namespace rubato
