// Which samples go to whom, and which count as consumed.
//
// Samples come from one endless stream of places, epoch after epoch. What is
// given back is handed out again before anything new, and no batch mixes
// epochs; so every sample of an epoch is consumed once. Where samples are drawn
// with replacement an epoch is no more than a count, and every batch is full.
#pragma once

#include "data/permutation.h"
#include "environment/environment.h"
#include "sim/schedule.h"
#include "unit/spec.h"

#include <map>
#include <set>
#include <vector>

namespace rubato::sim {

struct SampleOptions {
  int64_t samples = 64; // of the data set
  int64_t batch = 1;    // of a micro-batch
  int64_t quanta = 1;   // micro-batches of a member in a round
  bool shuffle = false; // another order every epoch
  uint64_t seed = 0;
  /// Places hold samples drawn anew, instead of each sample once an epoch.
  bool replacement = false;
};

using Places = std::vector<int64_t>;

class Samples {
public:
  Samples(const SampleOptions &options, const ProgramSpec &spec, int members);

  /// The places of a strand's next micro-batch. `oldest` answers in which round
  /// a strand of another member is.
  using RoundOf = std::function<int64_t(int rank, int strand)>;
  Status take(Strand &strand, const BatchRequest &request,
              const RoundOf &roundOf, Places &places);
  /// The sample at a place of the stream.
  int64_t sampleAt(int64_t place);
  /// The sample at a place that a batch has. The whole data set comes in its
  /// own order, and what keys have drawn is not drawn once more.
  int64_t rowAt(rb_batch_source source, int64_t place);

  /// The boundary: a round begins, or has ended.
  void begin(Strand &strand);
  void end(Strand &strand);
  /// Samples of all members in a strand's round.
  int64_t total(const Strand &strand) const;

  /// The member posted a reduction on `channel`, or asks a central policy (-1).
  /// Whether rows that were dealt are now in a reduction that counts.
  bool acknowledge(int rank, int channel);
  /// A vote on the round of a strand was counted.
  void settle(const Strand &strand, bool ok);

  // Leases of queues.
  void accept(int rank, int64_t ticket);
  void collect(int rank, int64_t ticket);
  /// Tickets below `before` are void; `all`: also those that were accepted.
  void voidLeases(int rank, int64_t before, bool all = false);

  /// By place: how often it was consumed, at most 2.
  const std::vector<uint8_t> &consumed() const { return uses; }
  int64_t consumedCount() const { return useCount; }
  /// Fails unless every sample up to the last epoch that was begun was consumed
  /// at most once, and those of the epochs before exactly once.
  Status check() const;

private:
  /// A batch that was taken and is not accounted for yet.
  struct Holding {
    int strand = 0;
    rb_batch_source source = RB_BATCH_QUEUE;
    int channel = -1;
    int64_t ticket = -1;
    bool accepted = false;
    Places places;
  };
  /// Samples that a round by cursor deals to its members: the first who comes
  /// to a block fixes it for all.
  struct Block {
    std::vector<int> members;
    std::vector<Places> shares;
    int64_t total = 0;
  };
  using Round = std::vector<Block>;
  /// The rounds of a strand that takes by cursor, from the oldest on.
  struct Cursor {
    std::map<int64_t, Round> rounds;
    std::map<int64_t, int64_t> passed; // members that have ended a round
  };

  Places next(int64_t count, bool forGood);
  void giveBack(std::span<const int64_t> places);
  void consume(std::span<const int64_t> places);
  Block deal(std::vector<int> members);
  Places byCursor(Strand &strand, const RoundOf &roundOf);
  Places byKeys(const Strand &strand, std::span<const int64_t> keys) const;
  Cursor *cursorOf(const Strand &strand);
  template <typename Fn> void forBlocks(const Strand &strand, Fn fn);

  SampleOptions options;
  std::vector<int> roles;                        // of ranks
  std::vector<std::vector<int>> ranks;           // of roles
  std::map<std::pair<int, int>, Cursor> cursors; // by role and strand
  int64_t fresh = 0;
  std::set<int64_t> returned;
  std::vector<std::vector<Holding>> holdings; // of ranks
  std::vector<uint8_t> uses;
  int64_t useCount = 0;
  int64_t epoch = -1;
  Permutation order; // of that epoch
};

} // namespace rubato::sim
