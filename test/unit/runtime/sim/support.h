// What the tests of the simulator share: files of the repository and logs.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace rubato::sim::test {

inline std::string contents(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string golden(const std::string &name) {
  return contents(std::string(RUBATO_SIM_GOLDEN) + "/" + name);
}

inline std::string clusterPath(const std::string &name) {
  return std::string(RUBATO_CLUSTERS) + "/" + name;
}

using Events = std::vector<nlohmann::json>;

/// The events of an operation, in the order of the log.
inline Events eventsOf(const std::string &log, const std::string &operation,
                       int rank = -1) {
  Events events;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    if (event["op"] == operation && (rank < 0 || event["rank"] == rank))
      events.push_back(std::move(event));
  }
  return events;
}

#define ASSERT_OK(expression)                                                  \
  do {                                                                         \
    ::rubato::Status okStatus = (expression);                                  \
    ASSERT_TRUE(okStatus) << okStatus.message();                               \
  } while (false)

} // namespace rubato::sim::test
