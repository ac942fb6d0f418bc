// Questions to policies: central ones may have no answer yet, and everybody
// who waits asks again after each event of the policy.
#include "policy/ask.h"
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

policy::Policy &
PolicyBox::edit(function_ref<std::unique_ptr<policy::Policy>()> make,
                bool always) {
  if (always || shared.use_count() != 1) {
    policy::StateWriter out;
    shared->save(out);
    std::shared_ptr<policy::Policy> copy = make();
    policy::StateReader in(out.bytes());
    if (!copy->load(in))
      llvm::report_fatal_error("a policy does not take its own state");
    shared = std::move(copy);
  }
  return *shared;
}

/// Ranks of the roles that ask a policy.
static std::vector<int64_t> askersOf(Program &program, unsigned policy) {
  std::vector<int64_t> askers;
  for (int rank = 0; rank != program.ranks; ++rank) {
    auto walk = program.roleOf(rank).op.walk([&](AskOp ask) {
      return policyOf(ask) == program.policies[policy].op
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      askers.push_back(rank);
  }
  // Asked from helper functions only: everybody may.
  if (askers.empty())
    for (int rank = 0; rank != program.ranks; ++rank)
      askers.push_back(rank);
  return askers;
}

std::unique_ptr<policy::Policy> Machine::make(unsigned index) {
  if (askers.empty())
    for (unsigned i = 0; i != program.policies.size(); ++i)
      askers.push_back(askersOf(program, i));
  policy::World world{askers[index], drawSeed ? drawSeed : config.seed,
                      config.samples};
  std::unique_ptr<policy::Policy> policy;
  PolicyInfo &info = program.policies[index];
  Status status =
      policy::makePolicy(info.op.getKind().str(), info.settings, world, policy);
  if (!status)
    info.op.emitError("cannot make its policy: ") << status.message();
  return policy;
}

static StringRef nameOf(policy::Placement placement) {
  switch (placement) {
  case policy::Placement::Replicated:
    return "replicated";
  case policy::Placement::Local:
    return "local";
  case policy::Placement::Central:
    return "central";
  }
  llvm_unreachable("a policy is placed somewhere");
}

LogicalResult Machine::makePolicies(World &world) {
  world.policies.resize(program.policies.size());
  for (Cow<Member> &member : world.members)
    member.edit().policies.resize(program.policies.size());
  for (unsigned i = 0; i != program.policies.size(); ++i) {
    std::shared_ptr<policy::Policy> policy = make(i);
    if (!policy)
      return failure();
    PolicyOp op = program.policies[i].op;
    StringRef declared = stringifyPlacement(op.getPlacement());
    if (StringRef placed = nameOf(policy->placement()); placed != declared)
      return op.emitError("is declared ")
             << declared << ", but policies of kind \"" << op.getKind()
             << "\" are " << placed << "; declare it " << placed;
    if (op.getPlacement() == Placement::Central)
      world.policies[i] = PolicyBox(policy);
    else
      for (Cow<Member> &member : world.members)
        member.edit().policies[i] = PolicyBox(policy);
  }
  return success();
}

/// Local policies are asked with several numbers in place of one that nobody
/// knows; the others, which all must ask alike, with zero.
static constexpr double kGuesses[] = {0, 1, 0.0625};

std::vector<policy::Value> Machine::questionOf(const World &world, int rank,
                                               int index) const {
  auto op = cast<AskOp>(operationOf(world, rank, index));
  const Strand &strand = *world.members[rank]->strands[index];
  bool guess = policyOf(op).getPlacement() == Placement::Local;
  std::vector<policy::Value> inputs;
  for (mlir::Value operand : op.getInputs()) {
    const Value &value =
        strand.slots[strand.frames.back().base + program.slot(operand)];
    if (value.type().isF64())
      inputs.push_back(value.isKnown() ? value.asFloat()
                       : guess         ? kGuesses[drawSeed % 3]
                                       : 0.0);
    else if (value.type().isInteger(1))
      inputs.push_back(value.isKnown() && value.asInt() != 0);
    else
      inputs.push_back(value.isKnown() ? value.asInt() : 0);
  }
  return inputs;
}

LogicalResult Machine::tryAsk(World &world, int rank, int index,
                              bool &answered) {
  Here here{world, rank, index};
  auto op = cast<AskOp>(operationOf(world, rank, index));
  unsigned policy = program.index(op.getEntry().getRootReference());
  std::vector<policy::Value> inputs = questionOf(world, rank, index);
  std::vector<policy::Value> outputs(op.getNumResults());
  bool central =
      program.policies[policy].op.getPlacement() == Placement::Central;
  PolicyBox &box = central ? world.policies[policy]
                           : world.members[rank].edit().policies[policy];
  Status status = box.edit([&] { return make(policy); }, drawSeed != 0)
                      .ask(op.getEntry().getLeafReference().str(),
                           {rank, here.peek().call}, inputs, outputs);
  answered = bool(status);
  if (policy::isPending(status))
    return success();
  if (!status)
    return error(here, op) << status.message();
  Values values;
  for (auto [type, output] : llvm::zip(op.getResultTypes(), outputs)) {
    bool matches = output.index() == (type.isF64()        ? 1u
                                      : type.isInteger(1) ? 2u
                                                          : 0u);
    if (!matches)
      return error(here, op) << "the policy answers with other types than "
                             << op.getEntry() << " declares";
    if (type.isF64())
      values.push_back(config.abstract
                           ? Value::opaque(type)
                           : Value::real(type, std::get<double>(output)));
    else if (type.isInteger(1))
      values.push_back(give(type, std::get<bool>(output)));
    else
      values.push_back(give(type, std::get<int64_t>(output)));
  }
  return answer(world, rank, index, std::move(values),
                central ? latency("ask", rank, here.peek().call) : 0);
}

LogicalResult Machine::ask(Here &here, AskOp op) {
  unsigned policy = program.index(op.getEntry().getRootReference());
  bool central =
      program.policies[policy].op.getPlacement() == Placement::Central;
  if (here.peek().wait != Wait::Ask) {
    Strand &strand = here.strand();
    strand.call = here.member().calls[policy]++;
    strand.wait = Wait::Ask;
    // What a dispatcher dealt is acknowledged by the next question.
    if (central)
      acknowledge(here.world, here.rank, -1);
    bool answered = false;
    if (failed(tryAsk(here.world, here.rank, here.index, answered)))
      return failure();
    if (central)
      return settleAsks(here.world, policy);
    if (!answered)
      return error(here, op) << "only a central policy may have no answer yet";
  }
  Strand &strand = here.strand();
  Values values = *std::exchange(strand.answer, std::nullopt);
  strand.wait = Wait::None;
  record(here, "ask", [&](llvm::json::OStream &json) {
    json.attribute("policy", op.getEntry().getRootReference().getValue());
    json.attribute("entry", op.getEntry().getLeafReference().getValue());
    json.attribute("call", strand.call);
    json.attributeArray("inputs", [&] {
      for (const Value &value : operands(here, op.getInputs()))
        writeValue(json, value);
    });
    json.attributeArray("answers", [&] {
      for (const Value &value : values)
        writeValue(json, value);
    });
  });
  strand.call = 0;
  finish(here, op, values);
  return success();
}

LogicalResult Machine::settleAsks(World &world, unsigned policy) {
  bool again = true;
  while (again) {
    again = false;
    for (int rank : live(world))
      for (size_t i = 0; i != world.members[rank]->strands.size(); ++i) {
        const Strand &strand = *world.members[rank]->strands[i];
        if (strand.wait != Wait::Ask || strand.answer)
          continue;
        auto op = cast<AskOp>(operationOf(world, rank, i));
        if (program.index(op.getEntry().getRootReference()) != policy)
          continue;
        bool answered = false;
        if (failed(tryAsk(world, rank, i, answered)))
          return failure();
        again |= answered;
      }
  }
  return success();
}

LogicalResult Machine::leavePolicies(World &world, int rank) {
  for (unsigned i = 0; i != world.policies.size(); ++i) {
    if (!world.policies[i])
      continue;
    if (Status status = world.policies[i]
                            .edit([&] { return make(i); }, drawSeed != 0)
                            .leave(rank);
        !status)
      return program.policies[i].op.emitError(status.message());
    if (failed(settleAsks(world, i)))
      return failure();
  }
  return success();
}

} // namespace rubato::interp
