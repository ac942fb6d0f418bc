// Writes down what a member is told, in front of its real environment.
//
// Each strand has a stream of its own and writes to no other, so recording
// adds no lock; only the turns at a member's locks are counted by all, under
// the lock itself. A stream is a file beside the log that grows while the run
// goes on: what a member had written stays, however it ends.
#pragma once

#include "environment/forwarding_environment.h"
#include "program/run_events.h"

#include <bit>
#include <memory>
#include <mutex>
#include <set>

namespace rubato {

/// Where strand `strand` of `rank` writes while the log `path` is recorded.
std::string streamPath(const std::string &path, int rank, int strand);

struct RecordingSetup {
  Environment &inner;
  std::string path; // of the log
  int rank = 0;
  int strands = 1; // of the member's role
  int locks = 0;   // of the program
};

class RecordingEnvironment final : public ForwardingEnvironment {
public:
  static Status make(const RecordingSetup &setup,
                     std::unique_ptr<RecordingEnvironment> &made);
  ~RecordingEnvironment() override;

  /// The parameters of the model, after `Member::model`.
  void model(const void *flat, size_t bytes);
  /// Nothing is noted until it is said again: what happens then leaves no trace
  /// in the run. While no strand is under way.
  void mute(bool now) { muted = now; }
  /// Brings everything to the files. After the last strand has ended.
  Status finish();

#define RB_FACT(type, name, tag, method)                                       \
  type method(const Caller &who) override {                                    \
    return noted(who, Call::tag, inner.method(who));                           \
  }
#include "abi/calls.def"
  Status lock(const Caller &who, int lock, const char *cells) override;
  Status meet(const Caller &who, int rendezvous, bool &met) override;
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override;
  Status exchange(const Caller &who, const ExchangeStart &call,
                  FutureHandle &future) override;
  Status pull(const Caller &who, int channel, int64_t after,
              FutureHandle &future) override;
  bool done(const Caller &who, FutureHandle future) override;
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override;
  Status arrive(const Caller &who, FutureHandle future, int64_t bytes,
                double done, Lane *lane) override;
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
  /// Used by the strand's own thread only.
  struct Stream {
    std::string path, pending;
    std::vector<int64_t> numbers; // of one event
    Part arriving;                // a sum of which not all is there
    int file = -1;
    int error = 0; // of the first write that failed
  };

  explicit RecordingEnvironment(const RecordingSetup &setup)
      : ForwardingEnvironment(setup.inner), setup(setup),
        turns(static_cast<size_t>(setup.locks)) {}
  Stream &streamOf(const Caller &who) {
    return streams[static_cast<size_t>(who.strand)];
  }
  using List = std::initializer_list<int64_t>;
  void note(const Caller &who, Call operation, List asked, List answered = {}) {
    noteNumbers(who, operation, {asked.begin(), asked.size()},
                {answered.begin(), answered.size()});
  }
  void noteNumbers(const Caller &who, Call operation, Numbers asked,
                   Numbers answered);
  int64_t noted(const Caller &who, Call operation, int64_t answer) {
    note(who, operation, {}, {answer});
    return answer;
  }
  double noted(const Caller &who, Call operation, double answer) {
    note(who, operation, {}, {std::bit_cast<int64_t>(answer)});
    return answer;
  }
  static void flush(Stream &stream);

  RecordingSetup setup;
  std::vector<Stream> streams; // of the strands, then of the rest
  std::vector<int64_t> turns;  // at each lock, written under it
  bool muted = false;
  std::mutex mutex; // of `pulls`: init starts what a strand awaits
  std::set<FutureHandle> pulls;
};

/// The bits of a policy's number, as events have it.
int64_t bitsOf(const policy::Value &value);

/// The checksum of values that arrived.
Status checksumOf(Parts parts, int64_t &sum);

} // namespace rubato
