// Collectives: all members together, matched by their number on the channel.
#pragma once

#include "sim/stage.h"

#include <map>

namespace rubato::sim {

class Collectives {
public:
  explicit Collectives(Stage &stage);

  /// Joins the next collective of the channel; `future` completes when the last
  /// member has joined and the sum has travelled.
  Status post(Strand &strand, const CollectiveStart &call,
              FutureHandle &future);
  /// For whom a future waits, for messages.
  std::string why(const Future &future) const;

private:
  /// One collective, while somebody has not joined it.
  struct Open {
    Call kind = Call::AllReduce;
    int first = 0; // who joined first
    int64_t root = 0;
    int joined = 0;
    struct Share {
      bool here = false;
      Payload values;
      FutureHandle future = 0;
      Parts outs;  // where it waits for the sum
      Marks marks; // when its first value was there
    };
    std::vector<Share> shares; // by rank
  };

  void complete(int channel, int64_t number, const Open &open);

  Stage &stage;
  std::vector<std::map<int64_t, Open>> channels;
  std::vector<std::vector<int64_t>> posted; // by rank and channel
};

} // namespace rubato::sim
