// dynamic.ramp: the factor on the learning rate when the group changes size.
//
// With a fixed batch per member the learning rate follows the member count.
// After growth it follows slowly, so that the noise in the old momentum decays
// before the large rate arrives; after a shrink it follows at once.
#pragma once

#include "policy/policy.h"

#include <limits>

namespace rubato::policy {

/// What a changed member count does to the learning rate.
enum class ResizeRule {
  Ramp,      // grows linearly over the ramp
  Immediate, // the full factor in the next update
  Reset,     // the full factor in the next update, momentum set to zero
  Unscaled   // no factor: fixed global batch, or no scaling at all
};

/// How long the ramp of a shrink by g < 1 is, in units of `perRatio`.
enum class ShrinkRamp {
  None,    // no ramp: the factor falls at once
  Ratio,   // g: the formula for growth, taken literally
  Inverse, // 1/g: as long as the growth back
};

struct DynamicRampOptions {
  ResizeRule rule = ResizeRule::Ramp;
  /// Members that the learning rate was tuned for; 0 takes the first count.
  int64_t baseMembers = 0;
  /// Updates of a ramp per unit of growth; 0.8 / (1 - momentum) is right.
  double perRatio = 8;
  /// Updates of every ramp; -1 takes round(perRatio * growth).
  int64_t length = -1;
  ShrinkRamp shrink = ShrinkRamp::None;
  /// The factor never exceeds this: linear scaling has a ceiling.
  double maxFactor = std::numeric_limits<double>::infinity();

  /// The ramp that suits a momentum.
  static double perRatioFor(double momentum) { return 0.8 / (1 - momentum); }
  Status validate() const;
};

class DynamicRamp : public Policy {
public:
  /// `options` are valid.
  explicit DynamicRamp(const DynamicRampOptions &options) : options(options) {}

  struct Factor {
    double factor = 1;
    bool resetMomentum = false;
  };
  /// The factor of the next applied update. Each call is one such update: a
  /// program asks after its vote, and never for an update it drops.
  Status factor(int64_t members, Factor &answer);

  std::string_view name() const override { return "dynamic.ramp"; }
  Placement placement() const override { return Placement::Replicated; }
  const std::vector<Entry> &entries() const override;
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

private:
  void resize();
  int64_t rampLength(double growth) const;

  DynamicRampOptions options;
  /// Both zero until the first question.
  int64_t base = 0, members = 0;
  /// c of the last update; s and m of the ramp, T and j.
  double current = 1, start = 1, target = 1;
  int64_t length = 0, done = 0;
};

} // namespace rubato::policy
