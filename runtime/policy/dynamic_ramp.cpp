// dynamic.ramp: ramps that start at the current factor, so that they nest.
#include "policy/dynamic_ramp.h"

#include "policy/ask.h"
#include "policy/settings.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

static Status refuse(const char *setting, const char *allowed) {
  return badSetting("dynamic.ramp", setting, allowed);
}

Status DynamicRampOptions::validate() const {
  if (baseMembers < 0)
    return refuse("base-members", "at least 1, or 0 to take the first count");
  if (!(perRatio >= 0) || !std::isfinite(perRatio))
    return refuse("per-ratio", "a finite number of updates, at least 0");
  if (length < -1)
    return refuse("length", "at least 0, or \"auto\" to follow the growth");
  if (!(maxFactor > 0))
    return refuse("max-factor", "a positive number or \"unlimited\"");
  return Status::ok();
}

int64_t DynamicRamp::rampLength(double growth) const {
  if (options.rule != ResizeRule::Ramp)
    return 0;
  double units = growth;
  if (growth <= 1) {
    if (options.shrink == ShrinkRamp::None)
      return 0;
    if (options.shrink == ShrinkRamp::Inverse)
      units = 1 / growth;
  }
  if (options.length >= 0)
    return options.length;
  // No run is longer than 2^53 updates, and the conversion must not overflow.
  return static_cast<int64_t>(
      std::min(std::floor(options.perRatio * units + 0.5), 0x1p53));
}

void DynamicRamp::resize() {
  start = current;
  target =
      options.rule == ResizeRule::Unscaled
          ? 1
          : std::min(static_cast<double>(members) / static_cast<double>(base),
                     options.maxFactor);
  length = rampLength(target / start);
  done = 0;
}

Status DynamicRamp::factor(int64_t count, Factor &answer) {
  if (count < 1)
    return Status::user("dynamic.ramp: factor: the group has no members (" +
                        std::to_string(count) + ")");
  answer.resetMomentum = false;
  if (members == 0) {
    // Nothing has gathered momentum yet, so there is nothing to protect.
    base = options.baseMembers > 0 ? options.baseMembers : count;
    members = count;
    resize();
    length = 0;
  } else if (count != members) {
    members = count;
    resize();
    answer.resetMomentum = options.rule == ResizeRule::Reset;
  }
  if (done < length) {
    double share = static_cast<double>(done) / static_cast<double>(length);
    current = start * (1 + share * (target / start - 1));
    ++done;
  } else {
    current = target;
  }
  answer.factor = current;
  return Status::ok();
}

const std::vector<Entry> &DynamicRamp::entries() const {
  static const std::vector<Entry> list = {
      {"factor", {ValueType::I64}, {ValueType::F64, ValueType::I1}}};
  return list;
}

Status DynamicRamp::ask(std::string_view entry, Asker,
                        std::span<const Value> inputs,
                        std::span<Value> outputs) {
  RB_TRY(checkAsk(*this, entry, inputs, outputs));
  Factor answer;
  RB_TRY(factor(std::get<int64_t>(inputs[0]), answer));
  outputs[0] = answer.factor;
  outputs[1] = answer.resetMomentum;
  return Status::ok();
}

void DynamicRamp::save(StateWriter &out) const {
  for (int64_t value : {base, members, length, done})
    out.i64(value);
  for (double value : {current, start, target})
    out.f64(value);
}

Status DynamicRamp::load(StateReader &in) {
  DynamicRamp next(options);
  bool read = true;
  for (int64_t *value : {&next.base, &next.members, &next.length, &next.done})
    read = read && in.i64(*value);
  for (double *value : {&next.current, &next.start, &next.target})
    read = read && in.f64(*value) && *value > 0 && std::isfinite(*value);
  if (!read || (next.base == 0) != (next.members == 0) || next.base < 0 ||
      next.members < 0 || next.done < 0 || next.length < 0)
    return Status::user("dynamic.ramp: the saved state is damaged; start from "
                        "another checkpoint");
  *this = next;
  return Status::ok();
}

} // namespace rubato::policy
