// The core of decisions: the same answers as from the policies themselves.
#include "asking.h"
#include "policy/ask.h"

using namespace rubato;
using policy::Value;

namespace {

using Answers = std::vector<Value>;

/// What the policy objects say when they are asked directly: a question is
/// repeated until it has an answer.
class Direct {
public:
  Direct(const PolicySpec &spec, int members, uint64_t seed) : spec(spec) {
    policy::World world{{}, seed, 1000};
    for (int rank = 0; rank != members; ++rank)
      world.members.push_back(rank);
    EXPECT_TRUE(policy::makePolicy(spec.kind, spec.settings, world, object));
    waits.resize(static_cast<size_t>(members));
    calls.resize(static_cast<size_t>(members));
  }

  void ask(int rank, Asking asking) {
    auto index = static_cast<size_t>(rank);
    waits[index] = std::move(asking);
    ++calls[index];
    poll(index);
  }
  void leave(int rank) {
    waits[static_cast<size_t>(rank)].reset();
    EXPECT_TRUE(object->leave(rank));
  }
  void contributed(int rank) { object->contributed(rank); }

  /// Everybody who waits asks, those who are first several times.
  std::map<int, Answers> answers() {
    for (int turn = 0; turn != 3; ++turn)
      for (size_t rank = 0; rank != waits.size(); ++rank)
        poll(rank);
    return std::exchange(given, {});
  }

private:
  void poll(size_t rank) {
    if (!waits[rank])
      return;
    const policy::Entry &entry =
        spec.entries[static_cast<size_t>(waits[rank]->entry)];
    Answers out(entry.outputs.size());
    Status status =
        object->ask(entry.name, {static_cast<int64_t>(rank), calls[rank] - 1},
                    waits[rank]->inputs, out);
    if (policy::isPending(status))
      return;
    EXPECT_TRUE(status) << status.message();
    waits[rank].reset();
    given[static_cast<int>(rank)] = out;
  }

  PolicySpec spec;
  std::unique_ptr<policy::Policy> object;
  std::vector<std::optional<Asking>> waits;
  std::vector<int64_t> calls;
  std::map<int, Answers> given;
};

class CentralPolicy : public testing::TestWithParam<Asked> {};

TEST_P(CentralPolicy, AnswersAsIfAskedDirectly) {
  Asked index = GetParam();
  int pendings = 0, answered = 0;
  for (uint64_t seed = 0; seed != 20; ++seed) {
    std::mt19937_64 random(seed);
    constexpr int members = 5;
    ProgramSpec spec = askingProgram();
    auto decisions = decisionsOf(spec, members, seed);
    Direct direct(spec.policies[index], members, seed);
    std::vector<AskingStrand> strands;
    std::vector<QuestionId> asked(members, 0);
    std::vector<int> order;
    for (int rank = 0; rank != members; ++rank)
      strands.emplace_back(index, rank);

    for (int step = 0; step != 300; ++step) {
      int rank = static_cast<int>(random() % members);
      auto at = static_cast<size_t>(rank);
      if (step == 100 || step == 200) {
        decisions->leave(rank);
        direct.leave(rank);
      } else if (!decisions->isLive(rank)) {
        continue;
      } else if (random() % 8 == 0) {
        decisions->contributed(rank);
        direct.contributed(rank);
      } else if (asked[at] == 0) {
        Asking asking = strands[at].next();
        asked[at] = decisions->submit({rank, 1, step}, index, asking.entry,
                                      asking.inputs);
        direct.ask(rank, asking);
      }
      std::map<int, Answers> expected = direct.answers(), got;
      for (Answer &answer : decisions->takeAnswers()) {
        auto who = static_cast<size_t>(answer.who.rank);
        EXPECT_EQ(answer.id, asked[who]);
        asked[who] = 0;
        if (!decisions->isLive(answer.who.rank)) {
          EXPECT_EQ(answer.status.code(), ErrorCode::Communication);
          continue;
        }
        ASSERT_TRUE(answer.status) << answer.status.message();
        got[answer.who.rank] = answer.values;
        strands[who].take(answer.values);
        ++answered;
      }
      ASSERT_EQ(got, expected) << "seed " << seed << ", step " << step;
      pendings += asked[at] != 0;
    }
  }
  EXPECT_GT(pendings, 100);
  EXPECT_GT(answered, 500);
}

INSTANTIATE_TEST_SUITE_P(All, CentralPolicy,
                         testing::Values(Match, Dispatch, Shares),
                         [](const auto &each) {
                           return askingProgram().policies[each.param].name;
                         });

Status onlyStatus(Decisions &decisions, QuestionId id) {
  std::vector<Answer> answers = decisions.takeAnswers();
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.at(0).id, id);
  return answers.at(0).status;
}

TEST(Decisions, RefuseWhatTheProgramDoesNotHave) {
  auto decisions = decisionsOf(askingProgram(), 2);
  auto code = [&](Caller who, int policy, int entry,
                  std::vector<Value> inputs = {}) {
    return onlyStatus(*decisions, decisions->submit(who, policy, entry, inputs))
        .code();
  };
  EXPECT_EQ(code({2, 0, 0}, Match, Next), ErrorCode::Internal);
  EXPECT_EQ(code({-1, 0, 0}, Match, Next), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, -1, Next), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, 4, Next), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, Match, 3), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, Match, -1), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, Quota, 0), ErrorCode::Internal);
  EXPECT_EQ(code({0, 0, 0}, Match, Next, {int64_t(1)}), ErrorCode::User);
  EXPECT_EQ(decisions->waiting(), 0u);
  // None of them was counted as a question: this is call 0 or later.
  EXPECT_EQ(code({0, 0, 0}, Match, Constants), ErrorCode::Ok);
}

TEST(Decisions, AStrandWaitsForOneAnswerAtATime) {
  auto decisions = decisionsOf(askingProgram(), 3);
  decisions->submit({0, 1, 0}, Match, Next, {});
  EXPECT_TRUE(decisions->takeAnswers().empty());
  EXPECT_EQ(onlyStatus(*decisions, decisions->submit({0, 1, 0}, Shares, 0,
                                                     {{int64_t(0), 0.0}}))
                .code(),
            ErrorCode::Internal);
  EXPECT_EQ(onlyStatus(*decisions, decisions->vote({0, 1, 0}, 1, 1)).code(),
            ErrorCode::Internal);
  // Another strand of the member asks the same policy meanwhile.
  EXPECT_TRUE(onlyStatus(*decisions,
                         decisions->submit({0, 0, 0}, Match, Constants, {})));
  decisions->vote({0, 0, 0}, 1, 1);
  EXPECT_EQ(
      onlyStatus(*decisions, decisions->submit({0, 0, 0}, Match, Constants, {}))
          .code(),
      ErrorCode::Internal);
  EXPECT_EQ(decisions->waiting(), 2u);
}

TEST(Decisions, AWithdrawnQuestionGetsNoAnswer) {
  auto decisions = decisionsOf(askingProgram(), 3);
  QuestionId first = decisions->submit({0, 0, 0}, Match, Next, {});
  QuestionId ballot = decisions->vote({1, 0, 0}, 1, 2);
  decisions->withdraw(first);
  decisions->withdraw(ballot);
  EXPECT_EQ(decisions->waiting(), 0u);
  decisions->vote({0, 0, 0}, 1, 1);
  decisions->vote({2, 0, 0}, 1, 1);
  std::vector<Answer> answers = decisions->takeAnswers();
  ASSERT_EQ(answers.size(), 2u);
  // The ballot itself counts.
  for (const Answer &answer : answers) {
    EXPECT_NE(answer.who.rank, 1);
    EXPECT_EQ(answer.values, Answers{false});
  }
}

TEST(Decisions, VotesAreNumberedAndNeedEveryLiveMember) {
  auto decisions = decisionsOf(askingProgram(), 3);
  auto verdicts = [&] {
    std::map<int, bool> result;
    for (const Answer &answer : decisions->takeAnswers())
      if (answer.status)
        result[answer.who.rank] = std::get<bool>(answer.values.at(0));
    return result;
  };
  decisions->vote({0, 0, 0}, 5, 5);
  decisions->vote({1, 0, 0}, 5, 5);
  EXPECT_TRUE(verdicts().empty());
  decisions->vote({2, 0, 0}, 5, 5);
  EXPECT_EQ(verdicts(), (std::map<int, bool>{{0, 1}, {1, 1}, {2, 1}}));

  // One that voted and died counts; one that did not vote does not.
  decisions->vote({2, 0, 1}, 4, 5);
  decisions->leave(2);
  decisions->leave(2);
  EXPECT_TRUE(verdicts().empty());
  decisions->vote({0, 0, 1}, 5, 5);
  decisions->vote({1, 0, 1}, 5, 5);
  EXPECT_EQ(verdicts(), (std::map<int, bool>{{0, 0}, {1, 0}}));
  decisions->vote({0, 0, 2}, 5, 5);
  EXPECT_TRUE(verdicts().empty());
  decisions->leave(1);
  EXPECT_EQ(verdicts(), (std::map<int, bool>{{0, 1}}));
  EXPECT_EQ(onlyStatus(*decisions, decisions->vote({1, 0, 2}, 5, 5)).code(),
            ErrorCode::Communication);
}

TEST(Decisions, MembersThatDoNotAskMayLeaveToo) {
  // The matcher knows the ranks 0 and 1; rank 2 is a server.
  ProgramSpec spec = askingProgram();
  RoleSpec server;
  server.name = "server";
  server.count = 1;
  spec.roles.push_back(server);
  auto decisions = decisionsOf(spec, 3);
  decisions->submit({0, 0, 0}, Match, Next, {});
  decisions->leave(2);
  EXPECT_EQ(decisions->waiting(), 1u);
  EXPECT_TRUE(decisions->takeAnswers().empty());
  decisions->leave(1);
  std::vector<Answer> answers = decisions->takeAnswers();
  ASSERT_EQ(answers.size(), 1u);
  ASSERT_TRUE(answers[0].status) << answers[0].status.message();
  EXPECT_EQ(std::get<int64_t>(answers[0].values[0]), -1); // alone now
}

TEST(Decisions, SayWhatIsWrongWithAProgram) {
  std::unique_ptr<Decisions> made;
  ProgramSpec spec = askingProgram({{"topology", "moebius"}});
  Status status = Decisions::make(spec, 2, 0, 0, made);
  EXPECT_EQ(status.code(), ErrorCode::User);
  EXPECT_NE(status.message().find("'match'"), std::string::npos);
  spec = askingProgram();
  spec.policies[Quota].placement = policy::Placement::Central;
  status = Decisions::make(spec, 2, 0, 0, made);
  EXPECT_NE(status.message().find("declare it local"), std::string::npos);
  EXPECT_FALSE(Decisions::make(askingProgram(), 0, 0, 0, made));
  EXPECT_FALSE(made);
}

} // namespace
