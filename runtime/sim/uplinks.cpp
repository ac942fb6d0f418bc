#include "sim/uplinks.h"

#include "sim/nanoseconds.h"

#include <map>

namespace rubato::sim {

int64_t Uplink::transfer(int64_t bytes) const {
  double seconds = bandwidth > 0 ? static_cast<double>(bytes) / bandwidth : 0;
  return fixed + nanoseconds(seconds);
}

static std::string nameOf(const Uplink &uplink) {
  return "uplink \"" + uplink.name + "\"";
}

Status checkUplinks(std::span<const Uplink> uplinks) {
  std::map<int64_t, const Uplink *> behind;
  for (const Uplink &uplink : uplinks)
    for (int64_t member : uplink.members) {
      auto [place, isNew] = behind.emplace(member, &uplink);
      if (isNew)
        continue;
      std::string what = uplink.where + ": member " + std::to_string(member) +
                         " of " + nameOf(uplink);
      if (place->second == &uplink)
        return Status::user(what + " is named twice; name it once");
      return Status::user(what + " is behind " + nameOf(*place->second) +
                          " too; a member has one uplink");
    }
  return Status::ok();
}

Status checkUplinks(std::span<const Uplink> uplinks, int members) {
  for (const Uplink &uplink : uplinks)
    for (int64_t member : uplink.members)
      if (member < 0 || member >= members)
        return Status::user(uplink.where + ": " + nameOf(uplink) +
                            " has member " + std::to_string(member) +
                            ", but the run has " + std::to_string(members) +
                            " members; name ranks from 0 to " +
                            std::to_string(members - 1));
  return Status::ok();
}

std::vector<int> uplinksOfRanks(std::span<const Uplink> uplinks, int members) {
  std::vector<int> found(static_cast<size_t>(members), -1);
  for (size_t i = 0; i != uplinks.size(); ++i)
    for (int64_t member : uplinks[i].members)
      found[static_cast<size_t>(member)] = static_cast<int>(i);
  return found;
}

} // namespace rubato::sim
