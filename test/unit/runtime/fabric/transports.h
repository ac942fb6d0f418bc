// The transports that every conformance test runs with, and its members.
#pragma once

#include "device_fabric.h"
#include "environment/environment.h"
#include "fabric/fabric.h"
#include "run_members.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <random>

enum class Transport {
  Threads,
  Shared,
  Processes,
  SlowThreads,
  SlowShared,
  Device // processes whose values lie on devices
};

inline By byOf(Transport transport) {
  return transport == Transport::Processes || transport == Transport::Device
             ? By::Processes
             : By::Threads;
}

inline std::string nameOf(const testing::TestParamInfo<Transport> &info) {
  static const char *const names[] = {"Threads",     "Shared",     "Processes",
                                      "SlowThreads", "SlowShared", "Device"};
  return names[int(info.param)];
}

class Transports : public testing::TestWithParam<Transport> {
protected:
  void make(int members, std::vector<rubato::ChannelSpec> channels) {
    using namespace rubato;
    Transport transport = GetParam();
    bool threads =
        transport == Transport::Threads || transport == Transport::SlowThreads;
    bool slow = transport == Transport::SlowThreads ||
                transport == Transport::SlowShared;
    Status status = threads ? makeThreadFabric(members, channels, fabric)
                            : makeSharedFabric(members, channels, fabric);
    ASSERT_TRUE(status) << status.message();
    if (transport == Transport::Device)
      fabric = std::make_unique<DeviceFabric>(
          std::move(fabric), static_cast<int>(channels.size()));
    if (!slow)
      return;
    std::unique_ptr<Fabric> inner = std::move(fabric);
    RateLimit limit{1e9, std::chrono::microseconds(100)};
    status = makeRateLimitedFabric(std::move(inner), limit, fabric);
    ASSERT_TRUE(status) << status.message();
  }

  /// Of values on a device a start is made when they have been fetched, and who
  /// awaits it is told why it was refused.
  static bool refusesAtOnce() { return GetParam() != Transport::Device; }

  /// Calls the body as every member; all must return true.
  void runAll(const std::function<bool(int)> &body) {
    EXPECT_EQ(runMembers(byOf(GetParam()), fabric->members(), body), 0);
  }

  std::unique_ptr<rubato::Fabric> fabric;
};

#define RB_ALL_TRANSPORTS(suite)                                               \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      All, suite,                                                              \
      testing::Values(Transport::Threads, Transport::Shared,                   \
                      Transport::Processes, Transport::SlowThreads,            \
                      Transport::SlowShared, Transport::Device),               \
      nameOf)

/// Of what is shared where it lies.
#define RB_HOST_TRANSPORTS(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      All, suite,                                                              \
      testing::Values(Transport::Threads, Transport::Shared,                   \
                      Transport::Processes, Transport::SlowThreads,            \
                      Transport::SlowShared),                                  \
      nameOf)

/// In the body of a member, which may be a process without GoogleTest.
#define NEED(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,          \
                   #condition);                                                \
      return false;                                                            \
    }                                                                          \
  } while (false)
#define NEED_OK(expression)                                                    \
  do {                                                                         \
    if (rubato::Status needed = (expression); !needed) {                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                  \
                   needed.message().c_str());                                  \
      return false;                                                            \
    }                                                                          \
  } while (false)

/// Whether it failed with this code and all these texts.
inline bool failsWith(const rubato::Status &status, rubato::ErrorCode code,
                      std::initializer_list<const char *> texts) {
  bool good = status.code() == code;
  for (const char *text : texts)
    good = good && status.message().find(text) != std::string::npos;
  if (!good)
    std::fprintf(stderr, "another failure: code %d: %s\n", int(status.code()),
                 status.message().c_str());
  return good;
}

template <typename T> rb_dtype dtypeOf();
template <> inline rb_dtype dtypeOf<float>() { return RB_F32; }
template <> inline rb_dtype dtypeOf<double>() { return RB_F64; }
template <> inline rb_dtype dtypeOf<int64_t>() { return RB_I64; }

template <typename T> rubato::Part partOf(std::vector<T> &values) {
  return {dtypeOf<T>(), int64_t(values.size()), values.data()};
}
template <typename T> rubato::Part partOf(T &value) {
  return {dtypeOf<T>(), 1, &value};
}

inline rubato::Deadline within(int milliseconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(milliseconds);
}

inline void pause(std::mt19937 &random, unsigned mostMicroseconds) {
  usleep(random() % mostMicroseconds);
}
