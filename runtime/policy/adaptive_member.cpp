// Saved state of one member.
#include "policy/adaptive_member.h"

#include <cmath>

namespace rubato::policy {

void AdaptiveMember::save(StateWriter &out) const {
  for (int64_t value :
       {id, int64_t(admitted), updates, dealt, outstanding.begin,
        outstanding.end, int64_t(reported), int64_t(record.kind), record.call,
        int64_t(record.answered), record.claim.rows.begin,
        record.claim.rows.end, record.claim.clock, int64_t(record.claim.more)})
    out.i64(value);
  for (double value : {batch, norm, record.weight.alpha, record.weight.sum})
    out.f64(value);
}

bool AdaptiveMember::load(StateReader &in) {
  int64_t flags[4], kind;
  bool read = in.i64(id) && in.i64(flags[0]) && in.i64(updates) &&
              in.i64(dealt) && in.i64(outstanding.begin) &&
              in.i64(outstanding.end) && in.i64(flags[1]) && in.i64(kind) &&
              in.i64(record.call) && in.i64(flags[2]) &&
              in.i64(record.claim.rows.begin) &&
              in.i64(record.claim.rows.end) && in.i64(record.claim.clock) &&
              in.i64(flags[3]) && in.f64(batch) && in.f64(norm) &&
              in.f64(record.weight.alpha) && in.f64(record.weight.sum);
  if (!read)
    return false;
  for (int64_t flag : flags)
    if (flag != 0 && flag != 1)
      return false;
  admitted = flags[0];
  reported = flags[1];
  record.answered = flags[2];
  record.claim.more = flags[3];
  record.kind = static_cast<AdaptiveRecord::Kind>(kind);
  return kind >= AdaptiveRecord::None && kind <= AdaptiveRecord::Weight &&
         updates >= 0 && updates < INT64_MAX && dealt >= 0 &&
         outstanding.begin >= 0 && outstanding.end >= outstanding.begin &&
         std::isfinite(batch);
}

} // namespace rubato::policy
