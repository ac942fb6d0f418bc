// What surrounds a strand: the other members, its siblings, the data, the
// deciders and the clock.
//
// The compiled program knows nothing else of the world. A real run, a
// simulation and a replay are three environments for the same compiled
// rounds; logs and recorders are environments that stand in front of another.
// The semantics are those of gsync, as the interpreter executes them
// (docs/interpreter.md).
//
// Every call but `work`, `computed` and `unlock` is visible: it may wait, and a
// simulation hands over to another strand only there. A failed Status ends the
// round; one for which isAgain() holds has the round run again from its
// boundary.
#pragma once

#include "policy/policy.h"
#include "program/part.h"
#include "support/status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rubato {

/// Who calls: strand `strand` of member `rank` in its round `round`. Init,
/// drain and model have the number after the last strand, and the rounds -1,
/// -2 and -3.
struct Caller {
  int rank = 0, strand = 0;
  int64_t round = 0;
};
inline constexpr int64_t initRound = -1, drainRound = -2, modelRound = -3;

/// A future of a program; 0 is one of zeros that is done.
using FutureHandle = int64_t;

struct CollectiveStart {
  rb_start_kind kind = RB_START_ALL_REDUCE;
  int channel = 0;
  int64_t root = 0; // of a broadcast
  Parts ins;
  /// Where the caller will have the results, if it awaits them at once: until
  /// then its operands stay as they are.
  Parts outs = {};
};

struct ExchangeStart {
  int channel = 0;
  int64_t peer = 0, tag = 0;
  Parts ins;
};

struct BatchRequest {
  rb_batch_source source = RB_BATCH_CURSOR;
  int channel = -1; // of a queue: whose next reduction acknowledges it
  std::span<const int64_t> keys;
};

class Environment {
public:
  virtual ~Environment() = default;

  /// Whether it keeps the memory of operands and brings results by their
  /// blocks (Part::block). Then one strand runs at a time, and hands over in
  /// visible calls only.
  virtual bool sharesValues() const { return false; }

  // Facts.
  virtual int64_t members(const Caller &who) = 0; // of the caller's round
  virtual int64_t rank(const Caller &who) = 0;    // among those members
  virtual double now(const Caller &who) = 0;      // seconds of training
  virtual int64_t stopRequested(const Caller &who) = 0;
  virtual int64_t quanta(const Caller &who) = 0;
  virtual int64_t roundSamples(const Caller &who) = 0;
  virtual int64_t dataSamples(const Caller &who) = 0; // of the whole data set

  /// `name` ("gradient", "step", …) is about to be computed, or has been.
  virtual Status work(const Caller &who, const char *name, bool begin) = 0;
  /// A gradient of so many samples, with the sum of their losses, was computed.
  virtual void computed(const Caller &who, int64_t samples, double loss) = 0;

  // Strands of one member.
  virtual Status lock(const Caller &who, int lock, const char *cells) = 0;
  virtual Status unlock(const Caller &who, int lock) = 0;
  virtual Status meet(const Caller &who, int rendezvous, bool &met) = 0;

  // Futures.
  virtual Status start(const Caller &who, const CollectiveStart &call,
                       FutureHandle &future) = 0;
  virtual Status exchange(const Caller &who, const ExchangeStart &call,
                          FutureHandle &future) = 0;
  virtual Status pull(const Caller &who, int channel, int64_t after,
                      FutureHandle &future) = 0;
  virtual bool done(const Caller &who, FutureHandle future) = 0;
  virtual Status await(const Caller &who, FutureHandle future, Parts outs) = 0;
  virtual void repeated(const Caller &who, int64_t count) = 0;

  // The mailbox. `to` and `collected` are sets of workers as bits.
  virtual Status push(const Caller &who, int channel, int64_t ticket,
                      Parts ins) = 0;
  virtual Status collect(const Caller &who, int channel, int64_t first,
                         bool byStaleness, Parts outs, int64_t &collected) = 0;
  virtual Status grant(const Caller &who, int channel, bool toAll, int64_t to,
                       int64_t staleAfter, Parts ins) = 0;
  virtual Status close(const Caller &who, int channel) = 0;
  virtual int64_t workers(const Caller &who, int channel) = 0;

  // Decisions.
  virtual Status ask(const Caller &who, int policy, int entry,
                     std::span<const policy::Value> inputs,
                     std::span<policy::Value> answers) = 0;
  virtual Status commit(const Caller &who, int64_t seen, int64_t expected,
                        bool &ok) = 0;

  /// Which samples the next micro-batch has: fills `rows`, of the size of a
  /// quantum, and says how many there are.
  virtual Status nextBatch(const Caller &who, const BatchRequest &request,
                           std::span<int64_t> rows, int64_t &count) = 0;

  /// The boundary: the round of a strand is over; `go` says whether there is
  /// another. Here, and nowhere else, a strand may be held up.
  virtual Status next(const Caller &who, bool go) = 0;
};

/// "Run the round again": a peer of an exchange is gone, others go on.
inline Status again(std::string why) {
  return {ErrorCode::Again, std::move(why)};
}
inline bool isAgain(const Status &status) {
  return status.code() == ErrorCode::Again;
}

} // namespace rubato
