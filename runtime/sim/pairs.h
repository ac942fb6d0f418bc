// Exchanges of two members, matched by their names and a tag.
#pragma once

#include "sim/stage.h"

#include <map>
#include <tuple>

namespace rubato::sim {

class Pairs {
public:
  explicit Pairs(Stage &stage);

  Status exchange(Strand &strand, const ExchangeStart &call,
                  FutureHandle &future);
  std::string why(const Future &future) const;

private:
  struct Posted {
    SharedPayload values;
    FutureHandle future = 0;
  };
  void countPair(int a, int b);

  Stage &stage;
  /// Those without an answer, by channel, rank, peer and tag.
  std::map<std::tuple<int, int, int, int64_t>, Posted> posted;
  std::vector<int> lastPeer; // by rank
};

} // namespace rubato::sim
