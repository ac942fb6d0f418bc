#include "train/waited.h"

#include "program/spec.h"

#include <algorithm>
#include <vector>

using namespace rubato;

using What = WaitNote::What;

static const char *nameOf(What what) {
  switch (what) {
  case What::Nothing:
    break;
  case What::AllReduce:
    return "all_reduce";
  case What::Broadcast:
    return "broadcast";
  case What::Exchange:
    return "exchange";
  case What::Pull:
    return "pull";
  case What::Push:
    return "push";
  case What::Collect:
    return "collect";
  case What::Grant:
    return "grant";
  case What::Close:
    return "close";
  case What::Ask:
    return "ask";
  case What::Commit:
    return "commit";
  case What::Meet:
    return "meet";
  case What::Barrier:
    return "barrier";
  }
  return "";
}

/// Whether such a call of another member cannot end without `lost`.
static bool needs(What what, int peer, int server, int lost) {
  switch (what) {
  case What::AllReduce:
  case What::Broadcast:
  case What::Commit:
  case What::Barrier:
    return true;
  case What::Exchange:
    return peer == lost;
  case What::Pull:
  case What::Push:
    return server == lost;
  case What::Collect:
  case What::Close:
    return server != lost; // the server's, of its workers
  default:
    return false; // a sibling, a decision that others delay, or no wait at all
  }
}

template <typename List> static std::string symbol(const List &list, int at) {
  return at >= 0 && static_cast<size_t>(at) < list.size()
             ? " on @" + list[static_cast<size_t>(at)].name
             : "";
}

Waited rubato::waitedIn(const WaitNote &note, const ProgramSpec &program,
                        int members, int rank, int lost,
                        const std::string &place) {
  What what = note.what.load(std::memory_order_acquire);
  if (what == What::Nothing)
    return {};
  int index = note.index.load(), peer = note.peer.load(), server = -1;
  std::string where = nameOf(what);
  if (what == What::Ask) {
    where += symbol(program.policies, index);
  } else if (what == What::Meet) {
    where += symbol(program.rendezvous, index);
  } else if (std::string name = symbol(program.channels, index);
             !name.empty()) {
    where += name;
    server =
        program.serverOf(program.channels[static_cast<size_t>(index)], members);
  }
  if (what == What::Exchange && peer != lost)
    where += " with rank " + std::to_string(peer);
  return {rank, where + " (" + place + ")", needs(what, peer, server, lost)};
}

std::string rubato::describeWaits(std::span<const Waited> waits) {
  bool direct = std::ranges::any_of(waits, &Waited::direct);
  std::vector<std::string> told;
  std::string text;
  for (const Waited &first : waits) {
    if (first.where.empty() || first.direct != direct ||
        std::ranges::count(told, first.where))
      continue;
    told.push_back(first.where);
    std::string ranks;
    int count = 0;
    for (const Waited &each : waits)
      if (each.where == first.where && each.direct == direct) {
        ranks += (count++ ? ", " : "") + std::to_string(each.rank);
      }
    text += (text.empty() ? "" : ", ") +
            std::string(count > 1 ? "ranks " : "rank ") + ranks +
            (direct      ? " waited for it in "
             : count > 1 ? " were in "
                         : " was in ") +
            first.where;
  }
  if (text.empty())
    return "nobody waited for it";
  return direct ? text : "nobody waited for it yet: " + text;
}
