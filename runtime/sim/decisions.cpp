#include "sim/decisions.h"

#include "policy/ask.h"

#include <algorithm>
#include <numeric>

namespace rubato::sim {

bool Decisions::isCentral(int policy) const {
  return specOf(policy).placement == policy::Placement::Central;
}

Status Decisions::make(int64_t datasetSize) {
  calls.assign(static_cast<size_t>(stage.members),
               std::vector<int64_t>(stage.spec.policies.size()));
  waiting.resize(stage.spec.policies.size());
  for (const PolicySpec &spec : stage.spec.policies) {
    policy::World world{stage.spec.askersOf(spec, stage.members), stage.seed,
                        datasetSize};
    if (world.members.empty()) { // nobody is named: everybody may
      world.members.resize(static_cast<size_t>(stage.members));
      std::iota(world.members.begin(), world.members.end(), int64_t{0});
    }
    auto &made = policies.emplace_back();
    made.resize(spec.placement == policy::Placement::Central
                    ? 1
                    : static_cast<size_t>(stage.members));
    for (std::unique_ptr<policy::Policy> &each : made) {
      if (Status status =
              policy::makePolicy(spec.kind, spec.settings, world, each);
          !status)
        return std::move(status).annotate("policy @" + spec.name);
      if (each->placement() != spec.placement)
        return Status::user("policy @" + spec.name +
                            " is declared where its kind \"" + spec.kind +
                            "\" is not placed");
    }
  }
  return Status::ok();
}

policy::Policy &Decisions::policyOf(int policy, int rank) {
  auto &made = policies[static_cast<size_t>(policy)];
  return *made[made.size() == 1 ? 0 : static_cast<size_t>(rank)];
}

/// Answers the question, if there is an answer already.
Status Decisions::tryAsk(Question &question) {
  const PolicySpec &spec = specOf(question.policy);
  const Strand &strand = *question.strand;
  Status status =
      policyOf(question.policy, strand.rank)
          .ask(spec.entries[static_cast<size_t>(question.entry)].name,
               {strand.rank, question.call}, question.inputs, question.answers);
  if (policy::isPending(status))
    return Status::ok();
  if (!status) {
    Status error = stage.error(strand, "ask", status.message());
    // A loss that is not finite has an exit code of its own.
    if (status.code() == ErrorCode::Numeric)
      return {ErrorCode::Numeric, error.message()};
    return error;
  }
  question.answered = true;
  question.at = stage.schedule.now();
  if (isCentral(question.policy))
    question.at += stage.costs.ask(strand.rank, question.call);
  return Status::ok();
}

/// Asks for everybody who waits until nobody gets an answer any more.
Status Decisions::settle(int policy) {
  Waiting &all = waiting[static_cast<size_t>(policy)];
  for (bool again = true; again;) {
    again = false;
    for (auto it = all.begin(); it != all.end();) {
      Question &question = *it->second;
      RB_TRY(tryAsk(question));
      if (!question.answered) {
        ++it;
        continue;
      }
      again = true;
      it = all.erase(it);
      // Whoever asks just now goes on by itself.
      stage.schedule.wake(*question.strand,
                          std::max(question.strand->readyAt, question.at));
    }
  }
  return Status::ok();
}

Status Decisions::ask(Strand &strand, int policy, int entry,
                      std::span<const policy::Value> inputs,
                      std::span<policy::Value> answers) {
  auto index = static_cast<size_t>(policy);
  Question question{&strand, policy,
                    entry,   calls[static_cast<size_t>(strand.rank)][index]++,
                    inputs,  answers};
  bool central = isCentral(policy);
  // What a dispatcher dealt is acknowledged by the next question.
  if (central)
    samples.acknowledge(strand.rank, -1);
  RB_TRY(tryAsk(question));
  if (central) {
    std::pair<int, int> key{strand.rank, strand.index};
    if (!question.answered)
      waiting[index][key] = &question;
    if (Status status = settle(policy); !status) {
      waiting[index].erase(key);
      return status;
    }
    if (question.answered) {
      RB_TRY(
          stage.schedule.step(strand, std::max(strand.readyAt, question.at)));
    } else if (Status status =
                   stage.wait(strand, "ask",
                              [this, policy, entry, call = question.call] {
                                return "@" + specOf(policy).name +
                                       " has no answer to " +
                                       specOf(policy)
                                           .entries[static_cast<size_t>(entry)]
                                           .name +
                                       ", call " + std::to_string(call);
                              });
               !status) {
      waiting[index].erase(key);
      return status;
    }
  } else if (!question.answered) {
    return stage.error(strand, "ask",
                       "only a central policy may have no answer yet");
  }
  record(question);
  return Status::ok();
}

void Decisions::record(const Question &question) {
  if (!stage.opens(*question.strand, Call::Ask))
    return;
  auto list = [&](const char *key, std::span<const policy::Value> values) {
    stage.log.openList(key);
    for (const policy::Value &value : values)
      if (const auto *number = std::get_if<int64_t>(&value))
        stage.log.item(*number);
      else if (const auto *real = std::get_if<double>(&value))
        stage.log.item(*real);
      else
        stage.log.item(int64_t{std::get<bool>(value)});
    stage.log.closeList();
  };
  const PolicySpec &spec = specOf(question.policy);
  stage.log.text("policy", spec.name);
  stage.log.text("entry",
                 spec.entries[static_cast<size_t>(question.entry)].name);
  stage.log.number("call", question.call);
  list("inputs", question.inputs);
  list("answers", question.answers);
  stage.log.close();
}

void Decisions::contributed(int rank) {
  for (size_t i = 0; i != policies.size(); ++i)
    if (isCentral(static_cast<int>(i)))
      policies[i][0]->contributed(rank);
}

} // namespace rubato::sim
