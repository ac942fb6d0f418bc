#include "launch/placement.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sched.h>

using namespace rubato;

namespace {

/// More than any kernel is built for.
constexpr int mostCores = 1 << 13;

struct FreeSet {
  void operator()(cpu_set_t *set) const { CPU_FREE(set); }
};

std::unique_ptr<cpu_set_t, FreeSet> emptySet() {
  std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(mostCores));
  CPU_ZERO_S(CPU_ALLOC_SIZE(mostCores), set.get());
  return set;
}

/// "0-3, 6"
std::string listOf(const Cores &cores) {
  std::string text;
  for (size_t i = 0, last; i < cores.size(); i = last + 1) {
    last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cores[i]);
    if (last > i)
      text += "-" + std::to_string(cores[last]);
  }
  return text;
}

} // namespace

Cores rubato::allowedCores() {
  auto set = emptySet();
  Cores cores;
  if (sched_getaffinity(0, CPU_ALLOC_SIZE(mostCores), set.get()) != 0)
    return cores;
  for (int core = 0; core < mostCores; ++core)
    if (CPU_ISSET_S(core, CPU_ALLOC_SIZE(mostCores), set.get()))
      cores.push_back(core);
  return cores;
}

std::vector<Cores> rubato::placeMembers(const Cores &cores,
                                        const std::vector<bool> &waiting) {
  std::vector<Cores> places(waiting.size());
  if (cores.size() < waiting.size() || waiting.size() < 2)
    return places;
  auto computing = static_cast<size_t>(std::ranges::count(waiting, false));
  size_t index = 0;
  for (size_t rank = 0; rank != waiting.size(); ++rank) {
    if (waiting[rank])
      continue;
    size_t begin = index * cores.size() / computing;
    size_t end = ++index * cores.size() / computing;
    places[rank].assign(cores.begin() + static_cast<std::ptrdiff_t>(begin),
                        cores.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return places;
}

Status rubato::keepTo(const Cores &cores) {
  if (cores.empty())
    return Status::ok();
  auto set = emptySet();
  for (int core : cores)
    CPU_SET_S(core, CPU_ALLOC_SIZE(mostCores), set.get());
  if (sched_setaffinity(0, CPU_ALLOC_SIZE(mostCores), set.get()) == 0)
    return Status::ok();
  return Status::user("cannot keep a member to core " + listOf(cores) + ": " +
                      std::strerror(errno) +
                      "; --affinity none leaves members free");
}

std::string rubato::describePlaces(const std::vector<Cores> &places,
                                   size_t cores) {
  std::string text;
  for (size_t rank = 0; rank != places.size(); ++rank)
    if (!places[rank].empty())
      text += (text.empty() ? "" : ", ") + ("rank " + std::to_string(rank)) +
              " on " + listOf(places[rank]);
  return text.empty() ? std::to_string(cores) + " shared by all" : text;
}
