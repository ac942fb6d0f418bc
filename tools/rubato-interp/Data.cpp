// Which samples go to whom, and which count as consumed.
//
// Samples come from one endless stream of places, epoch after epoch. What is
// given back is handed out again before anything new, and no batch mixes
// epochs; so every sample of an epoch is consumed once.
#include "data/permutation.h"
#include "tools/rubato-interp/Machine.h"

#include <algorithm>

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

int64_t Machine::sampleAt(int64_t place) const {
  int64_t epoch = place / config.samples, row = place % config.samples;
  return config.shuffle ? Permutation(config.samples, config.seed, epoch)[row]
                        : row;
}

Places Machine::take(Data &data, int64_t count) {
  Places places;
  auto epochOf = [&](int64_t place) { return place / config.samples; };
  int64_t epoch =
      epochOf(data.returned.empty() ? data.fresh : data.returned.front());
  while (int64_t(places.size()) < count && !data.returned.empty() &&
         epochOf(data.returned.front()) == epoch) {
    places.push_back(data.returned.front());
    data.returned.erase(data.returned.begin());
  }
  while (int64_t(places.size()) < count && epochOf(data.fresh) == epoch)
    places.push_back(data.fresh++);
  return places;
}

void Machine::giveBack(Data &data, ArrayRef<int64_t> places) {
  data.returned.insert(data.returned.end(), places.begin(), places.end());
  llvm::sort(data.returned);
}

void Machine::consume(Data &data, ArrayRef<int64_t> places) {
  for (int64_t place : places) {
    if (place >= int64_t(data.consumed.size()))
      data.consumed.resize(place + 1);
    // More than twice is no more wrong than twice.
    data.consumed[place] = std::min<int>(data.consumed[place] + 1, 2);
  }
}

//===----------------------------------------------------------------------===//
// Rounds of the cursor
//===----------------------------------------------------------------------===//

RoundKey Machine::roundKey(const World &world, int rank, int strand) const {
  return {program.roleOfRank[rank], strand,
          world.members[rank]->strands[strand]->round, 0};
}

/// Deals the next samples to `members`, each a contiguous share.
RoundPlan Machine::makeBlock(World &world, RoundKey key,
                             std::vector<int> members) {
  RoundPlan plan;
  plan.members = std::move(members);
  int64_t n = plan.members.size();
  plan.shares.resize(n);
  plan.acknowledged.resize(n);
  RoleInfo &role = program.roles[key[0]];
  Region *region = nullptr;
  if (key[2] >= 0)
    region = role.region(key[1]);
  if (!region || !program.usesCursor(region))
    return plan;
  std::vector<int64_t> takers;
  for (int64_t i = 0; i != n; ++i)
    if (program.roleOfRank[plan.members[i]] == key[0])
      takers.push_back(i);
  int64_t m = takers.size();
  Places all = take(world.data.edit(), m * config.quanta * program.batch);
  plan.total = all.size();
  for (int64_t i = 0; i != m; ++i)
    plan.shares[takers[i]].assign(all.begin() + plan.total * i / m,
                                  all.begin() + plan.total * (i + 1) / m);
  return plan;
}

RoundPlan &Machine::roundOf(World &world, int rank, int strand) {
  RoundKey key = roundKey(world, rank, strand);
  // A round that nobody shares has members of its own: those alive when it
  // begins, not those when the fastest member began the round of that number.
  if (key[2] >= 0 &&
      !program.sharesRounds(program.roles[key[0]].region(key[1])))
    key[3] = -1 - rank;
  if (!world.data->rounds.count(key)) {
    RoundPlan plan = makeBlock(world, key, live(world));
    world.data.edit().rounds[key] = std::move(plan);
  }
  return world.data.edit().rounds[key];
}

Places Machine::cursorPlaces(Here &here) {
  RoundKey key = roundKey(here.world, here.rank, here.index);
  int64_t taken = here.strand().taken++;
  key[3] = taken / config.quanta;
  if (!here.world.data->rounds.count(key)) {
    // Only for those who are still in this round.
    std::vector<int> members;
    for (int rank : live(here.world))
      if (program.roleOfRank[rank] == key[0] &&
          here.world.members[rank]->strands[here.index]->round <= key[2])
        members.push_back(rank);
    RoundPlan plan = makeBlock(here.world, key, std::move(members));
    here.world.data.edit().rounds[key] = std::move(plan);
  }
  const RoundPlan &plan = here.world.data.edit().rounds[key];
  size_t i = llvm::find(plan.members, here.rank) - plan.members.begin();
  if (i == plan.members.size())
    return {};
  const Places &share = plan.shares[i];
  int64_t size = share.size(), from = taken % config.quanta * program.batch;
  int64_t to = std::min(size, from + program.batch);
  return from < to ? Places(share.begin() + from, share.begin() + to)
                   : Places();
}

/// Calls `fn` with this member's blocks of the present round of a strand and
/// how many samples of each it took.
template <typename Fn>
static void forBlocks(const Program &program, const Config &config,
                      World &world, RoundKey key, int rank, int64_t taken,
                      Fn fn) {
  Data &data = world.data.edit();
  for (int64_t block = 0;; ++block) {
    key[3] = block;
    auto it = data.rounds.find(key);
    if (it == data.rounds.end())
      return;
    RoundPlan &plan = it->second;
    size_t i = llvm::find(plan.members, rank) - plan.members.begin();
    if (i == plan.members.size())
      continue;
    int64_t batches =
        std::clamp<int64_t>(taken - block * config.quanta, 0, config.quanta);
    int64_t size = plan.shares[i].size();
    fn(plan, i, std::min(size, batches * program.batch));
  }
}

void Machine::acknowledge(World &world, int rank, int channel) {
  Data &data = world.data.edit();
  bool dealt = false;
  for (auto it = data.holdings.begin(); it != data.holdings.end();) {
    bool mine =
        it->rank == rank && (it->source == BatchSource::Range ||
                             (it->channel >= 0 && it->channel == channel));
    dealt |= mine && it->source == BatchSource::Range;
    if (mine)
      consume(data, it->places);
    it = mine ? data.holdings.erase(it) : std::next(it);
  }
  if (channel < 0)
    return;
  // Who dealt the rows must not deal them again if the member dies now.
  for (unsigned i = 0; dealt && i != world.policies.size(); ++i)
    if (world.policies[i])
      world.policies[i].edit([&] { return make(i); }).contributed(rank);
  const Member &member = *world.members[rank];
  for (size_t i = 0; i + 1 < member.strands.size(); ++i)
    forBlocks(program, config, world, roundKey(world, rank, i), rank,
              member.strands[i]->taken,
              [](RoundPlan &plan, size_t at, int64_t count) {
                plan.acknowledged[at] = count;
              });
}

void Machine::settleRound(World &world, int rank, int strand) {
  Data &data = world.data.edit();
  RoundKey key = roundKey(world, rank, strand);
  forBlocks(program, config, world, key, rank,
            world.members[rank]->strands[strand]->taken,
            [&](RoundPlan &plan, size_t i, int64_t count) {
              ArrayRef<int64_t> share = plan.shares[i];
              consume(data, share.take_front(count));
              giveBack(data, share.drop_front(count));
              plan.shares[i].clear();
            });
  for (auto it = data.holdings.begin(); it != data.holdings.end();) {
    bool done = it->rank == rank && it->strand == strand && it->channel < 0 &&
                it->ticket < 0;
    if (done)
      consume(data, it->places);
    it = done ? data.holdings.erase(it) : std::next(it);
  }
  // Nobody comes back to rounds that all have passed.
  int64_t oldest = key[2];
  for (int other : live(world))
    if (program.roleOfRank[other] == key[0])
      oldest =
          std::min(oldest, world.members[other]->strands[strand]->round - 1);
  for (auto it = data.rounds.begin(); it != data.rounds.end();) {
    bool old = it->first[0] == key[0] && it->first[1] == key[1] &&
               key[2] >= 0 && it->first[2] >= 0 && it->first[2] < oldest;
    it = old ? data.rounds.erase(it) : std::next(it);
  }
}

void Machine::settleCommit(World &world, int rank, int strand, bool ok) {
  Data &data = world.data.edit();
  RoundKey key = roundKey(world, rank, strand);
  forBlocks(program, config, world, key, rank,
            world.members[rank]->strands[strand]->taken,
            [&](RoundPlan &plan, size_t, int64_t) {
              for (Places &share : plan.shares) {
                if (ok)
                  consume(data, share);
                else
                  giveBack(data, share);
                share.clear();
              }
            });
}

//===----------------------------------------------------------------------===//
// What is given back
//===----------------------------------------------------------------------===//

void Machine::voidLeases(World &world, int rank, int64_t before) {
  Data &data = world.data.edit();
  for (auto it = data.holdings.begin(); it != data.holdings.end();) {
    bool isVoid = it->rank == rank && it->ticket >= 0 && it->ticket < before &&
                  (!it->acknowledged || before == INT64_MAX);
    if (isVoid)
      giveBack(data, it->places);
    it = isVoid ? data.holdings.erase(it) : std::next(it);
  }
}

/// A dead member's part of every round that is under way: what it posted
/// before counts, unless a vote decides about it.
void Machine::returnShare(World &world, int rank) {
  Data &data = world.data.edit();
  for (auto &[key, plan] : data.rounds) {
    size_t i = llvm::find(plan.members, rank) - plan.members.begin();
    if (i == plan.members.size())
      continue;
    Places &share = plan.shares[i];
    int64_t count = std::min<int64_t>(plan.acknowledged[i], share.size());
    giveBack(data, ArrayRef(share).drop_front(count));
    share.resize(count);
    if (program.usesCommit())
      continue;
    consume(data, share);
    share.clear();
  }
}

void Machine::returnData(World &world, int rank, int strand) {
  Data &data = world.data.edit();
  bool dead = strand < 0;
  for (auto it = data.holdings.begin(); it != data.holdings.end();) {
    const Holding &each = *it;
    bool mine =
        each.rank == rank &&
        (dead || (each.strand == strand &&
                  each.round == world.members[rank]->strands[strand]->round)) &&
        !each.acknowledged;
    if (!mine) {
      ++it;
      continue;
    }
    bool plain = each.channel < 0 && each.ticket < 0;
    if (each.source == BatchSource::Queue) {
      if (dead && plain)
        consume(data, each.places);
      else
        giveBack(data, each.places);
    }
    it = data.holdings.erase(it);
  }
  if (dead)
    returnShare(world, rank);
}

} // namespace rubato::interp
