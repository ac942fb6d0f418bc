// adaptive.dispatch: deals ranges of rows to devices of unequal speed.
//
// A mega-batch of samples is dealt range by range to whoever is free. Then all
// members report, each replica gets its weight in the merge, and batch sizes
// move so that all members come to make the same number of updates.
#pragma once

#include "policy/adaptive_member.h"
#include "policy/adaptive_options.h"

#include <optional>

namespace rubato::policy {

class AdaptiveDispatch : public Policy {
public:
  /// `options` are valid.
  AdaptiveDispatch(const AdaptiveOptions &options,
                   std::span<const int64_t> members);

  /// The next rows of a member that has made `updates` updates in this
  /// mega-batch, which acknowledges the rows it was dealt last. No answer
  /// means pending: the member waits for a mega-batch to begin; ask again with
  /// the same call number.
  Status claim(Asker asker, int64_t updates,
               std::optional<AdaptiveClaim> &answer);

  /// The weight of a member's replica, of norm `norm`, after `updates` updates.
  /// No answer means pending: others have yet to report; ask again with the
  /// same call number.
  Status weight(Asker asker, int64_t updates, double norm,
                std::optional<AdaptiveWeight> &answer);

  /// A new member. Between mega-batches it takes part at once, else from the
  /// next one on, with the median batch of the others.
  Status join(int64_t member) override;
  /// A member is gone: the rows it did not acknowledge return to the stream,
  /// and nobody waits for it. Saying it again changes nothing.
  Status leave(int64_t member) override;

  /// The members, ascending by number.
  std::span<const AdaptiveMember> members() const { return list; }
  /// The rows that one claim of a member is dealt.
  int64_t batchOf(const AdaptiveMember &member) const;

  std::string_view name() const override { return "adaptive.dispatch"; }
  Placement placement() const override { return Placement::Central; }
  const std::vector<Entry> &entries() const override;
  /// A range is answered as two numbers, begin and end. See isPending in ask.h.
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

private:
  AdaptiveMember *find(int64_t member);
  Status begin(Asker asker, AdaptiveRecord::Kind kind, AdaptiveMember *&member,
               bool &repeated);
  AdaptiveClaim deal(AdaptiveMember &member);
  void mergeWhenAllReported();
  void rescale(std::span<AdaptiveMember *const> live,
               std::span<const int64_t> updates);
  void beginMegaBatch();
  void admitWaiting();

  AdaptiveOptions options;
  RowStream rows;
  std::vector<AdaptiveMember> list;
  /// Samples dealt in this mega-batch and not returned.
  int64_t dealt = 0;
  /// Merges since the warm-up.
  int64_t merges = 0;
  bool warmingUp = false;
};

} // namespace rubato::policy
