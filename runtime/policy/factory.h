// Policies by name: how a host makes the policies that a program declares.
#pragma once

#include "policy/policy.h"
#include "policy/settings.h"

#include <memory>

namespace rubato::policy {

/// What a host knows that a program does not say.
struct World {
  /// Those who take part, by number.
  std::vector<int64_t> members;
  uint64_t seed = 0;
  /// Rows of the data set, for policies that deal rows; 0: not known.
  int64_t datasetSize = 0;
};

/// The names that makePolicy knows, ascending.
std::vector<std::string_view> policyNames();

/// Makes a policy. What is not set keeps its default; README.md has the table
/// of settings. Another policy of the same name, settings and world takes its
/// saved state, whatever the seed: so a state is copied, and asked again under
/// other seeds for the other outcomes of its random draws.
Status makePolicy(std::string_view name, std::span<const NamedSetting> settings,
                  const World &world, std::unique_ptr<Policy> &policy);

} // namespace rubato::policy
