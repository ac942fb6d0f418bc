// The simulator's log is the interpreter's, letter for letter.
//
// golden/*.jsonl were written by rubato-interp from the programs that
// `rubato-opt --choose-algorithm` makes of
// test/Interp/golden/Inputs/quadratic64.mlir, with lr=0.1 and
//   --ranks 4 --seed 7 --rounds 6 --samples 37 --data id --cell w=0
//   --cell budget=1000 --shuffle --cost golden/jitter.cost --model
// and those named "ties" with the numbers that stand below and
// golden/ties.cost, where much happens at the same time. Options: a2cid2 has
// topology=ring, adaptive-sgd mega-batch=16,max-batch=4,min-batch=2,
// bounded-staleness steps=3,data=leased,by-staleness=true, and with ties
// steps=2.
#include "programs.h"
#include "sim/cost_table.h"
#include "support.h"

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

/// The first line that differs, for messages.
void compare(const std::string &found, const std::string &expected) {
  std::istringstream ours(found), theirs(expected);
  std::string a, b;
  for (int line = 1;; ++line) {
    bool hasA = static_cast<bool>(std::getline(ours, a));
    bool hasB = static_cast<bool>(std::getline(theirs, b));
    if (!hasA && !hasB)
      return;
    ASSERT_EQ(hasA ? a : "(the end)", hasB ? b : "(the end)")
        << "line " << line;
  }
}

struct Case {
  const char *name;
  Program (*program)();
  const char *costs = "jitter.cost";
  int members = 4;
  uint64_t seed = 7;
  int64_t rounds = 6, samples = 37, quanta = 1;
  bool shuffle = true;
};

class Interpreter : public testing::TestWithParam<Case> {};

TEST_P(Interpreter, WritesTheSameLog) {
  const Case &given = GetParam();
  CostTable costs(given.seed);
  ASSERT_OK(costs.read(golden(given.costs), given.costs));
  SimRun run;
  run.program = given.program();
  SimSetup setup{.spec = run.program.spec};
  setup.members = given.members;
  setup.seed = given.seed;
  setup.costs = &costs;
  setup.samples = given.samples;
  setup.quanta = given.quanta;
  setup.shuffle = given.shuffle;
  setup.rounds = given.rounds;
  ASSERT_OK(run.start(setup));
  ASSERT_OK(run.run());
  compare(run.log, golden(given.name + std::string(".jsonl")));
  ASSERT_OK(run.env->stream().check());
}

/// Twice the same run is the same run, and the log has all of it.
TEST_P(Interpreter, IsRepeated) {
  const Case &given = GetParam();
  std::string logs[3];
  for (uint64_t i = 0; i != 3; ++i) {
    CostTable costs(i / 2);
    ASSERT_OK(costs.read("jitter = 0.5\n", "test"));
    SimRun run;
    run.program = given.program();
    SimSetup setup{.spec = run.program.spec};
    setup.members = 5;
    setup.seed = i / 2;
    setup.costs = &costs;
    setup.samples = 64;
    setup.shuffle = true;
    setup.rounds = 10;
    ASSERT_OK(run.start(setup));
    ASSERT_OK(run.run());
    logs[i] = run.log;
  }
  EXPECT_EQ(logs[0], logs[1]);
  EXPECT_NE(logs[0], logs[2]);
}

StalenessProgram keyed() {
  StalenessProgram options;
  options.steps = 2;
  options.leased = options.byStaleness = false;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Interpreter,
    testing::Values(
        Case{"allreduce", allReduce}, Case{"abs-sgd", absSgd},
        Case{"dynamic-sgd", dynamicSgd}, Case{"lb-bsp", lbBsp},
        Case{"adaptive-sgd", adaptiveSgd}, Case{"a2cid2", a2cid2},
        Case{"bounded-staleness", [] { return boundedStaleness(); }},
        Case{"dynamic-sgd-ties", dynamicSgd, "ties.cost", 3, 2, 3, 23, 3,
             false},
        Case{"abs-sgd-ties", absSgd, "ties.cost", 3, 2, 4, 23, 1, false},
        Case{"a2cid2-ties", a2cid2, "ties.cost", 5, 2, 3, 23, 1, false},
        Case{"bounded-staleness-ties", [] { return boundedStaleness(keyed()); },
             "ties.cost", 6, 2, 3, 23, 1, false}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::erase(name, '-');
      return name;
    });

} // namespace
