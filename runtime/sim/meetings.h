// Meetings of two strands of a member, and votes of all members.
#pragma once

#include "sim/samples.h"
#include "sim/stage.h"

#include <map>

namespace rubato::sim {

class Meetings {
public:
  explicit Meetings(Stage &stage);

  Status meet(Strand &strand, int rendezvous, bool &met);
  /// A strand has ended: who waits for it waits no longer.
  void ended(int rank);

private:
  struct Place {
    std::vector<int> strands; // that meet there
    Strand *waiting = nullptr;
    bool *met = nullptr;
  };
  bool hasSibling(const Place &place, const Strand &strand);

  Stage &stage;
  std::vector<std::vector<Place>> places; // by rank and rendezvous
};

/// Whether all members saw in a round what they expected to see.
class Votes {
public:
  Votes(Stage &stage, Samples &samples);

  Status commit(Strand &strand, int64_t seen, int64_t expected, bool &ok);

private:
  struct Vote {
    struct Ballot {
      Strand *strand = nullptr;
      bool *ok = nullptr;
    };
    std::vector<Ballot> ballots; // by rank
    int count = 0;
    bool ok = true;
  };

  Stage &stage;
  Samples &samples;
  std::map<int64_t, Vote> votes; // by number
  std::vector<int64_t> cast;     // by rank
};

} // namespace rubato::sim
