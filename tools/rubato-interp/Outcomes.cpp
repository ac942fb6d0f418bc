// The outcomes of a question to a policy that draws.
//
// A draw is a function of (seed, policy, member, call), so the same question
// under many seeds gives a sample of its outcomes; what is likely enough to
// matter is among them.
#include "tools/rubato-interp/Machine.h"

#include <set>

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// With 48 draws an outcome of probability 0.18, such as two events of a
/// Poisson of mean one, is missed once in 14,000 questions.
static constexpr uint64_t kDraws = 48;

static void write(policy::StateWriter &out, const policy::Value &value) {
  if (auto *number = std::get_if<double>(&value))
    out.f64(*number);
  else if (auto *flag = std::get_if<bool>(&value))
    out.i64(*flag);
  else
    out.i64(std::get<int64_t>(value));
}

std::vector<uint64_t> Machine::outcomes(const World &world, Choice choice) {
  auto op =
      dyn_cast_or_null<AskOp>(operationOf(world, choice.rank, choice.strand));
  const Member &member = *world.members[choice.rank];
  if (!op || member.strands[choice.strand]->wait == Wait::Ask)
    return {kDraws};
  unsigned index = program.index(op.getEntry().getRootReference());
  const PolicyBox &box =
      world.policies[index] ? world.policies[index] : member.policies[index];
  policy::StateWriter before;
  (*box).save(before);
  drawers.resize(program.policies.size());
  std::set<std::string> seen;
  std::vector<uint64_t> seeds;
  for (uint64_t seed = 1; seed <= kDraws; ++seed) {
    drawSeed = seed;
    if (drawers[index].size() < seed)
      drawers[index].push_back(make(index));
    policy::Policy &policy = *drawers[index][seed - 1];
    policy::StateReader state(before.bytes());
    std::vector<policy::Value> outputs(op.getNumResults());
    bool answered =
        bool(policy.load(state)) &&
        bool(policy.ask(op.getEntry().getLeafReference().str(),
                        {choice.rank, member.calls[index]},
                        questionOf(world, choice.rank, choice.strand),
                        outputs));
    policy::StateWriter after;
    policy.save(after);
    if (answered)
      for (const policy::Value &value : outputs)
        write(after, value);
    if (seen.insert(after.bytes()).second)
      seeds.push_back(seed);
  }
  drawSeed = 0;
  return seeds;
}

} // namespace rubato::interp
