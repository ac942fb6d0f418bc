// What the factory refuses, and with which words; who takes part.
#include "policy_course.h"

#include <cmath>

using namespace rubato;
using namespace rubato::policy;

static std::string refusal(std::string_view name,
                           std::vector<NamedSetting> settings,
                           World world = {{0, 1, 2}, 1, 1000}) {
  std::unique_ptr<Policy> policy;
  Status status = makePolicy(name, settings, world, policy);
  EXPECT_FALSE(status) << name;
  EXPECT_EQ(policy, nullptr);
  EXPECT_EQ(status.code(), ErrorCode::User);
  return status.message();
}

TEST(PolicyFactory, KnowsItsPolicies) {
  EXPECT_EQ(policyNames(),
            (std::vector<std::string_view>{
                "adaptive.dispatch", "balance.shares", "dynamic.ramp",
                "gossip.matcher", "gossip.quota", "staleness.rule"}));
  for (std::string_view name : policyNames())
    EXPECT_EQ(make(name)->name(), name);
  EXPECT_EQ(refusal("gossip.match", {}),
            "no policy 'gossip.match'; there are adaptive.dispatch, "
            "balance.shares, dynamic.ramp, gossip.matcher, gossip.quota, "
            "staleness.rule");
}

TEST(PolicyFactory, SaysWhatIsAllowed) {
  EXPECT_EQ(refusal("gossip.quota", {{"speed", 1}}),
            "gossip.quota: no setting 'speed'; it has rate, deterministic");
  EXPECT_EQ(refusal("gossip.quota", {{"rate", 1}, {"rate", 2}}),
            "gossip.quota: setting 'rate' is given twice; give it once");
  EXPECT_EQ(refusal("gossip.quota", {{"rate", "fast"}}),
            "gossip.quota: setting 'rate' must be a number, not \"fast\"");
  EXPECT_EQ(refusal("gossip.quota", {{"deterministic", 1}}),
            "gossip.quota: setting 'deterministic' must be true or false, not "
            "1");
  EXPECT_EQ(refusal("gossip.matcher", {{"repair", "open"}}),
            "gossip.matcher: setting 'repair' must be \"close\" or "
            "\"induced\", not \"open\"");
  EXPECT_EQ(refusal("gossip.matcher", {{"goal", 1.5}}),
            "gossip.matcher: setting 'goal' must be an integer, not 1.500000");
  EXPECT_EQ(refusal("staleness.rule", {{"k0", "some"}}),
            "staleness.rule: setting 'k0' must be an integer, \"all\" or "
            "\"auto\", not \"some\"");
  EXPECT_EQ(refusal("staleness.rule", {{"k0", 0}}),
            "staleness.rule: setting 'k0' must be at least 1, \"all\" or "
            "\"auto\"");
  EXPECT_EQ(refusal("balance.shares", {{"batch", 2}}),
            "balance.shares: setting 'batch' must be at least the number of "
            "members, 3");
}

TEST(PolicyFactory, RefusesBadValuesByName) {
  struct Case {
    const char *policy;
    NamedSetting setting;
  };
  const std::vector<Case> cases = {
      {"adaptive.dispatch", {"batch-rule", "square"}},
      {"adaptive.dispatch", {"max-batch", 0}},
      {"adaptive.dispatch", {"max-batch", 1000}},
      {"adaptive.dispatch", {"min-batch", 2048}},
      {"adaptive.dispatch", {"quantum", 0}},
      {"adaptive.dispatch", {"gain", -1}},
      {"adaptive.dispatch", {"gain", NAN}},
      {"adaptive.dispatch", {"step", -1}},
      {"adaptive.dispatch", {"rate", 1.5}},
      {"adaptive.dispatch", {"weighting", 1}},
      {"adaptive.dispatch", {"perturbation", 1}},
      {"adaptive.dispatch", {"norm-threshold", NAN}},
      {"adaptive.dispatch", {"dimension", 0}},
      {"adaptive.dispatch", {"mega-batch", -1}},
      {"adaptive.dispatch", {"total-samples", -1}},
      {"adaptive.dispatch", {"epochs", -1}},
      {"adaptive.dispatch", {"epochs", INT64_MAX}},
      {"adaptive.dispatch", {"warmup-samples", -1}},
      {"adaptive.dispatch", {"warmup-batch", 33}},
      {"adaptive.dispatch", {"discarded", -1}},
      {"balance.shares", {"batch", -1}},
      {"balance.shares", {"batch", INT64_MAX}},
      {"balance.shares", {"quantum", 0}},
      {"balance.shares", {"quantum", int64_t(1) << 31}},
      {"balance.shares", {"smoothing", 1}},
      {"balance.shares", {"delay", 2}},
      {"balance.shares", {"delay", -1}},
      {"balance.shares", {"total-samples", -1}},
      {"dynamic.ramp", {"rule", ""}},
      {"dynamic.ramp", {"base-members", -1}},
      {"dynamic.ramp", {"per-ratio", INFINITY}},
      {"dynamic.ramp", {"length", -2}},
      {"dynamic.ramp", {"shrink", true}},
      {"dynamic.ramp", {"max-factor", 0}},
      {"gossip.matcher", {"topology", "moebius"}},
      {"gossip.matcher", {"rate", 0}},
      {"gossip.matcher", {"goal", -1}},
      {"gossip.matcher", {"goal", 1e300}},
      {"gossip.quota", {"rate", 1e4}},
      {"staleness.rule", {"bound", -1}},
      {"staleness.rule", {"alpha", 0}},
      {"staleness.rule", {"bound-floor", -1}},
      {"staleness.rule", {"guard-ratio", 1}},
      {"staleness.rule", {"smoothing", 1}},
      {"staleness.rule", {"initial-loss", INFINITY}},
      {"staleness.rule", {"loss-floor", NAN}},
      {"staleness.rule", {"max-samples", 0}},
      {"staleness.rule", {"target-loss", NAN}}};
  for (const Case &each : cases) {
    std::string start = std::string(each.policy) + ": setting '" +
                        each.setting.name + "' must be ";
    EXPECT_TRUE(refusal(each.policy, {each.setting}).starts_with(start))
        << refusal(each.policy, {each.setting});
  }
}

TEST(PolicyFactory, LooksAtTheWorld) {
  for (std::string_view name : policyNames()) {
    refusal(name, {}, {{0, 1, 1}, 1, 1000});
    refusal(name, {}, {{-1}, 1, 1000});
  }
  refusal("gossip.matcher", {}, {{}, 1, 1000});
  refusal("gossip.matcher", {}, {{INT64_MAX}, 1, 1000});
  std::string epochs = refusal("balance.shares", {{"epochs", 1}}, {{0}, 1, 0});
  EXPECT_NE(epochs.find("'epochs'"), std::string::npos);
  refusal("balance.shares", {{"epochs", 1}, {"total-samples", 5}});
}

TEST(PolicyFactory, MatcherServesTheMembersThereAre) {
  auto policy = make("gossip.matcher", {}, {{5, 2}, 1, 0});
  std::vector<Value> out(3);
  EXPECT_FALSE(policy->ask("next", {0, 0}, {}, out));
  EXPECT_TRUE(isPending(policy->ask("next", {2, 0}, {}, out)));
  ASSERT_TRUE(policy->ask("next", {5, 0}, {}, out));
  EXPECT_EQ(out[0], Value(int64_t(2)));
}

TEST(PolicyMembership, ChangesNothingWhereNobodyCares) {
  for (const char *name : {"dynamic.ramp", "gossip.quota", "staleness.rule"}) {
    auto policy = make(name);
    PolicyCourse a, b;
    EXPECT_TRUE(policy->leave(1));
    EXPECT_TRUE(policy->join(7));
    EXPECT_EQ(a.run(*policy, 100), b.run(*make(name), 100));
  }
}

TEST(PolicyMembership, IsTheSameForAllWhoCare) {
  for (const char *name :
       {"adaptive.dispatch", "balance.shares", "gossip.matcher"}) {
    auto policy = make(name);
    EXPECT_TRUE(policy->leave(1));
    EXPECT_TRUE(policy->leave(1));
    EXPECT_TRUE(policy->join(1));
    Status twice = policy->join(1);
    EXPECT_EQ(twice.message(), std::string(name) +
                                   ": member 1 joins twice; it must leave "
                                   "first");
    PolicyCourse a, b;
    EXPECT_EQ(a.run(*policy, 100), b.run(*make(name), 100)) << name;
  }
}

TEST(PolicyMembership, MatcherRemembersWhoComesBack) {
  auto policy = make("gossip.matcher", {{"goal", 100}});
  std::vector<Value> next(3), go(1);
  auto report = [&](Asker asker, int64_t samples) {
    std::vector<Value> in = {samples, int64_t(0)};
    EXPECT_TRUE(policy->ask("report", asker, in, go));
    return std::get<bool>(go[0]);
  };
  EXPECT_TRUE(report({1, 40}, 60));
  EXPECT_TRUE(isPending(policy->ask("next", {1, 41}, {}, next)));
  ASSERT_TRUE(policy->leave(1));
  ASSERT_TRUE(policy->join(1));
  // Its calls and samples start afresh, and it waits no more.
  EXPECT_TRUE(isPending(policy->ask("next", {0, 0}, {}, next)));
  EXPECT_TRUE(report({1, 0}, 0));
  ASSERT_TRUE(policy->ask("next", {1, 1}, {}, next));
  EXPECT_EQ(next[0], Value(int64_t(0)));
  // The 60 samples of its first life count for the goal.
  auto copy = clone(*policy, {{"goal", 100}}, 3);
  policy = std::move(copy);
  EXPECT_TRUE(report({0, 1}, 39));
  EXPECT_FALSE(report({1, 2}, 1));
  EXPECT_FALSE(policy->join(3));
}
