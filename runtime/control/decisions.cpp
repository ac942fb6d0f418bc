// Questions and votes: noted, asked again after each event, answered.
#include "control/decisions.h"

#include "policy/ask.h"

#include <algorithm>
#include <utility>

namespace rubato {

static const char *nameOf(policy::Placement placement) {
  switch (placement) {
  case policy::Placement::Replicated:
    return "replicated";
  case policy::Placement::Local:
    return "local";
  case policy::Placement::Central:
    break;
  }
  return "central";
}

static std::string nameOf(const Caller &who) {
  return "rank " + std::to_string(who.rank) + ", strand " +
         std::to_string(who.strand) + ", round " + std::to_string(who.round);
}

static Status bug(std::string message) {
  return {ErrorCode::Internal, std::move(message)};
}

Status Decisions::make(const ProgramSpec &spec, int members, uint64_t seed,
                       int64_t datasetSize,
                       std::unique_ptr<Decisions> &decisions) {
  if (members < 1)
    return bug("decisions for " + std::to_string(members) +
               " members; there must be one at least");
  std::unique_ptr<Decisions> made(new Decisions());
  made->live.assign(static_cast<size_t>(members), true);
  made->ballots.assign(static_cast<size_t>(members), 0);
  for (const PolicySpec &policy : spec.policies)
    RB_TRY(made->makePolicy(spec, policy, {{}, seed, datasetSize}));
  decisions = std::move(made);
  return Status::ok();
}

Status Decisions::makePolicy(const ProgramSpec &spec, const PolicySpec &policy,
                             const policy::World &world) {
  Decider decider{policy, nullptr, {}, {}};
  if (policy.placement == policy::Placement::Central) {
    policy::World theirs = world;
    theirs.members = spec.askersOf(policy, members());
    // Asked from helper functions only: everybody may.
    for (int rank = 0; policy.askers.empty() && rank != members(); ++rank)
      theirs.members.push_back(rank);
    RB_TRY(
        policy::makePolicy(policy.kind, policy.settings, theirs, decider.policy)
            .annotate("policy '" + policy.name + "'"));
    if (policy::Placement placed = decider.policy->placement();
        placed != policy::Placement::Central)
      return Status::user("policy '" + policy.name +
                          "' is declared central, but those of kind '" +
                          policy.kind + "' are " + nameOf(placed) +
                          "; declare it " + nameOf(placed));
    decider.askers = theirs.members;
    decider.calls.assign(live.size(), 0);
  }
  deciders.push_back(std::move(decider));
  return Status::ok();
}

bool Decisions::isLive(int rank) const {
  return rank >= 0 && rank < members() && live[static_cast<size_t>(rank)];
}

size_t Decisions::waiting() const {
  size_t count = questions.size();
  for (const auto &[number, vote] : votes)
    count += static_cast<size_t>(
        std::count_if(vote.begin(), vote.end(),
                      [](const auto &each) { return each.second.id != 0; }));
  return count;
}

/// Whether somebody may ask or vote now.
Status Decisions::check(const Caller &who) const {
  if (who.rank < 0 || who.rank >= members())
    return bug(nameOf(who) + " asks in a group of " +
               std::to_string(members()) + " members");
  if (!isLive(who.rank))
    return {ErrorCode::Communication,
            "rank " + std::to_string(who.rank) +
                " has left and gets no answers any more"};
  bool busy = questions.count({who.rank, who.strand});
  for (const auto &[number, vote] : votes)
    if (auto mine = vote.find(who.rank); mine != vote.end())
      busy |= mine->second.id != 0 && mine->second.who.strand == who.strand;
  if (busy)
    return bug(nameOf(who) + " asks while it waits for another answer");
  return Status::ok();
}

Status Decisions::check(const Caller &who, int policy, int entry) const {
  RB_TRY(check(who));
  if (policy < 0 || policy >= static_cast<int>(deciders.size()))
    return bug(nameOf(who) + " asks policy number " + std::to_string(policy) +
               ", but the program has " + std::to_string(deciders.size()));
  const Decider &decider = deciders[static_cast<size_t>(policy)];
  if (!decider.policy)
    return bug(nameOf(who) + " asks policy '" + decider.spec.name +
               "' centrally, but it is " + nameOf(decider.spec.placement));
  if (entry < 0 || entry >= static_cast<int>(decider.spec.entries.size()))
    return bug(nameOf(who) + " asks entry number " + std::to_string(entry) +
               " of policy '" + decider.spec.name + "', but it has " +
               std::to_string(decider.spec.entries.size()));
  return Status::ok();
}

void Decisions::answer(QuestionId id, const Caller &who, Status status,
                       std::vector<policy::Value> values) {
  ready.push_back({id, who, std::move(status), std::move(values)});
}

QuestionId Decisions::submit(const Caller &who, int policy, int entry,
                             std::span<const policy::Value> inputs) {
  QuestionId id = ++last;
  if (Status status = check(who, policy, entry); !status) {
    answer(id, who, std::move(status));
    return id;
  }
  auto index = static_cast<size_t>(policy);
  int64_t call = deciders[index].calls[static_cast<size_t>(who.rank)]++;
  Question question{id,    who,
                    index, static_cast<size_t>(entry),
                    call,  {inputs.begin(), inputs.end()}};
  if (!tryAsk(question))
    questions.emplace(Place{who.rank, who.strand}, std::move(question));
  settle(index);
  return id;
}

/// Asks, and answers unless the policy has no answer yet.
bool Decisions::tryAsk(const Question &question) {
  Decider &decider = deciders[question.policy];
  const policy::Entry &entry = decider.spec.entries[question.entry];
  std::vector<policy::Value> outputs(entry.outputs.size());
  Status status = decider.policy->ask(
      entry.name, {question.who.rank, question.call}, question.inputs, outputs);
  if (policy::isPending(status))
    return false;
  // Value's alternatives come in the order of ValueType.
  for (size_t i = 0; status && i != outputs.size(); ++i)
    if (outputs[i].index() != static_cast<size_t>(entry.outputs[i]))
      status = bug("the policy answers with other types than entry '" +
                   entry.name + "' declares");
  if (!status)
    outputs.clear();
  answer(question.id, question.who,
         std::move(status).annotate(nameOf(question.who) + " asks policy '" +
                                    decider.spec.name + "'"),
         std::move(outputs));
  return true;
}

/// Everybody who waits for a policy asks again, until no answer comes.
void Decisions::settle(size_t policy) {
  for (bool again = true; again;) {
    again = false;
    for (auto it = questions.begin(); it != questions.end();) {
      bool answered = it->second.policy == policy && tryAsk(it->second);
      it = answered ? questions.erase(it) : std::next(it);
      again |= answered;
    }
  }
}

QuestionId Decisions::vote(const Caller &who, int64_t seen, int64_t expected) {
  QuestionId id = ++last;
  if (Status status = check(who); !status) {
    answer(id, who, std::move(status));
    return id;
  }
  int64_t number = ballots[static_cast<size_t>(who.rank)]++;
  votes[number][who.rank] = {id, who, seen, expected};
  settleVotes();
  return id;
}

void Decisions::settleVotes() {
  for (auto it = votes.begin(); it != votes.end();) {
    const Vote &vote = it->second;
    bool complete = true, ok = true;
    for (int rank = 0; rank != members(); ++rank)
      complete &= !isLive(rank) || vote.count(rank);
    if (!complete) {
      ++it;
      continue;
    }
    for (const auto &[rank, ballot] : vote)
      ok &= ballot.seen == ballot.expected;
    for (const auto &[rank, ballot] : vote)
      if (ballot.id != 0)
        answer(ballot.id, ballot.who, Status::ok(), {ok});
    it = votes.erase(it);
  }
}

void Decisions::withdraw(QuestionId id) {
  std::erase_if(questions, [&](auto &each) { return each.second.id == id; });
  for (auto &[number, vote] : votes)
    for (auto &[rank, ballot] : vote)
      if (ballot.id == id)
        ballot.id = 0;
  std::erase_if(ready, [&](const Answer &each) { return each.id == id; });
}

void Decisions::contributed(int rank) {
  for (Decider &decider : deciders)
    if (decider.policy && isLive(rank))
      decider.policy->contributed(rank);
}

void Decisions::leave(int rank) {
  if (!isLive(rank))
    return;
  live[static_cast<size_t>(rank)] = false;
  auto fail = [&](QuestionId id, const Caller &who) {
    answer(id, who,
           {ErrorCode::Communication,
            nameOf(who) + " waits for an answer, but the member has left"});
  };
  for (auto it = questions.begin(); it != questions.end();) {
    bool theirs = it->second.who.rank == rank;
    if (theirs)
      fail(it->second.id, it->second.who);
    it = theirs ? questions.erase(it) : std::next(it);
  }
  for (auto &[number, vote] : votes)
    if (auto mine = vote.find(rank); mine != vote.end() && mine->second.id)
      fail(std::exchange(mine->second.id, 0), mine->second.who);
  settleVotes();
  for (size_t i = 0; i != deciders.size(); ++i) {
    Decider &decider = deciders[i];
    // A policy knows its askers only.
    if (!decider.policy ||
        std::find(decider.askers.begin(), decider.askers.end(), rank) ==
            decider.askers.end())
      continue;
    Status status = decider.policy->leave(rank);
    for (auto it = questions.begin(); !status && it != questions.end();) {
      bool waits = it->second.policy == i;
      if (waits)
        answer(it->second.id, it->second.who, status);
      it = waits ? questions.erase(it) : std::next(it);
    }
    settle(i);
  }
}

std::vector<Answer> Decisions::takeAnswers() {
  return std::exchange(ready, {});
}

} // namespace rubato
