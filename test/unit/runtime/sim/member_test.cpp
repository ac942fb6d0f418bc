// Compiled members in a simulation: their parts run where the role has them.
#include "sim/cost_table.h"
#include "sim/simulation.h"
#include "support.h"

#include <variant>

using namespace rubato;
using namespace rubato::sim;

namespace {

/// Says what it is asked to run.
class SayingMember : public Member {
public:
  SayingMember(const RoleSpec &spec, int number, std::string &trace)
      : spec(spec), number(number), trace(trace) {}

  void join(Environment &given) { environment = &given; }
  bool set(const std::string &, std::variant<int64_t, double>) override {
    return false;
  }
  const RoleSpec &role() const override { return spec; }
  int rank() const override { return number; }
  Status init() override { return say("init"); }
  Status strand(int index) override {
    RB_TRY(say("strand"));
    return environment->next({number, index, 0}, false);
  }
  Status round(int, bool &) override { return say("round"); }
  Status drain() override { return say("drain"); }
  Status model() override { return say("model"); }
  Status evaluate(const Dataset &, std::span<const int64_t>, Score &) override {
    return say("evaluate");
  }
  Status gradient(const Dataset &, std::span<const int64_t>, Gradient &,
                  bool) override {
    return say("gradient");
  }
  Status contents(Place, int64_t, const void *&) override { return {}; }
  void *hostAddress(Place) override { return nullptr; }
  int64_t rounds(int) const override { return 0; }

private:
  Status say(const char *what) {
    trace += what + std::to_string(number) + " ";
    return Status::ok();
  }

  const RoleSpec &spec;
  int number;
  std::string &trace;
  Environment *environment = nullptr;
};

TEST(Members, RunThePartsOfTheirRole) {
  ProgramSpec spec;
  RoleSpec whole, bare;
  whole.name = "whole";
  whole.count = 1;
  whole.init = 0;
  whole.drain = 2;
  whole.model = 3;
  whole.strands = {{"a", 1, false, false}, {"b", 1, false, false}};
  bare.name = "bare";
  bare.strands = {{"main", 4, false, false}};
  spec.roles = {whole, bare};

  CostTable costs;
  std::string log, trace;
  SimSetup setup{.spec = spec};
  setup.members = 2;
  setup.costs = &costs;
  setup.log = [&](std::string_view line) { log += line; };
  std::unique_ptr<SimEnvironment> environment;
  ASSERT_OK(SimEnvironment::make(setup, environment));
  SayingMember members[] = {{spec.roles[0], 0, trace},
                            {spec.roles[1], 1, trace}};
  std::vector<MemberFunctions> functions;
  for (SayingMember &member : members) {
    member.join(*environment);
    functions.push_back(functionsOf(member));
  }
  Simulation simulation(*environment, std::move(functions));
  ASSERT_OK(simulation.run());
  ASSERT_OK(simulation.runModels());
  EXPECT_EQ(trace, "init0 strand0 strand0 strand1 drain0 model0 ");
  // Only who drains says so.
  EXPECT_EQ(test::eventsOf(log, "drained").size(), 1u);
}

} // namespace
