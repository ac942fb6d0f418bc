// Pairing of members that are ready to average.
#include "policy/gossip_matcher.h"

#include "policy/ask.h"
#include "policy/random.h"
#include "policy/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato::policy {

Status GossipMatcher::check(const MatcherOptions &options) {
  if (options.members < 1 || options.members > maxGossipMembers)
    return Status::user("gossip.matcher: " + std::to_string(options.members) +
                        " members; it serves 1 to " +
                        std::to_string(maxGossipMembers));
  for (int64_t member : options.present)
    if (member < 0 || member >= options.members)
      return Status::user("gossip.matcher: no member " +
                          std::to_string(member) + " in a group of " +
                          std::to_string(options.members));
  if (!std::isfinite(options.rate) || options.rate <= 0)
    return badSetting("gossip.matcher", "rate",
                      "a positive number of averagings per gradient, not " +
                          std::to_string(options.rate));
  if (options.goal < 0)
    return badSetting("gossip.matcher", "goal",
                      "a number of samples, or 0 for none, not " +
                          std::to_string(options.goal));
  return Status::ok();
}

Status GossipMatcher::create(const MatcherOptions &options,
                             std::unique_ptr<GossipMatcher> &matcher) {
  RB_TRY(check(options));
  Neighbours whole;
  if (isFixed(options.graph.topology))
    RB_TRY(makeGraph(options.graph, options.members, whole));
  matcher.reset(new GossipMatcher(options, std::move(whole)));
  return Status::ok();
}

GossipMatcher::GossipMatcher(const MatcherOptions &options, Neighbours whole)
    : options(options), whole(std::move(whole)) {
  state.members.resize(static_cast<size_t>(options.members));
  for (Member &member : state.members)
    member.live = options.present.empty();
  for (int64_t member : options.present)
    at(member).live = true;
  refresh();
}

void GossipMatcher::refresh() {
  std::vector<bool> alive;
  for (const Member &member : state.members)
    alive.push_back(member.live);
  graph = whole.empty()
              ? liveGraph(options.graph.topology, options.repair, alive)
              : liveGraph(whole, options.repair, alive);
  if (options.graph.topology == Topology::Edges)
    usage.emplace(graph);
  else
    usage.reset();
  live = options.accelerate ? gossipConstants(graph, options.rate)
                            : GossipConstants();
}

bool GossipMatcher::isMember(int64_t member) const {
  return member >= 0 && member < options.members;
}

Status GossipMatcher::checkMember(int64_t member) const {
  if (!isMember(member))
    return Status::user("gossip.matcher: no member " + std::to_string(member) +
                        " in a group of " + std::to_string(options.members));
  if (!at(member).live)
    return {ErrorCode::Communication, "gossip.matcher: member " +
                                          std::to_string(member) +
                                          " has left the group"};
  return Status::ok();
}

bool GossipMatcher::isWaiting(int64_t member) const {
  return isMember(member) && at(member).live && at(member).nextCall >= 0 &&
         !at(member).answered;
}

std::optional<Match> GossipMatcher::poll(int64_t member) const {
  if (!isMember(member) || !at(member).answered)
    return std::nullopt;
  return at(member).match;
}

bool GossipMatcher::metLast(int64_t a, int64_t b) const {
  return at(a).last == b && at(b).last == a;
}

bool GossipMatcher::mayMeet(int64_t a, int64_t b) const {
  // Nobody waits for ever by both rules: where all members of a connected part
  // wait and some edge is behind, the one farthest behind satisfies both; where
  // none is, the first holds for every edge, and the pairs that the second
  // forbids are disjoint. Pairs of others never allow one of two that wait.
  if (usage && !usage->mayUse(a, b))
    return false;
  return !metLast(a, b) || options.repeats ||
         (usage && usage->isBehind(a, b)) ||
         graph[static_cast<size_t>(a)].size() < 2 ||
         graph[static_cast<size_t>(b)].size() < 2;
}

int64_t GossipMatcher::draw(int64_t member,
                            const std::vector<Neighbour> &candidates) const {
  // At most one draw for each offer, so its number is a key of its own.
  CounterRandom random(options.seed, name(), {member, at(member).nextCall});
  double total = 0;
  for (const Neighbour &each : candidates)
    total += each.weight;
  // Whole weights, as named graphs have them, need no rounding.
  double left = usage ? random.uniform() * total
                      : static_cast<double>(random.below(std::llround(total)));
  for (const Neighbour &each : candidates) {
    if (left < each.weight)
      return each.member;
    left -= each.weight;
  }
  return candidates.back().member;
}

void GossipMatcher::answer(int64_t member, Match match) {
  std::erase(state.waiting, member);
  at(member).answered = true;
  at(member).match = match;
}

void GossipMatcher::findPartner(int64_t member) {
  std::vector<Neighbour> candidates;
  for (const Neighbour &each : graph[static_cast<size_t>(member)])
    if (isWaiting(each.member) && mayMeet(member, each.member))
      candidates.push_back(each);
  if (candidates.empty())
    return;
  // One that has no other neighbour leaves its own to those who also wait.
  auto again = [&](const Neighbour &each) {
    return metLast(member, each.member);
  };
  if (!options.repeats &&
      !std::all_of(candidates.begin(), candidates.end(), again))
    std::erase_if(candidates, again);
  int64_t peer = draw(member, candidates);
  if (usage)
    usage->use(member, peer);
  state.repeats += metLast(member, peer);
  int64_t tag = state.matches++;
  at(member).last = peer;
  at(peer).last = member;
  answer(member, {peer, tag, true});
  answer(peer, {member, tag, true});
}

void GossipMatcher::serve(int64_t member) {
  if (state.stopping)
    answer(member, {-1, -1, false});
  else if (graph[static_cast<size_t>(member)].empty())
    answer(member, {-1, -1, true});
  else
    findPartner(member);
}

void GossipMatcher::settle() {
  const std::vector<int64_t> waiting = state.waiting;
  for (int64_t member : waiting)
    if (isWaiting(member))
      serve(member);
}

Status GossipMatcher::offer(Asker asker, std::optional<Match> &match) {
  RB_TRY(checkMember(asker.member));
  Member &member = at(asker.member);
  RB_TRY(checkCall(*this, asker, member.nextCall));
  if (asker.call > member.nextCall) {
    // A newer question of one who waits takes the place of the older.
    if (!isWaiting(asker.member))
      state.waiting.push_back(asker.member);
    member.nextCall = asker.call;
    member.answered = false;
    // Those who waited before have no new partner but this one, which chooses.
    serve(asker.member);
  }
  match = poll(asker.member);
  return Status::ok();
}

bool GossipMatcher::reachedGoal() const {
  if (options.goal == 0)
    return false;
  int64_t missing = options.goal;
  for (const Member &member : state.members) {
    for (int64_t samples : {member.earlier, member.samples}) {
      if (samples >= missing)
        return true;
      missing -= samples;
    }
  }
  return false;
}

Status GossipMatcher::report(Asker asker, int64_t samples, int64_t stop,
                             bool &go) {
  RB_TRY(checkMember(asker.member));
  Member &member = at(asker.member);
  RB_TRY(checkCall(*this, asker, member.reportCall));
  if (asker.call > member.reportCall) {
    if (samples < member.samples)
      return Status::user(
          "gossip.matcher: member " + std::to_string(asker.member) +
          " reports " + std::to_string(samples) + " samples after " +
          std::to_string(member.samples) + "; report the sum since the start");
    member.samples = samples;
    if (stop != 0 || reachedGoal())
      state.stopping = true;
    if (state.stopping)
      settle();
    member.reportCall = asker.call;
    member.reportGo = !state.stopping;
  }
  go = member.reportGo;
  return Status::ok();
}

Status GossipMatcher::constants(Asker asker, double &eta, double &alpha) {
  RB_TRY(checkMember(asker.member));
  Member &member = at(asker.member);
  RB_TRY(checkCall(*this, asker, member.constantsCall));
  if (asker.call > member.constantsCall) {
    member.constantsCall = asker.call;
    member.eta = live.eta;
    member.alpha = live.alpha;
  }
  eta = member.eta;
  alpha = member.alpha;
  return Status::ok();
}

Status GossipMatcher::leave(int64_t member) {
  if (isMember(member) && !at(member).live)
    return Status::ok();
  RB_TRY(checkMember(member));
  at(member).live = false;
  std::erase(state.waiting, member);
  refresh();
  settle();
  return Status::ok();
}

Status GossipMatcher::join(int64_t member) {
  if (!isMember(member))
    return Status::user("gossip.matcher: member " + std::to_string(member) +
                        " cannot join a group made for the numbers below " +
                        std::to_string(options.members));
  if (at(member).live)
    return Status::user("gossip.matcher: member " + std::to_string(member) +
                        " joins twice; it must leave first");
  const Member &before = at(member);
  int64_t room = std::numeric_limits<int64_t>::max() - before.earlier;
  Member fresh;
  fresh.earlier = before.earlier + std::min(room, before.samples);
  at(member) = fresh;
  refresh();
  // In a larger graph two that wait may have become neighbours.
  settle();
  return Status::ok();
}

} // namespace rubato::policy
