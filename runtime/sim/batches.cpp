// Micro-batches by their source, and the rounds that are dealt by cursor.
#include "data/sample_order.h"
#include "policy/random.h"
#include "sim/samples.h"

#include <algorithm>

namespace rubato::sim {

Samples::Cursor *Samples::cursorOf(const Strand &strand) {
  auto it =
      cursors.find({roles[static_cast<size_t>(strand.rank)], strand.index});
  return it == cursors.end() || strand.round < 0 ? nullptr : &it->second;
}

/// Deals the next samples to `members`, each a contiguous share.
Samples::Block Samples::deal(std::vector<int> members) {
  Block block;
  auto n = static_cast<int64_t>(members.size());
  Places all = next(n * options.quanta * options.batch, /*forGood=*/true);
  block.members = std::move(members);
  block.total = static_cast<int64_t>(all.size());
  for (int64_t i = 0; i != n; ++i)
    block.shares.emplace_back(all.begin() + block.total * i / n,
                              all.begin() + block.total * (i + 1) / n);
  return block;
}

void Samples::begin(Strand &strand) {
  strand.taken = 0;
  Cursor *cursor = cursorOf(strand);
  if (!cursor)
    return;
  Round &round = cursor->rounds[strand.round];
  if (round.empty())
    round.push_back(deal(
        ranks[static_cast<size_t>(roles[static_cast<size_t>(strand.rank)])]));
}

int64_t Samples::total(const Strand &strand) const {
  auto it =
      cursors.find({roles[static_cast<size_t>(strand.rank)], strand.index});
  if (it == cursors.end())
    return 0;
  auto round = it->second.rounds.find(strand.round);
  return round == it->second.rounds.end() ? 0 : round->second.front().total;
}

/// Calls `fn` with the blocks of a strand's round that its member is part of,
/// the member's place there, and how many samples of each it took.
template <typename Fn> void Samples::forBlocks(const Strand &strand, Fn fn) {
  Cursor *cursor = cursorOf(strand);
  if (!cursor)
    return;
  auto round = cursor->rounds.find(strand.round);
  if (round == cursor->rounds.end())
    return;
  int64_t before = 0; // micro-batches of the blocks before
  for (Block &block : round->second) {
    auto it = std::ranges::find(block.members, strand.rank);
    int64_t batches =
        std::clamp<int64_t>(strand.taken - before, 0, options.quanta);
    before += options.quanta;
    if (it == block.members.end())
      continue;
    auto i = static_cast<size_t>(it - block.members.begin());
    auto size = static_cast<int64_t>(block.shares[i].size());
    fn(block, i, static_cast<size_t>(std::min(size, batches * options.batch)));
  }
}

void Samples::end(Strand &strand) {
  forBlocks(strand, [&](Block &block, size_t i, size_t count) {
    std::span<const int64_t> share = block.shares[i];
    consume(share.first(count));
    giveBack(share.subspan(count));
    block.shares[i].clear();
  });
  std::erase_if(holdings[static_cast<size_t>(strand.rank)],
                [&](const Holding &each) {
                  bool done = each.strand == strand.index && each.channel < 0 &&
                              each.ticket < 0;
                  if (done)
                    consume(each.places);
                  return done;
                });
  Cursor *cursor = cursorOf(strand);
  if (!cursor)
    return;
  // Nobody comes back to a round that all have passed.
  size_t role = static_cast<size_t>(roles[static_cast<size_t>(strand.rank)]);
  if (++cursor->passed[strand.round] ==
      static_cast<int64_t>(ranks[role].size())) {
    cursor->rounds.erase(strand.round);
    cursor->passed.erase(strand.round);
  }
}

void Samples::settle(const Strand &strand, bool ok) {
  forBlocks(strand, [&](Block &block, size_t, size_t) {
    for (Places &share : block.shares) {
      if (ok)
        consume(share);
      else
        giveBack(share);
      share.clear();
    }
  });
}

Places Samples::byCursor(Strand &strand, const RoundOf &roundOf) {
  int64_t taken = strand.taken++;
  Cursor *cursor = cursorOf(strand);
  if (!cursor)
    return {};
  Round &round = cursor->rounds[strand.round];
  auto index = static_cast<size_t>(taken / options.quanta);
  if (index >= round.size()) {
    // Only for those who are still in this round.
    std::vector<int> present;
    for (int rank :
         ranks[static_cast<size_t>(roles[static_cast<size_t>(strand.rank)])])
      if (roundOf(rank, strand.index) <= strand.round)
        present.push_back(rank);
    round.push_back(deal(std::move(present)));
  }
  const Block &block = round[index];
  auto it = std::ranges::find(block.members, strand.rank);
  if (it == block.members.end())
    return {};
  const Places &share =
      block.shares[static_cast<size_t>(it - block.members.begin())];
  auto size = static_cast<int64_t>(share.size());
  int64_t from = taken % options.quanta * options.batch;
  int64_t to = std::min(size, from + options.batch);
  return from < to ? Places(share.begin() + from, share.begin() + to)
                   : Places();
}

Places Samples::byKeys(const Strand &strand,
                       std::span<const int64_t> keys) const {
  // The member is part of the key, since tickets and counts are its own.
  uint64_t mixed = options.seed;
  for (int64_t key : keys)
    mixed = policy::CounterRandom(mixed, "keyed", {strand.rank, key}).bits();
  policy::CounterRandom random(mixed, "rows", {strand.rank, 0});
  Places places;
  for (int64_t i = 0; i != options.batch; ++i)
    places.push_back(random.below(options.samples));
  return places;
}

Status Samples::take(Strand &strand, const BatchRequest &request,
                     const RoundOf &roundOf, Places &places) {
  std::span<const int64_t> keys = request.keys;
  Holding holding;
  holding.strand = strand.index;
  holding.source = request.source;
  switch (request.source) {
  case RB_BATCH_CURSOR:
    places = byCursor(strand, roundOf);
    return Status::ok();
  case RB_BATCH_KEYED:
    places = byKeys(strand, keys);
    return Status::ok();
  case RB_BATCH_PEEK:
    places = next(options.batch, /*forGood=*/false);
    return Status::ok();
  case RB_BATCH_WHOLE:
    places.resize(static_cast<size_t>(options.batch));
    places.resize(
        static_cast<size_t>(wholeBatch(keys[0], options.samples, places)));
    return Status::ok();
  case RB_BATCH_QUEUE:
    places = next(options.batch, /*forGood=*/true);
    holding.channel = request.channel;
    if (!keys.empty())
      holding.ticket = keys[0];
    break;
  case RB_BATCH_RANGE:
    if (keys.size() != 2 || keys[0] < 0 || keys[0] > int64_t{1} << 31 ||
        keys[1] > keys[0] + options.batch)
      return {ErrorCode::Internal,
              keys.size() != 2
                  ? "a range has two ends"
                  : "rows " + std::to_string(keys[0]) + " to " +
                        std::to_string(keys[1]) + " are no quantum of " +
                        std::to_string(options.batch) + " samples"};
    for (int64_t i = keys[0]; i < keys[1]; ++i)
      places.push_back(i);
    break;
  }
  holding.places = places;
  holdings[static_cast<size_t>(strand.rank)].push_back(std::move(holding));
  return Status::ok();
}

} // namespace rubato::sim
