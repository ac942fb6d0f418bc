// adaptive.dispatch: its entries as programs call them, and its saved state.
#include "policy/adaptive_dispatch.h"
#include "policy/ask.h"

namespace rubato::policy {

const std::vector<Entry> &AdaptiveDispatch::entries() const {
  using enum ValueType;
  static const std::vector<Entry> result = {
      {"claim", {I64}, {I64, I64, I64, I1}},
      {"weight", {I64, F64}, {F64, F64}},
  };
  return result;
}

Status AdaptiveDispatch::ask(std::string_view entry, Asker asker,
                             std::span<const Value> inputs,
                             std::span<Value> outputs) {
  RB_TRY(checkAsk(*this, entry, inputs, outputs));
  int64_t updates = std::get<int64_t>(inputs[0]);
  if (entry == "claim") {
    std::optional<AdaptiveClaim> answer;
    RB_TRY(claim(asker, updates, answer));
    if (!answer)
      return pending();
    outputs[0] = answer->rows.begin;
    outputs[1] = answer->rows.end;
    outputs[2] = answer->clock;
    outputs[3] = answer->more;
    return Status::ok();
  }
  std::optional<AdaptiveWeight> answer;
  RB_TRY(weight(asker, updates, std::get<double>(inputs[1]), answer));
  if (!answer)
    return pending();
  outputs[0] = answer->alpha;
  outputs[1] = answer->sum;
  return Status::ok();
}

void AdaptiveDispatch::save(StateWriter &out) const {
  rows.save(out);
  for (int64_t value :
       {dealt, merges, int64_t(warmingUp), static_cast<int64_t>(list.size())})
    out.i64(value);
  for (const AdaptiveMember &member : list)
    member.save(out);
}

Status AdaptiveDispatch::load(StateReader &in) {
  AdaptiveDispatch next(options, {});
  int64_t warm = 0, count = 0;
  bool read = next.rows.load(in) && in.i64(next.dealt) && in.i64(next.merges) &&
              in.i64(warm) && in.i64(count) && next.dealt >= 0 &&
              next.merges >= 0 && count >= 0 && (warm == 0 || warm == 1) &&
              next.merges < INT64_MAX;
  // Ends with the input, whatever count was read.
  for (int64_t i = 0; read && i < count; ++i) {
    AdaptiveMember member;
    read = member.load(in) &&
           (next.list.empty() || next.list.back().id < member.id) &&
           (!member.admitted ||
            (member.batch >= static_cast<double>(options.scaling.lowest()) &&
             member.batch <= static_cast<double>(options.scaling.maxBatch)));
    next.list.push_back(member);
  }
  if (!read)
    return Status::user("adaptive.dispatch: the saved state is damaged; start "
                        "from another checkpoint");
  next.warmingUp = warm;
  *this = std::move(next);
  return Status::ok();
}

} // namespace rubato::policy
