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

#include "program/environment.h"
#include "program/replaying_mailbox.h"
#include "program/replaying_strands.h"
#include "program/run_events.h"
#include "program/run_log.h"
#include "program/spec.h"
#include "program/statistics.h"

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

  int64_t members(const Caller &who) override;
  int64_t rank(const Caller &who) override;
  double now(const Caller &who) override;
  int64_t stopRequested(const Caller &who) override;
  int64_t quanta(const Caller &who) override;
  int64_t roundSamples(const Caller &who) override;
  int64_t dataSamples(const Caller &who) override;
  Status work(const Caller &who, const char *name, bool begin) override;
  void computed(const Caller &who, int64_t samples, double loss) override;
  Status lock(const Caller &who, int lock, const char *cells) override;
  Status unlock(const Caller &who, int lock) override;
  Status meet(const Caller &who, int rendezvous, bool &met) override;
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override;
  Status exchange(const Caller &who, const ExchangeStart &call,
                  FutureHandle &future) override;
  Status pull(const Caller &who, int channel, int64_t after,
              FutureHandle &future) override;
  bool done(const Caller &who, FutureHandle future) override;
  Status await(const Caller &who, FutureHandle future, Parts outs) override;
  void repeated(const Caller &who, int64_t count) override;
  Status push(const Caller &who, int channel, int64_t ticket,
              Parts ins) override;
  Status collect(const Caller &who, int channel, int64_t first,
                 bool byStaleness, Parts outs, int64_t &collected) override;
  Status grant(const Caller &who, int channel, bool toAll, int64_t to,
               int64_t staleAfter, Parts ins) override;
  Status close(const Caller &who, int channel) override;
  int64_t workers(const Caller &who, int channel) override;
  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers) override;
  Status commit(const Caller &who, int64_t seen, int64_t expected,
                bool &ok) override;
  Status nextBatch(const Caller &who, const BatchRequest &request,
                   std::span<int64_t> rows, int64_t &count) override;
  Status next(const Caller &who, bool go) override;

private:
  using List = std::initializer_list<int64_t>;

  struct StrandState {
    std::string_view rest; // of its events
    RunEvent event;        // the present one
    std::vector<int64_t> numbers;
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
    Operation operation = Operation::AllReduce;
    int64_t root = 0;
    std::vector<ReplayedMessage> shares; // by rank; without bytes: not there
    int joined = 0, taken = 0;
    bool summed = false;
    std::vector<char> sum;
  };
  struct Future {
    Operation operation = Operation::AllReduce; // that started it
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
  Status expect(const Caller &who, Operation operation, Numbers asked,
                size_t answers);
  Status expect(const Caller &who, Operation operation, List asked,
                size_t answers) {
    return expect(who, operation, Numbers(asked.begin(), asked.size()),
                  answers);
  }
  int64_t fact(const Caller &who, Operation operation, List asked = {});
  Status checkValues(const Caller &who, Operation operation, Parts outs);
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
