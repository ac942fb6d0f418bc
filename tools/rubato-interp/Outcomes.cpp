// The outcomes of a question to a policy that draws.
//
// A draw is a function of (seed, policy, member, call), so the same question
// under many seeds gives a sample of its outcomes.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// Of so many draws the most frequent outcomes count. Of a Poisson of mean one
/// these are 0, 1 and 2.
static constexpr uint64_t kDraws = 48;
static constexpr size_t kOutcomes = 3;

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
  std::string_view entry = op.getEntry().getLeafReference().getValue();
  policy::StateWriter question = before;
  question.i64s({{int64_t(index), choice.rank, member.calls[index]}});
  for (const policy::Value &value :
       questionOf(world, choice.rank, choice.strand))
    write(question, value);
  std::vector<uint64_t> &seeds =
      outcomesOf[question.bytes() + std::string(entry)];
  if (!seeds.empty())
    return seeds;

  drawers.resize(program.policies.size());
  // By what it comes to: how often, and the first seed.
  std::map<std::string, std::pair<int64_t, uint64_t>> seen;
  for (uint64_t seed = 1; seed <= kDraws; ++seed) {
    drawSeed = seed;
    if (drawers[index].size() < seed)
      drawers[index].push_back(make(index));
    policy::Policy &policy = *drawers[index][seed - 1];
    policy::StateReader state(before.bytes());
    std::vector<policy::Value> outputs(op.getNumResults());
    bool answered =
        bool(policy.load(state)) &&
        bool(policy.ask(entry, {choice.rank, member.calls[index]},
                        questionOf(world, choice.rank, choice.strand),
                        outputs));
    policy::StateWriter after;
    policy.save(after);
    if (answered)
      for (const policy::Value &value : outputs)
        write(after, value);
    auto [it, isNew] = seen.try_emplace(after.bytes(), 0, seed);
    ++it->second.first;
  }
  drawSeed = 0;
  std::vector<std::pair<int64_t, uint64_t>> ranked;
  for (auto &[bytes, each] : seen)
    ranked.push_back({-each.first, each.second});
  llvm::sort(ranked);
  for (auto [count, seed] : ArrayRef(ranked).take_front(kOutcomes))
    seeds.push_back(seed);
  return seeds;
}

} // namespace rubato::interp
