#include "program/member_policies.h"

#include "policy/factory.h"

namespace rubato {

Status MemberPolicies::make(const ProgramSpec &program, int members, int rank,
                            uint64_t seed, int64_t datasetSize,
                            std::unique_ptr<MemberPolicies> &made) {
  auto result = std::make_unique<MemberPolicies>();
  result->program = &program;
  result->rank = rank;
  for (const PolicySpec &spec : program.policies) {
    Asked &asked = result->policies.emplace_back();
    if (spec.placement == policy::Placement::Central)
      continue;
    policy::World world{program.askersOf(spec, members), seed, datasetSize};
    RB_TRY(policy::makePolicy(spec.kind, spec.settings, world, asked.policy)
               .annotate("policy '" + spec.name + "'"));
    if (asked.policy->placement() != spec.placement)
      return {ErrorCode::Internal, "policy '" + spec.name +
                                       "' is not placed where policies of "
                                       "kind '" +
                                       spec.kind +
                                       "' are; this is a bug of the compiler"};
  }
  made = std::move(result);
  return Status::ok();
}

Status MemberPolicies::ask(int policy, int entry,
                           std::span<const policy::Value> inputs,
                           std::span<policy::Value> answers) {
  const PolicySpec &spec = program->policies[static_cast<size_t>(policy)];
  std::lock_guard lock(mutex);
  Asked &asked = policies[static_cast<size_t>(policy)];
  return asked.policy
      ->ask(spec.entries[static_cast<size_t>(entry)].name,
            {rank, asked.calls++}, inputs, answers)
      .annotate("policy '" + spec.name + "'");
}

} // namespace rubato
