#include "launch/waited.h"

#include "unit/spec.h"

#include <algorithm>
#include <vector>

using namespace rubato;

/// Whether such a call of another member cannot end without `lost`.
static bool needs(Call what, int peer, int server, int lost) {
  switch (what) {
  case Call::AllReduce:
  case Call::Broadcast:
  case Call::Commit:
  case Call::Barrier:
    return true;
  case Call::Exchange:
    return peer == lost;
  case Call::Pull:
  case Call::Push:
    return server == lost;
  case Call::Collect:
  case Call::Close:
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
  Call what = note.what.load(std::memory_order_acquire);
  if (what == Call::None)
    return {};
  int index = note.index.load(), peer = note.peer.load(), server = -1;
  std::string where = callName(what);
  if (what == Call::Ask) {
    where += symbol(program.policies, index);
  } else if (what == Call::Meet) {
    where += symbol(program.rendezvous, index);
  } else if (std::string name = symbol(program.channels, index);
             !name.empty()) {
    where += name;
    server =
        program.serverOf(program.channels[static_cast<size_t>(index)], members);
  }
  if (what == Call::Exchange && peer != lost)
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
