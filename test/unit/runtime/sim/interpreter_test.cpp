// The simulator's log is the interpreter's, letter for letter.
//
// golden/*.jsonl were written by rubato-interp from the programs that
// `rubato-opt --choose-algorithm` makes of
// test/Interp/golden/Inputs/quadratic64.mlir, with lr=0.1 and
//   --ranks 4 --seed 7 --rounds 6 --samples 37 --data id --cell w=0
//   --cell budget=1000 --shuffle --cost golden/jitter.cost
#include "programs.h"
#include "sim/cost_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

std::string contents(const std::string &name) {
  std::ifstream file(std::string(RUBATO_SIM_GOLDEN) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

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
};

class Interpreter : public testing::TestWithParam<Case> {};

TEST_P(Interpreter, WritesTheSameLog) {
  CostTable costs(7);
  ASSERT_TRUE(costs.read(contents("jitter.cost"), "jitter.cost"));
  SimRun run;
  run.program = GetParam().program();
  SimSetup setup{.spec = run.program.spec};
  setup.members = 4;
  setup.seed = 7;
  setup.costs = &costs;
  setup.samples = 37;
  setup.shuffle = true;
  setup.rounds = 6;
  Status status = run.start(setup);
  ASSERT_TRUE(status) << status.message();
  status = run.run();
  EXPECT_TRUE(status) << status.message();
  compare(run.log, contents(GetParam().name + std::string(".jsonl")));
  status = run.env->stream().check();
  EXPECT_TRUE(status) << status.message();
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Interpreter,
    testing::Values(Case{"allreduce", allReduce}, Case{"abs-sgd", absSgd},
                    Case{"dynamic-sgd", dynamicSgd}, Case{"lb-bsp", lbBsp},
                    Case{"adaptive-sgd", adaptiveSgd}, Case{"a2cid2", a2cid2},
                    Case{"bounded-staleness",
                         [] { return boundedStaleness(); }}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::erase(name, '-');
      return name;
    });

} // namespace
