// State saved from one policy goes on in another that the factory makes.
#include "policy_course.h"

#include <set>

using namespace rubato;
using namespace rubato::policy;

static std::vector<NamedSetting> settingsOf(std::string_view name) {
  if (name == "adaptive.dispatch")
    return {{"max-batch", 64},
            {"min-batch", 8},
            {"quantum", 1},
            {"mega-batch", 300}};
  if (name == "balance.shares")
    return {{"batch", 50}};
  return {};
}

class PolicyClone : public testing::TestWithParam<std::string_view> {};

TEST_P(PolicyClone, GoesOnFromEveryPoint) {
  std::vector<NamedSetting> settings = settingsOf(GetParam());
  for (int steps = 0; steps < 180; steps += 3) {
    auto policy = make(GetParam(), settings);
    PolicyCourse course;
    course.run(*policy, steps);
    auto copy = clone(*policy, settings, 1);
    PolicyCourse other = course;
    std::vector<double> answers = course.run(*policy, 40);
    EXPECT_FALSE(answers.empty());
    EXPECT_EQ(other.run(*copy, 40), answers) << steps;
  }
}

TEST_P(PolicyClone, WorksWithOtherSeeds) {
  std::vector<NamedSetting> settings = settingsOf(GetParam());
  auto policy = make(GetParam(), settings);
  PolicyCourse course;
  course.run(*policy, 50);
  std::set<std::vector<double>> outcomes;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    // The course expects no error but 'pending'.
    auto other = clone(*policy, settings, seed);
    outcomes.insert(PolicyCourse(course).run(*other, 100));
  }
  bool random = GetParam() == "gossip.matcher" || GetParam() == "gossip.quota";
  EXPECT_EQ(outcomes.size() > 1, random);
}

TEST(PolicyCloneDelay, GoesOnFromEveryPoint) {
  std::vector<NamedSetting> settings = {{"batch", 50}, {"delay", 1}};
  for (int steps = 0; steps < 180; ++steps) {
    auto policy = make("balance.shares", settings);
    PolicyCourse course;
    course.run(*policy, steps);
    auto copy = clone(*policy, settings, 1);
    PolicyCourse other = course;
    std::vector<double> answers = course.run(*policy, 40);
    EXPECT_EQ(other.run(*copy, 40), answers) << steps;
  }
}

TEST(PolicyCloneSeeds, ShowEveryOutcomeOfOneQuestion) {
  // In a path 0 - 1 - 2 the middle one chooses among two that wait.
  auto policy = make("gossip.matcher", {{"topology", "path"}});
  std::vector<Value> out(3);
  ASSERT_TRUE(isPending(policy->ask("next", {0, 0}, {}, out)));
  ASSERT_TRUE(isPending(policy->ask("next", {2, 0}, {}, out)));
  std::set<int64_t> peers;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    auto copy = clone(*policy, {{"topology", "path"}}, seed);
    ASSERT_TRUE(copy->ask("next", {1, 0}, {}, out));
    peers.insert(std::get<int64_t>(out[0]));
  }
  EXPECT_EQ(peers, (std::set<int64_t>{0, 2}));
}

INSTANTIATE_TEST_SUITE_P(All, PolicyClone, testing::ValuesIn(policyNames()),
                         [](const auto &each) {
                           std::string name(each.param);
                           name[name.find('.')] = '_';
                           return name;
                         });
