// The formulas of the staleness rule and its two entries.
#include "policy/staleness_rule.h"

#include "policy/ask.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

/// Keeps the loss ratio finite when the loss reaches zero.
static constexpr double tinyLoss = 1e-12;

StalenessRule::StalenessRule(StalenessOptions options)
    : options(std::move(options)) {}

const std::vector<Entry> &StalenessRule::entries() const {
  using enum ValueType;
  static const std::vector<Entry> all = {
      {"start", {I64}, {I64, I64}},
      {"start_at", {I64, F64}, {I64, I64}},
      {"round", {F64, I64, I64, I64, I64}, {I64, I64, I1}}};
  return all;
}

/// `value`, at most `limit`. Compares as numbers, because a root of a large
/// ratio need not fit an integer.
static int64_t atMost(double value, int64_t limit) {
  return value < static_cast<double>(limit) ? static_cast<int64_t>(value)
                                            : limit;
}

int64_t StalenessRule::bound(int64_t count, int64_t alive) const {
  if (options.bound)
    return *options.bound;
  alive = std::max<int64_t>(1, alive);
  count = std::clamp<int64_t>(count, 1, alive);
  double jobs =
      options.alpha * static_cast<double>(alive) / static_cast<double>(count);
  // Rounding must not lift a whole number to the next one.
  double limit = std::ceil(jobs - 1e-9) - 1;
  return std::max(options.boundFloor, atMost(limit, unbounded));
}

void StalenessRule::start(int64_t alive, std::optional<double> loss) {
  if (s.count == 0) {
    s.k0 = options.k0.value_or(std::max<int64_t>(1, (alive + 5) / 10));
    s.expected = alive;
    if (options.initialLoss)
      loss = options.initialLoss;
    if (loss) {
      s.reports = s.expected;
      s.reported = s.smallest = *loss - options.lossFloor;
    }
  }
  // After a resume the count goes on where it was.
  s.count = std::max(s.count, std::min(alive, s.k0));
}

/// The initial loss is the mean of the first `expected` reports. Only the mean
/// of a round is known, so it stands for each report of that round.
void StalenessRule::noteReports(double loss, int64_t participants) {
  int64_t taken = std::min(participants, s.expected - s.reports);
  if (taken == 0)
    return;
  s.reported += loss * static_cast<double>(taken);
  s.reports += taken;
  if (s.reports == s.expected)
    s.smallest = s.reported /= static_cast<double>(s.expected);
}

void StalenessRule::adaptCount(int64_t alive) {
  int64_t before = s.count;
  bool known = s.reports == s.expected;
  double ratio = 1;
  if (options.adapt && known)
    ratio = std::max(1.0, s.reported / std::max(s.smoothed, tinyLoss));
  // Deaths never lower the count: a round closes early where too few live.
  double wanted =
      std::floor(static_cast<double>(s.k0) * std::sqrt(ratio) + 0.5);
  s.count = std::max(s.count, atMost(wanted, alive));
  if (options.guard && known) {
    if (s.smoothed > options.guardRatio * std::max(s.smallest, tinyLoss)) {
      // Below `alive` the sum cannot overflow.
      if (s.count < alive)
        s.count = std::min(alive, s.count + std::max<int64_t>(1, s.count / 2));
      s.smallest = s.smoothed;
    }
    s.smallest = std::min(s.smallest, s.smoothed);
  }
  if (options.capGrowth)
    s.count = std::min(s.count, before + before / 2 + 1);
}

void StalenessRule::round(double loss, int64_t participants, int64_t alive) {
  loss -= options.lossFloor;
  s.smoothed = s.rounds == 0 ? loss
                             : options.smoothing * s.smoothed +
                                   (1 - options.smoothing) * loss;
  ++s.rounds;
  noteReports(loss, participants);
  adaptCount(alive);
}

bool StalenessRule::goOn(int64_t samples, int64_t stop) const {
  if (stop != 0 || (options.maxSamples && samples >= *options.maxSamples))
    return false;
  return !options.targetLoss ||
         s.smoothed > *options.targetLoss - options.lossFloor;
}

static Status wrongUse(std::string message) {
  return {ErrorCode::Internal, "staleness.rule: " + std::move(message)};
}

Status StalenessRule::ask(std::string_view entry, Asker,
                          std::span<const Value> in, std::span<Value> out) {
  RB_TRY(checkAsk(*this, entry, in, out));
  if (entry != "round") {
    int64_t alive = std::get<int64_t>(in[0]);
    std::optional<double> loss;
    if (entry == "start_at")
      loss = std::get<double>(in[1]);
    if (alive < 1)
      return Status::user("staleness.rule: no worker at the start; a server "
                          "needs at least one");
    if (loss && !std::isfinite(*loss))
      return {ErrorCode::Numeric, "staleness.rule: the loss before training is "
                                  "not finite; look at the data"};
    start(alive, loss);
    out[0] = s.count;
    out[1] = bound(s.count, alive);
    return Status::ok();
  }

  double loss = std::get<double>(in[0]);
  int64_t participants = std::get<int64_t>(in[1]);
  int64_t alive = std::get<int64_t>(in[2]);
  if (s.count == 0)
    return wrongUse("'round' asked before 'start'");
  if (participants < 1 || alive < 0)
    return wrongUse("'round' asked with no participant or a negative number "
                    "of workers");
  if (!std::isfinite(loss))
    return {ErrorCode::Numeric, "staleness.rule: the loss of round " +
                                    std::to_string(s.rounds) +
                                    " is not finite; lower the learning rate"};
  round(loss, participants, alive);
  out[0] = s.count;
  out[1] = bound(s.count, alive);
  out[2] = goOn(std::get<int64_t>(in[3]), std::get<int64_t>(in[4]));
  return Status::ok();
}

void StalenessRule::save(StateWriter &out) const {
  for (int64_t value : {s.count, s.k0, s.expected, s.reports, s.rounds})
    out.i64(value);
  for (double value : {s.reported, s.smoothed, s.smallest})
    out.f64(value);
}

Status StalenessRule::load(StateReader &in) {
  State t;
  bool whole = in.i64(t.count) && in.i64(t.k0) && in.i64(t.expected) &&
               in.i64(t.reports) && in.i64(t.rounds) && in.f64(t.reported) &&
               in.f64(t.smoothed) && in.f64(t.smallest);
  bool unstarted = t == State{};
  bool sensible = t.count >= 1 && t.k0 >= 1 && t.expected >= 1 &&
                  t.reports >= 0 && t.reports <= t.expected && t.rounds >= 0 &&
                  std::isfinite(t.reported) && std::isfinite(t.smoothed) &&
                  std::isfinite(t.smallest);
  if (!whole || !(unstarted || sensible))
    return Status::user("staleness.rule: the saved state is damaged; resume "
                        "from another checkpoint");
  s = t;
  return Status::ok();
}

} // namespace rubato::policy
