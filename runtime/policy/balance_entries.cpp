// balance.shares: its entry as programs call it, and its saved state.
#include "policy/ask.h"
#include "policy/balance_shares.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

const std::vector<Entry> &BalanceShares::entries() const {
  using enum ValueType;
  static const std::vector<Entry> result = {{"share", {I64, F64}, {I64, I64}}};
  return result;
}

Status BalanceShares::ask(std::string_view entry, Asker asker,
                          std::span<const Value> inputs,
                          std::span<Value> outputs) {
  RB_TRY(checkAsk(*this, entry, inputs, outputs));
  std::optional<RowRange> answer;
  RB_TRY(share(asker, std::get<int64_t>(inputs[0]), std::get<double>(inputs[1]),
               answer));
  if (!answer)
    return pending();
  outputs[0] = answer->begin;
  outputs[1] = answer->end;
  return Status::ok();
}

void BalanceShares::save(StateWriter &out) const {
  rows.save(out);
  out.i64(total);
  out.i64(static_cast<int64_t>(list.size()));
  for (const Member &member : list) {
    RowRange next = member.next.value_or(RowRange());
    for (int64_t value :
         {member.id, member.call, int64_t(member.answered), member.answer.begin,
          member.answer.end, member.outstanding.begin, member.outstanding.end,
          int64_t(member.next.has_value()), next.begin, next.end,
          member.samples})
      out.i64(value);
    out.f64(member.speed);
    out.f64(member.seconds);
  }
}

/// The stream was read before: nobody holds rows that it has not reached.
bool BalanceShares::readMember(StateReader &in, Member &member) const {
  int64_t flag = 0, dealt = 0;
  RowRange next;
  auto isRange = [&](const RowRange &range) {
    return 0 <= range.begin && range.begin <= range.end &&
           range.end <= rows.reached();
  };
  bool read =
      in.i64(member.id) && in.i64(member.call) && in.i64(flag) &&
      in.i64(member.answer.begin) && in.i64(member.answer.end) &&
      in.i64(member.outstanding.begin) && in.i64(member.outstanding.end) &&
      in.i64(dealt) && in.i64(next.begin) && in.i64(next.end) &&
      in.i64(member.samples) && in.f64(member.speed) && in.f64(member.seconds);
  member.answered = flag == 1;
  if (dealt == 1)
    member.next = next;
  // Only with a delay anything is dealt ahead, and then to none who waits.
  bool sensible =
      dealt == 0 || (dealt == 1 && options.delay == 1 && !member.isWaiting());
  return read && sensible && (flag == 0 || flag == 1) && member.call >= -1 &&
         isRange(member.answer) && isRange(member.outstanding) &&
         isRange(next) && member.speed >= 0 && std::isfinite(member.speed) &&
         member.samples >= 0 && member.seconds >= 0 &&
         std::isfinite(member.seconds);
}

Status BalanceShares::load(StateReader &in) {
  BalanceShares next(options);
  int64_t count = 0;
  bool read = next.rows.load(in) && in.i64(next.total) && in.i64(count) &&
              next.total >= 1 && next.total <= (int64_t(1) << 32) && count >= 0;
  // Ends with the input, whatever count was read.
  for (int64_t i = 0; read && i < count; ++i) {
    Member member;
    read = next.readMember(in, member) &&
           (next.list.empty() || next.list.back().id < member.id);
    next.list.push_back(member);
  }
  // Where all have asked, the round is dealt: nobody would deal it any more.
  if (!read || next.isDue())
    return Status::user("balance.shares: the saved state is damaged; start "
                        "from another checkpoint");
  *this = std::move(next);
  return Status::ok();
}

} // namespace rubato::policy
