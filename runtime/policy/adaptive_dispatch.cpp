// adaptive.dispatch: claims, and members that come and go.
#include "policy/adaptive_dispatch.h"

#include <algorithm>

namespace rubato::policy {

static bool comesBefore(const AdaptiveMember &member, int64_t id) {
  return member.id < id;
}

AdaptiveDispatch::AdaptiveDispatch(const AdaptiveOptions &options,
                                   std::span<const int64_t> members)
    : options(options), rows(options.totalSamples) {
  for (int64_t id : members) {
    auto place = std::lower_bound(list.begin(), list.end(), id, comesBefore);
    if (place != list.end() && place->id == id)
      continue;
    AdaptiveMember member;
    member.id = id;
    list.insert(place, member);
  }
  beginMegaBatch();
}

AdaptiveMember *AdaptiveDispatch::find(int64_t member) {
  auto place = std::lower_bound(list.begin(), list.end(), member, comesBefore);
  return place != list.end() && place->id == member ? &*place : nullptr;
}

int64_t AdaptiveDispatch::batchOf(const AdaptiveMember &member) const {
  return warmingUp ? options.batchInWarmup()
                   : dealtBatch(options.scaling, member.batch);
}

/// Finds who asks, and whether it is the question it asked last.
Status AdaptiveDispatch::begin(Asker asker, AdaptiveRecord::Kind kind,
                               AdaptiveMember *&member, bool &repeated) {
  std::string who = "adaptive.dispatch: member " + std::to_string(asker.member);
  member = find(asker.member);
  if (!member)
    return Status::user(who + " is not in the group; it must join first");
  const AdaptiveRecord &last = member->record;
  repeated = last.kind != AdaptiveRecord::None && last.call == asker.call;
  if (last.kind == AdaptiveRecord::None)
    return Status::ok();
  if (repeated && last.kind != kind)
    return Status::user(who + " asks two questions under call number " +
                        std::to_string(asker.call));
  if (asker.call < last.call)
    return Status::user(who + " repeats call " + std::to_string(asker.call) +
                        " after call " + std::to_string(last.call) +
                        "; only the newest answer is kept");
  if (!repeated && !last.answered)
    return Status::user(who + " must wait for the answer to call " +
                        std::to_string(last.call));
  return Status::ok();
}

/// Takes the rows that were dealt last as done. All of them are, or none.
static Status acknowledge(AdaptiveMember &member, int64_t updates) {
  int64_t due = member.updates + (member.outstanding.empty() ? 0 : 1);
  if (updates != due)
    return Status::user("adaptive.dispatch: member " +
                        std::to_string(member.id) + " reports " +
                        std::to_string(updates) + " updates where " +
                        std::to_string(due) + " are due");
  member.updates = due;
  member.outstanding = {};
  return Status::ok();
}

AdaptiveClaim AdaptiveDispatch::deal(AdaptiveMember &member) {
  AdaptiveClaim claim;
  claim.clock = rows.taken();
  int64_t samples = options.samplesPerMerge();
  bool room = dealt < samples;
  if (options.equalShares) {
    int64_t live = std::count_if(list.begin(), list.end(),
                                 [](auto &each) { return each.admitted; });
    room = member.dealt < samples / live + (samples % live != 0);
  }
  if (room)
    claim.rows = rows.take(batchOf(member));
  claim.more = !claim.rows.empty();
  member.outstanding = claim.rows;
  member.dealt += claim.rows.size();
  dealt += claim.rows.size();
  return claim;
}

Status AdaptiveDispatch::claim(Asker asker, int64_t updates,
                               std::optional<AdaptiveClaim> &answer) {
  answer.reset();
  AdaptiveMember *member = nullptr;
  bool repeated = false;
  RB_TRY(begin(asker, AdaptiveRecord::Claim, member, repeated));
  if (!repeated) {
    if (!member->admitted)
      return Status::ok();
    RB_TRY(acknowledge(*member, updates));
    AdaptiveRecord &record = member->record;
    record = {AdaptiveRecord::Claim, asker.call, true, {}, {}};
    record.claim = deal(*member);
  }
  answer = member->record.claim;
  return Status::ok();
}

Status AdaptiveDispatch::weight(Asker asker, int64_t updates, double norm,
                                std::optional<AdaptiveWeight> &answer) {
  answer.reset();
  AdaptiveMember *member = nullptr;
  bool repeated = false;
  RB_TRY(begin(asker, AdaptiveRecord::Weight, member, repeated));
  if (!repeated) {
    if (!member->admitted)
      return Status::user("adaptive.dispatch: member " +
                          std::to_string(member->id) +
                          " has no weight: it waits for the next mega-batch");
    RB_TRY(acknowledge(*member, updates));
    member->reported = true;
    member->norm = norm;
    member->record = {AdaptiveRecord::Weight, asker.call, false, {}, {}};
    mergeWhenAllReported();
  }
  if (member->record.answered)
    answer = member->record.weight;
  return Status::ok();
}

Status AdaptiveDispatch::join(int64_t id) {
  auto place = std::lower_bound(list.begin(), list.end(), id, comesBefore);
  if (place != list.end() && place->id == id)
    return Status::user("adaptive.dispatch: member " + std::to_string(id) +
                        " joins twice; it must leave first");
  // Between mega-batches nobody has been dealt anything or has reported.
  bool between =
      dealt == 0 && std::none_of(list.begin(), list.end(),
                                 [](auto &each) { return each.reported; });
  AdaptiveMember member;
  member.id = id;
  list.insert(place, member);
  if (between)
    admitWaiting();
  return Status::ok();
}

Status AdaptiveDispatch::leave(int64_t id) {
  AdaptiveMember *member = find(id);
  if (!member)
    return Status::ok();
  dealt -= member->outstanding.size();
  rows.giveBack(member->outstanding);
  list.erase(list.begin() + (member - list.data()));
  if (std::none_of(list.begin(), list.end(),
                   [](auto &each) { return each.admitted; }))
    beginMegaBatch();
  else
    mergeWhenAllReported();
  return Status::ok();
}

} // namespace rubato::policy
