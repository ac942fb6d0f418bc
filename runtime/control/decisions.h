// What is decided once for all members: central policies and votes.
//
// A state machine without threads, sockets or clock. Whoever has those (a desk
// in one process, the coordinator of several, a simulation) submits questions
// in the order in which they come and hands out the answers. The semantics are
// those of the interpreter: after each event of a policy everybody who waits
// for it asks again, by ascending rank and strand.
#pragma once

#include "environment/environment.h"
#include "policy/factory.h"
#include "unit/spec.h"

#include <map>
#include <memory>

namespace rubato {

/// A question or a ballot, numbered from 1 in the order they were submitted.
using QuestionId = int64_t;

/// The answer to one. Of a vote it is one value, a bool.
struct Answer {
  QuestionId id = 0;
  Caller who;
  Status status;
  std::vector<policy::Value> values;
};

class Decisions {
public:
  /// Makes the central policies of a program for `members` members.
  static Status make(const ProgramSpec &spec, int members, uint64_t seed,
                     int64_t datasetSize,
                     std::unique_ptr<Decisions> &decisions);

  /// Asks. Questions of each member to each policy are numbered from 0 here. A
  /// mistake in the question comes as its answer. A strand waits for one
  /// answer at a time.
  QuestionId submit(const Caller &who, int policy, int entry,
                    std::span<const policy::Value> inputs);
  /// Votes. A vote is complete when every live member has voted, and it is
  /// true when each ballot has seen what it expected; that of a member which
  /// died meanwhile counts. The n-th ballots of all members are one vote.
  QuestionId vote(const Caller &who, int64_t seen, int64_t expected);
  /// Nobody waits for this answer any more. The policy has noted the question,
  /// and a ballot counts.
  void withdraw(QuestionId id);

  /// What this member worked on is in a reduction that counts.
  void contributed(int rank);
  /// Nobody waits for this member any more; what it waits for fails. Saying it
  /// again changes nothing.
  void leave(int rank);

  /// Those that have become available since the last call, in the order in
  /// which they did.
  std::vector<Answer> takeAnswers();

  int members() const { return static_cast<int>(live.size()); }
  bool isLive(int rank) const;
  /// Questions and ballots without an answer.
  size_t waiting() const;

private:
  /// A central policy, with the number of the next question of each member.
  /// Others have no object.
  struct Decider {
    PolicySpec spec;
    std::unique_ptr<policy::Policy> policy;
    std::vector<int64_t> askers, calls;
  };
  struct Question {
    QuestionId id = 0;
    Caller who;
    size_t policy = 0, entry = 0;
    int64_t call = 0;
    std::vector<policy::Value> inputs;
  };
  struct Ballot {
    QuestionId id = 0; // 0: nobody waits for the answer
    Caller who;
    int64_t seen = 0, expected = 0;
  };
  using Vote = std::map<int, Ballot>; // by rank
  using Place = std::pair<int, int>;  // rank and strand

  Decisions() = default;
  Status makePolicy(const ProgramSpec &spec, const PolicySpec &policy,
                    const policy::World &world);
  Status check(const Caller &who) const;
  Status check(const Caller &who, int policy, int entry) const;
  void answer(QuestionId id, const Caller &who, Status status,
              std::vector<policy::Value> values = {});
  bool tryAsk(const Question &question);
  void settle(size_t policy);
  void settleVotes();

  std::vector<bool> live;
  std::vector<Decider> deciders;
  std::map<Place, Question> questions;
  std::vector<int64_t> ballots; // cast so far, by rank
  std::map<int64_t, Vote> votes;
  std::vector<Answer> ready;
  QuestionId last = 0;
};

} // namespace rubato
