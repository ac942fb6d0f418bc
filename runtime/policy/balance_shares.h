// balance.shares: splits every batch so that unequal members finish together.
//
// Load-balanced bulk-synchronous training: the batch of a round is fixed, and
// the share of a member follows its speed. A member that asks for its next
// share states how many samples its last round had and how long they took. The
// speed is a moving average of these measurements. When all live members have
// asked, the round is dealt: contiguous ranges of the row stream by ascending
// member, sized by largest remainder, each at least one row. Who was never
// measured counts as fast as the mean of the others; while nobody was, all
// shares are equal.
//
// With a delay nobody waits for the round in progress: a round is dealt as soon
// as all have asked for the one before it, from what they stated there and
// earlier. Who asks first is answered at once, and what it states counts for
// the round behind the one that it asks for, whoever comes first. The first two
// rounds have equal shares, and a new member's first share is empty.
//
// Every position of the stream is dealt once. A member's contribution or its
// next question acknowledges the rows it was dealt; the rows of one that leaves
// before come back and are dealt first, each piece to one member, so that such
// a round may be smaller than the batch. So may the last round of a stream that
// ends, and after it shares are empty. Weigh gradients by the samples there
// were, not by the batch.
//
// Entries
//   share : samples, seconds -> begin, end
#pragma once

#include "policy/adaptive_rows.h"

#include <memory>
#include <optional>

namespace rubato::policy {

struct BalanceOptions {
  /// Samples of a round, all members together; 0 takes `quantum` times the
  /// members there are at the start.
  int64_t batch = 0;
  int64_t quantum = 32;
  /// Weight of the past in the average of measured speeds.
  double smoothing = 0.7;
  /// Rounds by which a round is dealt ahead: 0 or 1.
  int64_t delay = 0;
  /// Samples of the whole run; 0 for a run that others end.
  int64_t totalSamples = 0;

  Status validate() const;
};

class BalanceShares final : public Policy {
public:
  static Status create(const BalanceOptions &options,
                       std::span<const int64_t> members,
                       std::unique_ptr<BalanceShares> &balance);

  /// The next rows of a member whose last round had `samples` samples in
  /// `seconds`; without either nothing was measured. No answer means pending:
  /// others have yet to ask, with a delay for the round before; ask again with
  /// the same call number.
  Status share(Asker asker, int64_t samples, double seconds,
               std::optional<RowRange> &answer);

  /// Samples of a full round.
  int64_t batch() const { return total; }

  std::string_view name() const override { return "balance.shares"; }
  Placement placement() const override { return Placement::Central; }
  const std::vector<Entry> &entries() const override;
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  /// Nobody waits for a member that left, and its rows return to the stream.
  Status leave(int64_t member) override;
  /// The next round to be dealt has a share for a new member too.
  Status join(int64_t member) override;
  void contributed(int64_t member) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

private:
  struct Member {
    int64_t id = 0;
    /// Samples per second; 0 before the first measurement.
    double speed = 0;
    /// The newest question, -1 before the first, and its answer.
    int64_t call = -1;
    bool answered = false;
    RowRange answer;
    /// What the newest question stated.
    int64_t samples = 0;
    double seconds = 0;
    /// Dealt and not handed out.
    std::optional<RowRange> next;
    /// Handed out and not acknowledged.
    RowRange outstanding;

    bool isWaiting() const { return call >= 0 && !answered; }
  };

  explicit BalanceShares(const BalanceOptions &options)
      : options(options), rows(options.totalSamples) {}
  Member *find(int64_t member);
  void measure(Member &member) const;
  void handOut(Member &member) const;
  bool isDue() const;
  void deal();
  void dealWhenDue();
  bool readMember(StateReader &in, Member &member) const;

  BalanceOptions options;
  int64_t total = 0;
  RowStream rows;
  /// Ascending by number.
  std::vector<Member> list;
};

} // namespace rubato::policy
