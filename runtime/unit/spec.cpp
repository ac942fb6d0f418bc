#include "unit/spec.h"

#include "support/dtype.h"

#include <algorithm>

namespace rubato {

int64_t FrameSpec::bytes() const {
  return kind == Kind::Tensor ? values[0].count * elementBytes(values[0].dtype)
                              : elementBytes(RB_I64);
}

std::vector<int> ProgramSpec::rolesOfRanks(int members) const {
  int64_t fixed = 0;
  for (const RoleSpec &role : roles)
    fixed += std::max<int64_t>(role.count, 0);
  std::vector<int> result;
  for (size_t i = 0; i != roles.size(); ++i) {
    int64_t count = roles[i].count < 0 ? members - fixed : roles[i].count;
    result.insert(result.end(),
                  static_cast<size_t>(std::max<int64_t>(count, 0)),
                  static_cast<int>(i));
  }
  return result;
}

std::vector<int64_t> ProgramSpec::askersOf(const PolicySpec &policy,
                                           int members) const {
  std::vector<int64_t> ranks;
  std::vector<int> role = rolesOfRanks(members);
  for (size_t rank = 0; rank != role.size(); ++rank) {
    const std::string &name = roles[static_cast<size_t>(role[rank])].name;
    if (std::find(policy.askers.begin(), policy.askers.end(), name) !=
        policy.askers.end())
      ranks.push_back(static_cast<int64_t>(rank));
  }
  return ranks;
}

int ProgramSpec::serverOf(const ProgramChannel &channel, int members) const {
  std::vector<int> role = rolesOfRanks(members);
  for (size_t rank = 0; rank != role.size(); ++rank)
    if (channel.kind == "mailbox" &&
        roles[static_cast<size_t>(role[rank])].name == channel.server)
      return static_cast<int>(rank);
  return -1;
}

} // namespace rubato
