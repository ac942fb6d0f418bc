// The stream of samples: what is handed out, given back and consumed.
#include "sim/samples.h"

#include "policy/random.h"

#include <algorithm>

namespace rubato::sim {

Samples::Samples(const SampleOptions &options, const ProgramSpec &spec,
                 int members)
    : options(options), roles(spec.rolesOfRanks(members)),
      ranks(spec.roles.size()), holdings(static_cast<size_t>(members)),
      order(options.samples) {
  for (int rank = 0; rank != members; ++rank)
    ranks[static_cast<size_t>(roles[static_cast<size_t>(rank)])].push_back(
        rank);
  for (size_t role = 0; role != spec.roles.size(); ++role)
    for (size_t i = 0; i != spec.roles[role].strands.size(); ++i)
      if (spec.roles[role].strands[i].cursor)
        cursors[{static_cast<int>(role), static_cast<int>(i)}];
}

int64_t Samples::rowAt(rb_batch_source source, int64_t place) {
  bool isDrawn = options.replacement && source == RB_BATCH_KEYED;
  return source == RB_BATCH_WHOLE || isDrawn ? place : sampleAt(place);
}

int64_t Samples::sampleAt(int64_t place) {
  if (options.replacement)
    return policy::CounterRandom(options.seed, "replacement", {0, place})
        .below(options.samples);
  int64_t row = place % options.samples;
  if (!options.shuffle)
    return row;
  if (int64_t wanted = place / options.samples; wanted != epoch) {
    epoch = wanted;
    order = Permutation(options.samples, options.seed,
                        static_cast<uint64_t>(epoch));
  }
  return order[row];
}

Places Samples::next(int64_t count, bool forGood) {
  Places places;
  int64_t from = returned.empty() ? fresh : *returned.begin();
  // What is drawn has no epochs that a batch could mix.
  int64_t end = options.replacement
                    ? INT64_MAX
                    : (from / options.samples + 1) * options.samples;
  auto wanted = static_cast<size_t>(count);
  auto it = returned.begin();
  for (; places.size() < wanted && it != returned.end() && *it < end; ++it)
    places.push_back(*it);
  int64_t at = fresh;
  // `fresh` may lie in a later epoch than what was given back.
  for (; places.size() < wanted && at < end; ++at)
    places.push_back(at);
  if (forGood) {
    returned.erase(returned.begin(), it);
    fresh = at;
  }
  return places;
}

void Samples::giveBack(std::span<const int64_t> places) {
  returned.insert(places.begin(), places.end());
}

void Samples::consume(std::span<const int64_t> places) {
  for (int64_t place : places) {
    if (place >= static_cast<int64_t>(uses.size()))
      uses.resize(static_cast<size_t>(place) + 1);
    uint8_t &count = uses[static_cast<size_t>(place)];
    // More than twice is no more wrong than twice.
    count = static_cast<uint8_t>(std::min(count + 1, 2));
  }
  useCount += static_cast<int64_t>(places.size());
}

bool Samples::acknowledge(int rank, int channel) {
  bool dealt = false;
  std::erase_if(holdings[static_cast<size_t>(rank)], [&](const Holding &each) {
    bool isRange = each.source == RB_BATCH_RANGE;
    bool mine = isRange || (channel >= 0 && each.channel == channel);
    if (mine)
      consume(each.places);
    dealt |= isRange;
    return mine;
  });
  return dealt && channel >= 0;
}

void Samples::accept(int rank, int64_t ticket) {
  for (Holding &each : holdings[static_cast<size_t>(rank)])
    if (each.ticket == ticket)
      each.accepted = true;
}

void Samples::collect(int rank, int64_t ticket) {
  std::erase_if(holdings[static_cast<size_t>(rank)], [&](const Holding &each) {
    if (each.ticket != ticket)
      return false;
    consume(each.places);
    return true;
  });
}

void Samples::voidLeases(int rank, int64_t before, bool all) {
  std::erase_if(holdings[static_cast<size_t>(rank)], [&](const Holding &each) {
    bool isVoid =
        each.ticket >= 0 && (all || (each.ticket < before && !each.accepted));
    if (isVoid)
      giveBack(each.places);
    return isVoid;
  });
}

Status Samples::check() const {
  int64_t handed = std::max(fresh, static_cast<int64_t>(uses.size()));
  int64_t whole = handed / options.samples * options.samples;
  for (int64_t place = 0; place != handed; ++place) {
    int count = place < static_cast<int64_t>(uses.size())
                    ? uses[static_cast<size_t>(place)]
                    : 0;
    bool waits = returned.contains(place);
    const char *fault = count > 1             ? "consumed twice"
                        : count == 1 && waits ? "consumed and given back"
                        : count == 0 && !waits && place < whole ? "lost"
                                                                : nullptr;
    if (fault)
      return {ErrorCode::Internal,
              "place " + std::to_string(place % options.samples) +
                  " of epoch " + std::to_string(place / options.samples) +
                  " was " + fault};
  }
  return Status::ok();
}

} // namespace rubato::sim
