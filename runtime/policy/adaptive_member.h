// What adaptive.dispatch knows of one member.
#pragma once

#include "policy/adaptive_rows.h"

namespace rubato::policy {

/// The answer to `claim`.
struct AdaptiveClaim {
  /// Empty where `more` is false.
  RowRange rows;
  /// Samples dealt before these: the clock of the learning rate.
  int64_t clock = 0;
  bool more = false;
  bool operator==(const AdaptiveClaim &) const = default;
};

/// The answer to `weight`.
struct AdaptiveWeight {
  double alpha = 0;
  /// What the weights of all members are meant to add up to.
  double sum = 1;
  bool operator==(const AdaptiveWeight &) const = default;
};

/// The newest question of a member and its answer, kept for when it is asked
/// again. A member asks one question at a time, so that one is enough.
struct AdaptiveRecord {
  enum Kind : int64_t { None, Claim, Weight };
  Kind kind = None;
  int64_t call = 0;
  bool answered = false;
  AdaptiveClaim claim;
  AdaptiveWeight weight;
};

struct AdaptiveMember {
  int64_t id = 0;
  /// False while it waits for the next mega-batch.
  bool admitted = false;
  /// As the controller keeps it: a real number.
  double batch = 0;
  /// Acknowledged updates, and samples dealt, in this mega-batch.
  int64_t updates = 0, dealt = 0;
  /// Dealt and not acknowledged.
  RowRange outstanding;
  /// Whether it has asked for its weight, and the norm it stated.
  bool reported = false;
  double norm = 0;
  AdaptiveRecord record;

  void save(StateWriter &out) const;
  bool load(StateReader &in);
};

} // namespace rubato::policy
