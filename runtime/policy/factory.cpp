// The names of policies and of their settings.
#include "policy/factory.h"

#include "policy/adaptive_dispatch.h"
#include "policy/balance_shares.h"
#include "policy/dynamic_ramp.h"
#include "policy/gossip_matcher.h"
#include "policy/gossip_quota.h"
#include "policy/staleness_rule.h"

#include <algorithm>
#include <limits>

namespace rubato::policy {

static constexpr double infinite = std::numeric_limits<double>::infinity();

using Made = std::unique_ptr<Policy>;

/// The length of a stream of rows, in samples or in passes over the data.
static Status takeLength(SettingTaker &settings, std::string_view policy,
                         const World &world, int64_t &samples) {
  int64_t epochs = 0;
  bool both = settings.has("total-samples") && settings.has("epochs");
  settings.take("total-samples", samples);
  settings.take("epochs", epochs);
  RB_TRY(settings.finish());
  if (epochs == 0)
    return Status::ok();
  if (both)
    return badSetting(policy, "epochs", "absent where total-samples is given");
  if (epochs < 0)
    return badSetting(policy, "epochs", "at least 1, or 0 for no end");
  if (world.datasetSize < 1)
    return badSetting(policy, "epochs",
                      "absent where the size of the data set is not known; "
                      "give total-samples");
  if (epochs > std::numeric_limits<int64_t>::max() / world.datasetSize)
    return badSetting(policy, "epochs",
                      "so small that its samples stay below 2^63");
  samples = epochs * world.datasetSize;
  return Status::ok();
}

static Status makeAdaptive(SettingTaker &settings, const World &world,
                           Made &policy) {
  AdaptiveOptions options;
  BatchScalingOptions &scaling = options.scaling;
  settings.choose("batch-rule", scaling.rule,
                  {{"linear", BatchRule::Linear},
                   {"sign", BatchRule::Sign},
                   {"proportional", BatchRule::Proportional},
                   {"fixed", BatchRule::Fixed}});
  settings.take("max-batch", scaling.maxBatch);
  settings.take("min-batch", scaling.minBatch);
  settings.take("quantum", scaling.quantum);
  settings.take("gain", scaling.gain, {{"unlimited", infinite}});
  settings.take("guard", scaling.guard);
  settings.take("skip-at-bounds", scaling.skipAtBounds);
  settings.take("step", scaling.step);
  settings.take("rate", scaling.rate);
  MergeWeightOptions &merging = options.merging;
  settings.choose("weighting", merging.weighting,
                  {{"balanced", Weighting::Balanced},
                   {"updates", Weighting::Updates},
                   {"uniform", Weighting::Uniform}});
  settings.take("perturbation", merging.perturbation);
  settings.take("norm-threshold", merging.normThreshold,
                {{"unlimited", infinite}});
  settings.take("dimension", merging.dimension);
  settings.take("renormalise", merging.renormalise);
  settings.take("mega-batch", options.megaBatch);
  settings.take("equal-shares", options.equalShares);
  settings.take("warmup-samples", options.warmupSamples);
  settings.take("warmup-batch", options.warmupBatch);
  settings.take("discarded", options.discarded);
  RB_TRY(
      takeLength(settings, "adaptive.dispatch", world, options.totalSamples));
  RB_TRY(options.validate());
  policy = std::make_unique<AdaptiveDispatch>(options, world.members);
  return Status::ok();
}

static Status makeBalance(SettingTaker &settings, const World &world,
                          Made &policy) {
  BalanceOptions options;
  settings.take("batch", options.batch);
  settings.take("quantum", options.quantum);
  settings.take("smoothing", options.smoothing);
  settings.take("delay", options.delay);
  RB_TRY(takeLength(settings, "balance.shares", world, options.totalSamples));
  std::unique_ptr<BalanceShares> made;
  RB_TRY(BalanceShares::create(options, world.members, made));
  policy = std::move(made);
  return Status::ok();
}

static Status makeRamp(SettingTaker &settings, const World &, Made &policy) {
  DynamicRampOptions options;
  settings.choose("rule", options.rule,
                  {{"ramp", ResizeRule::Ramp},
                   {"immediate", ResizeRule::Immediate},
                   {"reset", ResizeRule::Reset},
                   {"unscaled", ResizeRule::Unscaled}});
  settings.take("base-members", options.baseMembers);
  settings.take("per-ratio", options.perRatio);
  settings.take("length", options.length, {{"auto", -1}});
  settings.choose("shrink", options.shrink,
                  {{"none", ShrinkRamp::None},
                   {"ratio", ShrinkRamp::Ratio},
                   {"inverse", ShrinkRamp::Inverse}});
  settings.take("max-factor", options.maxFactor, {{"unlimited", infinite}});
  RB_TRY(settings.finish());
  RB_TRY(options.validate());
  policy = std::make_unique<DynamicRamp>(options);
  return Status::ok();
}

/// Settings of one graph given for another would change nothing.
static Status checkGraphSettings(const SettingTaker &settings,
                                 Topology topology) {
  bool random =
      topology == Topology::RandomRegular || topology == Topology::ErdosRenyi;
  struct Rule {
    std::string_view setting, topologies;
    bool fits;
  };
  for (auto [setting, topologies, fits] :
       {Rule{"rows", "\"torus\"", topology == Topology::Torus},
        {"degree", "\"random-regular\" or \"erdos-renyi\"", random},
        {"graph-seed", "\"random-regular\" or \"erdos-renyi\"", random},
        {"edges", "\"edges\"", topology == Topology::Edges}})
    if (settings.has(setting) && !fits)
      return Status::user(
          "gossip.matcher: the setting '" + std::string(setting) +
          "' is for topology " + std::string(topologies) + ", not for \"" +
          std::string(topologyName(topology)) + "\"; leave it out");
  return Status::ok();
}

static Status makeMatcher(SettingTaker &settings, const World &world,
                          Made &policy) {
  MatcherOptions options;
  std::vector<Word<Topology>> topologies;
  for (Topology each : allTopologies())
    topologies.push_back({topologyName(each), each});
  settings.choose<Topology>("topology", options.graph.topology,
                            std::span<const Word<Topology>>(topologies));
  settings.take("rows", options.graph.rows);
  settings.take("degree", options.graph.degree);
  settings.take("graph-seed", options.graph.seed);
  std::string edges;
  settings.take("edges", edges);
  settings.choose("repair", options.repair,
                  {{"close", Repair::Close}, {"induced", Repair::Induced}});
  settings.take("rate", options.rate);
  settings.take("accelerate", options.accelerate);
  settings.take("repeats", options.repeats);
  settings.take("goal", options.goal);
  RB_TRY(settings.finish());
  RB_TRY(checkGraphSettings(settings, options.graph.topology));
  if (options.graph.topology == Topology::Edges)
    RB_TRY(parseEdges(edges, options.graph.edges));
  // Its members are numbered from 0; of those below the largest number some
  // may be absent.
  options.members = 0;
  for (int64_t member : world.members)
    options.members =
        std::max(options.members, std::min(member, maxGossipMembers) + 1);
  options.present = world.members;
  options.seed = world.seed;
  std::unique_ptr<GossipMatcher> made;
  RB_TRY(GossipMatcher::create(options, made));
  policy = std::move(made);
  return Status::ok();
}

static Status makeQuota(SettingTaker &settings, const World &world,
                        Made &policy) {
  QuotaOptions options;
  settings.take("rate", options.rate);
  settings.take("deterministic", options.deterministic);
  RB_TRY(settings.finish());
  options.seed = world.seed;
  std::unique_ptr<GossipQuota> made;
  RB_TRY(GossipQuota::create(options, made));
  policy = std::move(made);
  return Status::ok();
}

static Status makeRule(SettingTaker &settings, const World &, Made &policy) {
  StalenessOptions options;
  settings.take("k0", options.k0, {{"all", everyone}});
  settings.take("adapt", options.adapt);
  settings.take("cap-growth", options.capGrowth);
  settings.take("bound", options.bound, {{"unlimited", unbounded}});
  settings.take("alpha", options.alpha);
  settings.take("bound-floor", options.boundFloor);
  settings.take("guard", options.guard);
  settings.take("guard-ratio", options.guardRatio);
  settings.take("smoothing", options.smoothing);
  settings.take("initial-loss", options.initialLoss);
  settings.take("loss-floor", options.lossFloor);
  settings.take("max-samples", options.maxSamples);
  settings.take("target-loss", options.targetLoss);
  RB_TRY(settings.finish());
  RB_TRY(options.check());
  policy = std::make_unique<StalenessRule>(options);
  return Status::ok();
}

namespace {
struct Maker {
  std::string_view name;
  Status (*make)(SettingTaker &, const World &, Made &);
};
} // namespace

static constexpr Maker makers[] = {
    {"adaptive.dispatch", makeAdaptive}, {"balance.shares", makeBalance},
    {"dynamic.ramp", makeRamp},          {"gossip.matcher", makeMatcher},
    {"gossip.quota", makeQuota},         {"staleness.rule", makeRule}};

std::vector<std::string_view> policyNames() {
  std::vector<std::string_view> names;
  for (const Maker &maker : makers)
    names.push_back(maker.name);
  return names;
}

Status makePolicy(std::string_view name, std::span<const NamedSetting> settings,
                  const World &world, std::unique_ptr<Policy> &policy) {
  std::vector<int64_t> members = world.members;
  std::sort(members.begin(), members.end());
  if ((!members.empty() && members.front() < 0) ||
      std::adjacent_find(members.begin(), members.end()) != members.end())
    return Status::user(std::string(name) +
                        ": the members of a group must have different numbers "
                        "from 0 up");
  std::string known;
  for (const Maker &maker : makers) {
    known += (known.empty() ? "" : ", ") + std::string(maker.name);
    if (maker.name != name)
      continue;
    SettingTaker taker(name, settings);
    return maker.make(taker, world, policy);
  }
  return Status::user("no policy '" + std::string(name) + "'; there are " +
                      known);
}

} // namespace rubato::policy
