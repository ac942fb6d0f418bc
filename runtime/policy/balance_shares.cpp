// balance.shares: measuring, dealing, and members that come and go.
#include "policy/balance_shares.h"

#include "policy/ask.h"
#include "policy/balance_split.h"
#include "policy/settings.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

/// Real numbers hold quotas of such a batch with room for their remainders.
static constexpr int64_t largestBatch = int64_t(1) << 32;

Status BalanceOptions::validate() const {
  if (batch < 0 || batch > largestBatch)
    return badSetting("balance.shares", "batch",
                      "from 1 to 2^32, or 0 for the quantum times the members");
  if (quantum < 1 || quantum > largestBatch)
    return badSetting("balance.shares", "quantum", "from 1 to 2^32");
  if (!(smoothing >= 0 && smoothing < 1))
    return badSetting("balance.shares", "smoothing", "at least 0 and below 1");
  if (delay != 0 && delay != 1)
    return badSetting("balance.shares", "delay", "0 or 1");
  if (totalSamples < 0)
    return badSetting("balance.shares", "total-samples",
                      "at least 1, or 0 for a run without end");
  return Status::ok();
}

Status BalanceShares::create(const BalanceOptions &options,
                             std::span<const int64_t> members,
                             std::unique_ptr<BalanceShares> &balance) {
  RB_TRY(options.validate());
  std::unique_ptr<BalanceShares> made(new BalanceShares(options));
  for (int64_t member : members)
    RB_TRY(made->join(member));
  int64_t count = std::max<int64_t>(1, static_cast<int64_t>(members.size()));
  made->total = options.batch;
  if (options.batch == 0) {
    if (options.quantum > largestBatch / count)
      return badSetting("balance.shares", "quantum",
                        "at most 2^32 divided by the members");
    made->total = options.quantum * count;
  }
  if (made->total < count)
    return badSetting("balance.shares", "batch",
                      "at least the number of members, " +
                          std::to_string(count));
  if (options.delay)
    made->deal();
  balance = std::move(made);
  return Status::ok();
}

BalanceShares::Member *BalanceShares::find(int64_t member) {
  auto place = std::find_if(list.begin(), list.end(),
                            [&](auto &each) { return each.id == member; });
  return place != list.end() ? &*place : nullptr;
}

void BalanceShares::measure(Member &member) const {
  double speed = static_cast<double>(member.samples) / member.seconds;
  // A time too short for the clock tells nothing.
  if (member.samples == 0 || !std::isnormal(speed))
    return;
  member.speed = member.speed == 0 ? speed
                                   : options.smoothing * member.speed +
                                         (1 - options.smoothing) * speed;
}

Status BalanceShares::share(Asker asker, int64_t samples, double seconds,
                            std::optional<RowRange> &answer) {
  answer.reset();
  std::string who = "balance.shares: member " + std::to_string(asker.member);
  Member *member = find(asker.member);
  if (!member)
    return Status::user(who + " is not in the group; it must join first");
  RB_TRY(checkCall(*this, asker, member->call));
  if (asker.call != member->call) {
    if (member->isWaiting())
      return Status::user(who + " must wait for the answer to call " +
                          std::to_string(member->call));
    if (samples < 0 || !(seconds >= 0) || std::isinf(seconds))
      return Status::user(who + " states " + std::to_string(samples) +
                          " samples in " + std::to_string(seconds) +
                          " seconds; neither may be negative or infinite");
    member->samples = samples;
    member->seconds = seconds;
    member->outstanding = {};
    member->call = asker.call;
    member->answered = false;
    if (options.delay == 0)
      measure(*member);
    else if (member->next)
      handOut(*member);
    dealWhenDue();
  }
  if (member->answered)
    answer = member->answer;
  return Status::ok();
}

/// With a delay, what a question states counts only now: the round that it
/// asks for is dealt without it, or the shares would depend on who asks first.
void BalanceShares::handOut(Member &member) const {
  member.answer = member.outstanding = *member.next;
  member.next.reset();
  member.answered = true;
  if (options.delay)
    measure(member);
}

bool BalanceShares::isDue() const {
  return !list.empty() && std::ranges::all_of(list, [&](const Member &member) {
    return options.delay ? !member.next : member.isWaiting();
  });
}

void BalanceShares::deal() {
  double sum = 0, measured = 0;
  for (const Member &member : list)
    measured += member.speed > 0;
  for (const Member &member : list)
    if (member.speed > 0)
      sum += member.speed / measured;
  double mean = sum > 0 ? sum : 1;
  std::vector<double> speeds;
  for (const Member &member : list)
    speeds.push_back(member.speed > 0 ? member.speed : mean);

  std::vector<int64_t> sizes =
      splitBySpeed(std::min(total, rows.left()), speeds);
  for (size_t i = 0; i < list.size(); ++i) {
    list[i].next = rows.take(sizes[i]);
    if (list[i].isWaiting())
      handOut(list[i]);
  }
}

/// Again, where the one who held everybody up has left.
void BalanceShares::dealWhenDue() {
  while (isDue())
    deal();
}

Status BalanceShares::leave(int64_t id) {
  Member *member = find(id);
  if (!member)
    return Status::ok();
  rows.giveBack(member->outstanding);
  if (member->next)
    rows.giveBack(*member->next);
  list.erase(list.begin() + (member - list.data()));
  dealWhenDue();
  return Status::ok();
}

Status BalanceShares::join(int64_t id) {
  auto place = std::lower_bound(
      list.begin(), list.end(), id,
      [](auto &each, int64_t other) { return each.id < other; });
  if (place != list.end() && place->id == id)
    return Status::user("balance.shares: member " + std::to_string(id) +
                        " joins twice; it must leave first");
  Member member;
  member.id = id;
  // The round that it comes to is dealt already.
  if (options.delay)
    member.next.emplace();
  list.insert(place, member);
  return Status::ok();
}

void BalanceShares::contributed(int64_t id) {
  if (Member *member = find(id))
    member->outstanding = {};
}

} // namespace rubato::policy
