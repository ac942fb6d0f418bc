// Devices of given speeds that work for adaptive.dispatch in virtual time.
#pragma once

#include "policy/adaptive_dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rubato::policy {

class AdaptiveDevices {
public:
  AdaptiveDevices(const AdaptiveOptions &options, std::vector<double> slowness)
      : slowness(std::move(slowness)),
        dispatch(options, numbers(this->slowness.size())),
        calls(this->slowness.size()) {}

  struct Result {
    std::vector<int64_t> updates, batches;
    double time = 0, samples = 0;
    int64_t spread() const {
      auto [least, most] = std::minmax_element(updates.begin(), updates.end());
      return *most - *least;
    }
  };

  /// Runs one mega-batch; a batch of b costs slowness * (100 + b). Of devices
  /// that are ready at the same time the first comes first.
  Result megaBatch() {
    Result result;
    result.updates.resize(slowness.size());
    for (const AdaptiveMember &member : dispatch.members())
      result.batches.push_back(dispatch.batchOf(member));
    std::set<std::pair<double, size_t>> ready;
    for (size_t i = 0; i < slowness.size(); ++i)
      ready.insert({0, i});
    while (!ready.empty()) {
      auto [time, i] = *ready.begin();
      ready.erase(ready.begin());
      result.time = std::max(result.time, time);
      std::optional<AdaptiveClaim> claim;
      EXPECT_TRUE(dispatch.claim(next(i), result.updates[i], claim));
      if (!claim || !claim->more)
        continue;
      ++result.updates[i];
      double size = static_cast<double>(claim->rows.size());
      result.samples += size;
      ready.insert({time + slowness[i] * (100 + size), i});
    }
    for (size_t i = 0; i < slowness.size(); ++i) {
      std::optional<AdaptiveWeight> weight;
      EXPECT_TRUE(dispatch.weight(next(i), result.updates[i], 0, weight));
      EXPECT_EQ(weight.has_value(), i + 1 == slowness.size());
    }
    return result;
  }

  std::vector<double> slowness;
  AdaptiveDispatch dispatch;

private:
  static std::vector<int64_t> numbers(size_t count) {
    std::vector<int64_t> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(static_cast<int64_t>(i));
    return result;
  }
  Asker next(size_t i) { return {static_cast<int64_t>(i), calls[i]++}; }

  std::vector<int64_t> calls;
};

} // namespace rubato::policy
