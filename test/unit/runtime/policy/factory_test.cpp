// Every setting of every policy reaches its option.
#include "policy/adaptive_dispatch.h"
#include "policy/balance_shares.h"
#include "policy/dynamic_ramp.h"
#include "policy/gossip_matcher.h"
#include "policy/gossip_quota.h"
#include "policy/staleness_rule.h"
#include "policy_course.h"

#include <functional>

using namespace rubato;
using namespace rubato::policy;

static const std::vector<int64_t> trio = {0, 1, 2};

// Policies made without the factory.
static std::unique_ptr<Policy> direct(const AdaptiveOptions &options) {
  EXPECT_TRUE(options.validate()) << options.validate().message();
  return std::make_unique<AdaptiveDispatch>(options, trio);
}
static std::unique_ptr<Policy> direct(const BalanceOptions &options) {
  std::unique_ptr<BalanceShares> made;
  EXPECT_TRUE(BalanceShares::create(options, trio, made));
  return made;
}
static std::unique_ptr<Policy> direct(const DynamicRampOptions &options) {
  return std::make_unique<DynamicRamp>(options);
}
static std::unique_ptr<Policy> direct(MatcherOptions options) {
  options.members = 3;
  options.seed = 1;
  std::unique_ptr<GossipMatcher> made;
  EXPECT_TRUE(GossipMatcher::create(options, made));
  return made;
}
static std::unique_ptr<Policy> direct(QuotaOptions options) {
  options.seed = 1;
  std::unique_ptr<GossipQuota> made;
  EXPECT_TRUE(GossipQuota::create(options, made));
  return made;
}
static std::unique_ptr<Policy> direct(const StalenessOptions &options) {
  return std::make_unique<StalenessRule>(options);
}

/// A setting, and what it is meant to do.
template <typename Options> struct Row {
  NamedSetting setting;
  std::function<void(Options &)> set;
};

/// Each setting on top of `base` has the effect of its option, and has one:
/// the answers differ from those of the base.
template <typename Options>
static void check(const std::vector<Row<Options>> &base,
                  const std::vector<Row<Options>> &rows) {
  Options plain;
  std::vector<NamedSetting> common;
  for (const Row<Options> &row : base) {
    row.set(plain);
    common.push_back(row.setting);
  }
  std::vector<double> before = PolicyCourse().run(*direct(plain), 1200);
  for (const Row<Options> &row : rows) {
    Options options = plain;
    row.set(options);
    auto expected = direct(options);
    std::vector<NamedSetting> settings = common;
    settings.push_back(row.setting);
    auto made = make(expected->name(), settings);
    ASSERT_TRUE(made);
    std::vector<double> answers = PolicyCourse().run(*made, 1200);
    EXPECT_EQ(answers, PolicyCourse().run(*expected, 1200)) << row.setting.name;
    EXPECT_NE(answers, before) << row.setting.name;
  }
}

TEST(PolicySettings, Adaptive) {
  using O = AdaptiveOptions;
  std::vector<Row<O>> small = {
      {{"max-batch", 64}, [](O &o) { o.scaling.maxBatch = 64; }},
      {{"quantum", 1}, [](O &o) { o.scaling.quantum = 1; }},
      {{"mega-batch", 300}, [](O &o) { o.megaBatch = 300; }}};
  check<O>({}, {{{"max-batch", 512}, [](O &o) { o.scaling.maxBatch = 512; }},
                {{"quantum", 128}, [](O &o) { o.scaling.quantum = 128; }},
                {{"mega-batch", 300}, [](O &o) { o.megaBatch = 300; }}});
  check<O>(
      small,
      {{{"batch-rule", "sign"}, [](O &o) { o.scaling.rule = BatchRule::Sign; }},
       {{"batch-rule", "proportional"},
        [](O &o) { o.scaling.rule = BatchRule::Proportional; }},
       {{"batch-rule", "fixed"},
        [](O &o) { o.scaling.rule = BatchRule::Fixed; }},
       {{"min-batch", 32}, [](O &o) { o.scaling.minBatch = 32; }},
       {{"gain", 0.25}, [](O &o) { o.scaling.gain = 0.25; }},
       {{"weighting", "uniform"},
        [](O &o) { o.merging.weighting = Weighting::Uniform; }},
       {{"perturbation", 0.2}, [](O &o) { o.merging.perturbation = 0.2; }},
       {{"norm-threshold", 0.2}, [](O &o) { o.merging.normThreshold = 0.2; }},
       {{"dimension", 10}, [](O &o) { o.merging.dimension = 10; }},
       {{"renormalise", false}, [](O &o) { o.merging.renormalise = false; }},
       {{"total-samples", 777}, [](O &o) { o.totalSamples = 777; }},
       {{"epochs", 2}, [](O &o) { o.totalSamples = 2000; }},
       {{"equal-shares", true}, [](O &o) { o.equalShares = true; }},
       {{"warmup-samples", 900}, [](O &o) { o.warmupSamples = 900; }},
       {{"discarded", 3}, [](O &o) { o.discarded = 3; }}});
  // Weights by batch and by updates differ where the updates are equal, as at
  // the end.
  std::vector<Row<O>> ends = small;
  ends.push_back(
      {{"total-samples", 2000}, [](O &o) { o.totalSamples = 2000; }});
  check<O>(ends, {{{"weighting", "updates"},
                   [](O &o) { o.merging.weighting = Weighting::Updates; }}});
  std::vector<Row<O>> gain = small, step = small, rate = small, warm = small;
  gain.push_back({{"gain", 30.0}, [](O &o) { o.scaling.gain = 30; }});
  check<O>(gain, {{{"guard", false}, [](O &o) { o.scaling.guard = false; }},
                  {{"skip-at-bounds", true},
                   [](O &o) { o.scaling.skipAtBounds = true; }}});
  step.push_back(
      {{"batch-rule", "sign"}, [](O &o) { o.scaling.rule = BatchRule::Sign; }});
  check<O>(step, {{{"step", 7.0}, [](O &o) { o.scaling.step = 7; }}});
  rate.push_back({{"batch-rule", "proportional"},
                  [](O &o) { o.scaling.rule = BatchRule::Proportional; }});
  check<O>(rate, {{{"rate", 1}, [](O &o) { o.scaling.rate = 1; }}});
  warm.push_back(
      {{"warmup-samples", 900}, [](O &o) { o.warmupSamples = 900; }});
  check<O>(warm, {{{"warmup-batch", 33}, [](O &o) { o.warmupBatch = 33; }}});
}

TEST(PolicySettings, Balance) {
  using O = BalanceOptions;
  check<O>({}, {{{"batch", 50}, [](O &o) { o.batch = 50; }},
                {{"quantum", 40}, [](O &o) { o.quantum = 40; }},
                {{"smoothing", 0.2}, [](O &o) { o.smoothing = 0.2; }},
                {{"delay", 1}, [](O &o) { o.delay = 1; }},
                {{"total-samples", 999}, [](O &o) { o.totalSamples = 999; }},
                {{"epochs", 3}, [](O &o) { o.totalSamples = 3000; }}});
}

TEST(PolicySettings, Ramp) {
  using O = DynamicRampOptions;
  check<O>(
      {},
      {{{"rule", "immediate"}, [](O &o) { o.rule = ResizeRule::Immediate; }},
       {{"rule", "reset"}, [](O &o) { o.rule = ResizeRule::Reset; }},
       {{"rule", "unscaled"}, [](O &o) { o.rule = ResizeRule::Unscaled; }},
       {{"base-members", 4}, [](O &o) { o.baseMembers = 4; }},
       {{"per-ratio", 2}, [](O &o) { o.perRatio = 2; }},
       {{"length", 5}, [](O &o) { o.length = 5; }},
       {{"shrink", "ratio"}, [](O &o) { o.shrink = ShrinkRamp::Ratio; }},
       {{"shrink", "inverse"}, [](O &o) { o.shrink = ShrinkRamp::Inverse; }},
       {{"max-factor", 1.5}, [](O &o) { o.maxFactor = 1.5; }}});
  PolicyCourse a, b;
  EXPECT_EQ(a.run(*make("dynamic.ramp",
                        {{"length", "auto"}, {"max-factor", "unlimited"}}),
                  100),
            b.run(*make("dynamic.ramp"), 100));
}

TEST(PolicySettings, Gossip) {
  using M = MatcherOptions;
  check<M>({},
           {{{"topology", "path"}, [](M &o) { o.graph = {Topology::Path}; }},
            {{"topology", "star"}, [](M &o) { o.graph = {Topology::Star}; }},
            {{"topology", "two-clusters"},
             [](M &o) { o.graph = {Topology::TwoClusters}; }},
            {{"rate", 2}, [](M &o) { o.rate = 2; }},
            {{"accelerate", false}, [](M &o) { o.accelerate = false; }},
            {{"goal", 300}, [](M &o) { o.goal = 300; }}});
  using Q = QuotaOptions;
  check<Q>({},
           {{{"rate", 3}, [](Q &o) { o.rate = 3; }},
            {{"deterministic", true}, [](Q &o) { o.deterministic = true; }}});
  // The repair shows after a death: in a path of which the middle is gone, the
  // others meet or do not.
  for (bool close : {true, false}) {
    auto policy =
        make("gossip.matcher",
             {{"topology", "path"}, {"repair", close ? "close" : "induced"}});
    ASSERT_TRUE(policy->leave(1));
    std::vector<Value> out(3);
    EXPECT_EQ(isPending(policy->ask("next", {0, 0}, {}, out)), close);
  }
}

TEST(PolicySettings, Staleness) {
  using O = StalenessOptions;
  check<O>({}, {{{"k0", 7}, [](O &o) { o.k0 = 7; }},
                {{"k0", "all"}, [](O &o) { o.k0 = everyone; }},
                {{"adapt", false}, [](O &o) { o.adapt = false; }},
                {{"bound", 3}, [](O &o) { o.bound = 3; }},
                {{"bound", "unlimited"}, [](O &o) { o.bound = unbounded; }},
                {{"alpha", 2}, [](O &o) { o.alpha = 2; }},
                {{"bound-floor", 2}, [](O &o) { o.boundFloor = 2; }},
                {{"guard", false}, [](O &o) { o.guard = false; }},
                {{"guard-ratio", 1.9}, [](O &o) { o.guardRatio = 1.9; }},
                {{"smoothing", 0.5}, [](O &o) { o.smoothing = 0.5; }},
                {{"initial-loss", 9}, [](O &o) { o.initialLoss = 9; }},
                {{"loss-floor", 0.05}, [](O &o) { o.lossFloor = 0.05; }},
                {{"max-samples", 500.0}, [](O &o) { o.maxSamples = 500; }},
                {{"target-loss", 0.5}, [](O &o) { o.targetLoss = 0.5; }}});
  std::vector<Row<O>> steep = {
      {{"initial-loss", 1000}, [](O &o) { o.initialLoss = 1000; }}};
  check<O>(steep, {{{"cap-growth", true}, [](O &o) { o.capGrowth = true; }}});
  std::vector<NamedSetting> unset;
  for (const char *name :
       {"k0", "bound", "initial-loss", "max-samples", "target-loss"})
    unset.push_back({name, "auto"});
  PolicyCourse a, b;
  EXPECT_EQ(a.run(*make("staleness.rule", unset), 300),
            b.run(*make("staleness.rule"), 300));
}
