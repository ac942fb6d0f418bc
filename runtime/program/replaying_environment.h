// The environment of a replay: all members in one process, every answer from
// the log of a run, all mathematics done again.
//
// A strand waits where what it is to be given does not exist yet: for its
// turn at a lock, for values that others have not sent. Nothing else waits:
// that a poll was answered so, or that two strands met, stands in the log.
// Whatever a strand asks is compared with the log, and whatever arrives with
// its checksum; so a replay either is the recorded run or an error that says
// where it left it.
#pragma once

#include "environment/environment.h"
#include "program/replaying_mailbox.h"
#include "program/replaying_strands.h"
#include "program/run_events.h"
#include "program/run_log.h"
#include "program/statistics.h"
#include "unit/spec.h"

#include <map>
#include <memory>
#include <tuple>

namespace rubato {

struct ReplaySetup {
  const ProgramSpec &program;
  int members = 1;
  std::span<const RunStream> streams;     // of every strand of every member
  MemberStatistics *statistics = nullptr; // one of each member; or none
  ReplayingStrands &strands;              // who calls is one of these
};

class ReplayingEnvironment final : public Environment {
public:
  static Status make(const ReplaySetup &setup,
                     std::unique_ptr<ReplayingEnvironment> &made);

  /// Whether the model of a member is the recorded one; after `Member::model`.
  Status checkModel(int rank, const void *flat, size_t bytes);
  /// Whether a member has done all that the log says; its last call.
  Status checkEnd(int rank);
  /// Events that were replayed.
  int64_t events() const { return eventCount; }

#define METHOD(result, name, params, args) result name params override;
#include "environment/environment_methods.def"

private:
  using List = std::initializer_list<int64_t>;

  struct StrandState {
    std::string_view rest; // of its events
    RunEvent event;        // the present one
    std::vector<int64_t> numbers;
    Part arriving;     // a sum of which not all is said to be there
    int64_t round = 0; // of its last event
    Status failure;    // of a call that could not say so; the next one does
  };
  struct LockState {
    int64_t turn = 0; // of whoever is next
    bool held = false;
  };
  struct MemberState {
    std::vector<StrandState> strands; // and one for init, drain and model
    std::vector<LockState> locks;
    std::vector<int64_t> posted; // collectives on each channel
  };
  /// A collective, from the first who joins to the last who has its result.
  struct Collective {
    Call operation = Call::AllReduce;
    int64_t root = 0;
    std::vector<ReplayedMessage> shares; // by rank; without bytes: not there
    int joined = 0, taken = 0;
    bool summed = false;
    std::vector<char> sum;
  };
  struct Future {
    Call operation = Call::AllReduce; // that started it
    int channel = 0;
    int64_t number = 0; // of a collective; tag of an exchange
    int peer = 0;
  };
  using PairKey = std::tuple<int, int, int, int64_t>; // channel, from, to, tag

  explicit ReplayingEnvironment(const ReplaySetup &setup) : setup(setup) {}
  Status makeMembers();
  Status readStreams();

  StrandState &strandOf(const Caller &who) {
    return crew[static_cast<size_t>(who.rank)]
        .strands[static_cast<size_t>(who.strand)];
  }
  std::string place(const Caller &who) const;
  /// An error of the replay itself, at a place.
  Status left(const Caller &who, const std::string &how) const;
  /// The next event, which must be this one with at least so many answers.
  Status expect(const Caller &who, Call operation, Numbers asked,
                size_t answers);
  Status expect(const Caller &who, Call operation, List asked, size_t answers) {
    return expect(who, operation, Numbers(asked.begin(), asked.size()),
                  answers);
  }
  int64_t fact(const Caller &who, Call operation, List asked = {});
  Status checkValues(const Caller &who, Call operation, Parts outs);
  Status awaitCollective(const Caller &who, const Future &future, Parts outs);
  Status awaitExchange(const Caller &who, const Future &future, Parts outs);
  Status awaitPull(const Caller &who, const Future &future, Parts outs);
  FutureHandle add(const Future &future);

  ReplaySetup setup;
  std::vector<MemberState> crew;
  std::map<std::pair<int, int64_t>, Collective> collectives; // channel, number
  std::multimap<PairKey, ReplayedMessage> snapshots;
  std::map<int, ReplayedMailbox> mailboxes; // by channel
  std::map<FutureHandle, Future> futures;
  FutureHandle lastFuture = 0;
  int64_t eventCount = 0;
};

} // namespace rubato
