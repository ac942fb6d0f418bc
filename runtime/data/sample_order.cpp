#include "data/sample_order.h"

#include "data/permutation.h"
#include "policy/random.h"

#include <algorithm>
#include <numeric>

using namespace rubato;

void SampleOrder::resolve(std::span<int64_t> places) const {
  if (places.empty())
    return;
  auto permutation = [&](int64_t epoch) {
    return shuffle ? Permutation(samples, seed, static_cast<uint64_t>(epoch))
                   : Permutation(samples);
  };
  int64_t epoch = epochOf(places[0]);
  Permutation present = permutation(epoch);
  for (int64_t &place : places) {
    if (epochOf(place) != epoch) {
      epoch = epochOf(place);
      present = permutation(epoch);
    }
    place = present[place % samples];
  }
}

void SampleOrder::draw(int64_t member, std::span<const int64_t> keys,
                       std::span<int64_t> rows) const {
  // The member is part of the key, since tickets and counts are its own.
  uint64_t mixed = seed;
  for (int64_t key : keys)
    mixed = policy::CounterRandom(mixed, "keyed", {member, key}).bits();
  policy::CounterRandom random(mixed, "rows", {member, 0});
  for (int64_t &row : rows)
    row = random.below(samples);
  resolve(rows);
}

int64_t rubato::wholeBatch(int64_t number, int64_t samples,
                           std::span<int64_t> rows) {
  auto quantum = static_cast<int64_t>(rows.size());
  // A number that is too large must not overflow.
  int64_t from = std::clamp<int64_t>(number, 0, samples) * quantum;
  int64_t count = std::clamp<int64_t>(samples - from, 0, quantum);
  if (number < 0)
    count = 0;
  std::iota(rows.begin(), rows.begin() + count, from);
  return count;
}
