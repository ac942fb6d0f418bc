// What all transports have in common: the list of channels, the checks of
// calls, and the words in which a call fails.
#pragma once

#include "abi/calls.h"
#include "fabric/fabric.h"
#include "fabric/links.h"
#include "fabric/message.h"
#include "support/marks.h"

#include <functional>
#include <optional>

namespace rubato {

/// Nanoseconds of the steady clock: the same for all processes of a machine.
int64_t steadyNow();

/// No wait sleeps longer than this without looking around.
inline constexpr std::chrono::milliseconds longestSleep{50};

/// A call that may fail, for its message. Made on the way of an error only.
struct CallId {
  using Kind = Call;
  Kind kind = Kind::AllReduce;
  int rank = 0, channel = -1;
  int64_t number = 0; // of a collective or barrier; tag of an exchange
  int peer = -1;      // of an exchange; root of a broadcast
};

class FabricBase : public Fabric {
public:
  int members() const override { return memberCount; }
  Status limitRate(const RateLimit &limit) override {
    return links.limit(limit);
  }
  void excuse(std::function<bool()> heldUp) override {
    isHeldUp = std::move(heldUp);
  }

protected:
  using Kind = CallId::Kind;

  FabricBase(int members, std::span<const ChannelSpec> channels)
      : memberCount(members), specs(channels.begin(), channels.end()) {}

  static Status checkSpecs(int members, std::span<const ChannelSpec> channels);

  /// That the channel exists, is of the kind, and the message fits.
  Status checkCall(const CallId &call, int64_t bytes) const;
  Status checkPeer(const CallId &call) const;
  Status checkRoot(const CallId &call) const;
  /// That the caller is, or is not, the mailbox's server.
  Status checkEnd(const CallId &call, bool server) const;

  /// That a pull's results end with the two numbers.
  Status checkPullOuts(const CallId &call, Parts outs) const;
  static void setTicket(Parts outs, int64_t ticket, int64_t go);

  // Workers of a mailbox have indices by ascending rank.
  int workerCount() const { return memberCount - 1; }
  int workerOf(int channel, int rank) const {
    return rank - (rank > specs[channel].server);
  }
  int rankOf(int channel, int worker) const {
    return worker + (worker >= specs[channel].server);
  }

  /// When a member has its share in a collective that all had started then.
  int64_t arrival(const CallId &call, int64_t started, int64_t bytes) {
    return specs[size_t(call.channel)].unlimited
               ? started
               : links.reduce(call.rank, started, bytes);
  }

  /// The same of its parts, which were there for all at the times of `started`,
  /// the last with everything else.
  Marks arrivals(const CallId &call, const Marks &started, int64_t bytes);

  /// How long a wait may sleep at a time; nothing once it is late.
  std::optional<Deadline> nextLook(Deadline deadline,
                                   Deadline::duration longest) const;

  /// "rank 1: all-reduce 17 on channel 'grads'".
  std::string name(const CallId &call) const;
  Status fail(const CallId &call, const std::string &why) const;
  Status gone(const CallId &call, int lost) const;
  Status left(const CallId &call, int rank) const;
  Status late(const CallId &call, const std::vector<int> &ranks) const;
  Status aborted(const CallId &call) const;
  Status disagree(const CallId &mine, const Shape &shape, const CallId &theirs,
                  const Shape &theirShape) const;
  Status otherTypes(const CallId &exchange) const;
  Status wrongOuts(const CallId &call, const Shape &outs,
                   const Shape &message) const;
  /// "Again": an exchange whose peer is gone or has ended.
  Status peerGone(const CallId &exchange, bool lost) const;
  /// What is started is not what was said to be ready.
  Status otherOperand(const CallId &call) const;
  /// More futures of a channel than it has room for.
  Status tooMany(const CallId &call) const;
  static Status unknownFuture(int rank, int64_t future);

  int memberCount;
  std::vector<ChannelSpec> specs;
  Links links; // a transport attaches their words

private:
  std::function<bool()> isHeldUp;
};

} // namespace rubato
