// The state of a run: everything that a step can read or change.
//
// A world is a value. Its parts are shared between copies until one of them
// changes a part, so a search can keep many worlds. Times are not part of what
// a world *is*: they say when a timed schedule does what, and are left out of
// its fingerprint.
#ifndef RUBATO_TOOLS_INTERP_WORLD_H
#define RUBATO_TOOLS_INTERP_WORLD_H

#include "policy/staleness_ledger.h"
#include "tools/rubato-interp/Program.h"
#include "tools/rubato-interp/Value.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace rubato::interp {

/// A part that copies share until one changes it.
template <typename T> class Cow {
public:
  Cow() : shared(std::make_shared<T>()) {}
  Cow(T value) : shared(std::make_shared<T>(std::move(value))) {}
  const T &operator*() const { return *shared; }
  const T *operator->() const { return shared.get(); }
  T &edit() {
    if (shared.use_count() != 1)
      shared = std::make_shared<T>(*shared);
    return *shared;
  }

private:
  std::shared_ptr<T> shared;
};

using Values = std::vector<Value>;

//===----------------------------------------------------------------------===//
// Futures and strands
//===----------------------------------------------------------------------===//

struct Future {
  enum class Kind : uint8_t { Ready, Collective, Exchange, Pull };
  enum class State : uint8_t { Pending, Complete, Failed };
  Kind kind = Kind::Ready;
  State state = State::Pending;
  unsigned channel = 0;
  /// Sequence number of a collective, tag of an exchange, ticket of a pull.
  int64_t number = 0;
  int64_t peer = -1;
  Values values;
  /// When the completion arrives.
  int64_t doneAt = 0;
  /// A poll saw it done, so every later poll does.
  bool seen = false;
  /// Awaited in the present round; gone at its boundary.
  bool consumed = false;
  int strand = 0;
  int64_t round = 0;
  mlir::Operation *op = nullptr;
};

/// A block that is being executed.
struct Frame {
  mlir::Block *block = nullptr;
  /// The next operation; null: a repeat that decides about its next body.
  mlir::Operation *next = nullptr;
  /// Where the values of the enclosing isolated region begin.
  unsigned base = 0;
  /// Of loops: bodies that ran, and how many may run.
  int64_t count = 0, allowed = 0;
};

/// What a strand has begun and waits for, besides futures and uploads.
enum class Wait : uint8_t { None, Ask, Meet, Commit, Close };

struct Strand {
  enum class Status : uint8_t { Idle, Running, Ended, Failed };
  Status status = Status::Idle;
  std::vector<Frame> frames;
  Values slots;
  /// The values of the boundary: where a failed round begins again.
  Values carried;
  int64_t round = 0;
  /// Visible steps since the boundary, and failed attempts at this round.
  int64_t steps = 0, attempts = 0;
  /// Micro-batches taken by cursor since the boundary.
  int64_t taken = 0;
  /// Explorations: the last round in which it was doubted that there is an end.
  int64_t doubted = 0;
  Wait wait = Wait::None;
  /// The number of a question, to ask it again.
  int64_t call = 0;
  std::optional<Values> answer;
  /// Timed schedules: when the next visible step may happen, when the answer
  /// arrives, and how many durations were drawn.
  int64_t readyAt = 0, answerAt = 0;
  uint64_t draws = 0;
};

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

/// A policy that is copied by its saved state when it is about to change.
class PolicyBox {
public:
  PolicyBox() = default;
  PolicyBox(std::shared_ptr<policy::Policy> policy) : shared(policy) {}
  explicit operator bool() const { return shared != nullptr; }
  const policy::Policy &operator*() const { return *shared; }
  /// `make` gives a new one of the same kind and settings; `always`: even
  /// where nobody else shares it.
  policy::Policy &
  edit(llvm::function_ref<std::unique_ptr<policy::Policy>()> make,
       bool always = false);

private:
  std::shared_ptr<policy::Policy> shared;
};

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// Where a member is in its life. Ended: drained, and said goodbye. Absent: not
/// there yet.
enum class Phase : uint8_t {
  Init,
  Strands,
  Drain,
  Ended,
  Model,
  Failed,
  Absent
};

struct Member {
  bool alive = true;
  bool stopRequested = false;
  Phase phase = Phase::Init;
  /// Those of the role, then one for init, drain and model.
  std::vector<Cow<Strand>> strands;
  Cow<Values> cells;
  Cow<std::map<int64_t, Future>> futures;
  /// By channel, group and policy: collectives posted, votes, questions.
  std::vector<int64_t> posted, votes, calls;
  /// Local and replicated policies; empty for central ones.
  std::vector<PolicyBox> policies;
  /// By rendezvous: the strand that waits there, or -1.
  std::vector<int> meeting;
  /// What the model part gave.
  Value model;
};

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// One collective, while somebody has not joined it.
struct Collective {
  int64_t number = 0;
  struct Part {
    mlir::Operation *op = nullptr;
    Values values;
    int64_t root = 0;
    int64_t future = 0;
  };
  std::map<int, Part> parts;
};

struct Posted {
  int rank = 0;
  int64_t peer = 0, tag = 0, future = 0;
  mlir::Operation *op = nullptr;
  Values values;
};

struct Upload {
  int64_t at = 0;
  int worker = 0;
  int64_t ticket = 0;
  Values values;
};

struct Mailbox {
  policy::StalenessLedger ledger{0};
  bool closed = false;
  /// By worker: has left or died.
  std::vector<bool> gone;
  /// By worker: the newest grant, with its ticket and version.
  struct Granted {
    int64_t ticket = -1, version = 0, at = 0;
    Values values;
  };
  std::vector<Granted> granted;
  /// What was granted last, where a death may release a worker.
  Values newest;
  /// On their way, at the server until a collect looks at them, and accepted
  /// by worker.
  std::vector<Upload> flying, held;
  std::map<int, Values> accepted;
  int64_t changedAt = 0;
};

struct ChannelState {
  std::map<int64_t, Collective> collectives;
  std::vector<Posted> exchanges;
  Mailbox mailbox;
};

/// When a link has carried what it was given; times, see above.
struct Link {
  int64_t out = 0, in = 0;
};

/// A vote on a group, while somebody has not voted.
struct Vote {
  struct Ballot {
    int strand = 0;
    int64_t seen = 0, expected = 0;
  };
  std::map<int, Ballot> ballots;
};

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Places in the endless stream of samples: epoch after epoch.
using Places = std::vector<int64_t>;

/// Role, strand, round and block of quanta in the round. Rounds of init, drain
/// and model are negative.
using RoundKey = std::array<int64_t, 4>;

/// Who is there in a round and which samples each of them has by cursor. The
/// first who comes to a round fixes it for all.
struct RoundPlan {
  std::vector<int> members;
  /// By member: what is neither consumed nor given back, and how much of it
  /// had been taken when the member last posted a reduction.
  std::vector<Places> shares;
  std::vector<int64_t> acknowledged;
  int64_t total = 0;
};

/// A batch that was taken and is not accounted for yet.
struct Holding {
  int rank = 0, strand = 0;
  gsync::BatchSource source = gsync::BatchSource::Cursor;
  /// Of queues: the channel that acknowledges it, the ticket that it is for.
  int channel = -1;
  int64_t ticket = -1, round = 0;
  bool acknowledged = false;
  Places places;
};

struct Data {
  int64_t fresh = 0;
  /// Given back, ascending.
  Places returned;
  std::map<RoundKey, RoundPlan> rounds;
  std::vector<Holding> holdings;
  /// By place: how often it was consumed.
  std::vector<uint8_t> consumed;
};

//===----------------------------------------------------------------------===//
// The world
//===----------------------------------------------------------------------===//

/// What happened, for reports; not part of a world's fingerprint.
struct Statistics {
  std::vector<int64_t> averagings, collectives, deaths, rerun;
  std::map<int64_t, int64_t> staleness, repeats;
  int64_t dropped = 0;
  /// By kind: what the log has, of all members.
  std::map<llvm::StringRef, int64_t> events;
};

struct World {
  std::vector<Cow<Member>> members;
  std::vector<Cow<ChannelState>> channels;
  /// By rank, and by number of the uplink.
  Cow<std::vector<Link>> links, uplinks;
  std::vector<PolicyBox> policies;
  /// By group and number.
  Cow<std::map<std::pair<unsigned, int64_t>, Vote>> votes;
  Cow<Data> data;
  Cow<Statistics> statistics;
  int64_t now = 0;
  int64_t steps = 0;

  /// The same for two worlds that will behave alike; different, but for a
  /// chance of 2^-128, for others.
  /// Where `abstract` says that nobody looks at which samples a batch holds,
  /// how many there are is all that matters.
  std::pair<uint64_t, uint64_t> fingerprint(const Program &program,
                                            bool abstract = false) const;
  uint64_t hash(const Program &program) const {
    return fingerprint(program).first;
  }
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_WORLD_H
