// Checks and messages of all transports.
#include "fabric/fabric_base.h"

#include <algorithm>
#include <cstring>

namespace rubato {

int64_t steadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::optional<Deadline> FabricBase::nextLook(Deadline deadline,
                                             Deadline::duration longest) const {
  auto now = std::chrono::steady_clock::now();
  if (now < deadline)
    return std::min(deadline, now + longest);
  if (isHeldUp && isHeldUp())
    return now + longest;
  return std::nullopt;
}

Marks FabricBase::arrivals(const CallId &call, const Marks &started,
                           int64_t bytes) {
  Marks arrived;
  int64_t before = 0;
  for (const Mark &mark : started) {
    bool last = &mark == &started.back();
    int64_t part = (last ? bytes : mark.bytes) - before;
    arrived.push_back({mark.bytes, arrival(call, mark.time, part)});
    before = mark.bytes;
  }
  return arrived;
}

Status makeRateLimitedFabric(std::unique_ptr<Fabric> inner,
                             const RateLimit &limit,
                             std::unique_ptr<Fabric> &fabric) {
  RB_TRY(inner->limitRate(limit));
  fabric = std::move(inner);
  return Status::ok();
}

Status FabricBase::checkSpecs(int members,
                              std::span<const ChannelSpec> channels) {
  if (members < 1 || members > maxMembers)
    return Status::user("cannot connect " + std::to_string(members) +
                        " members: use 1 to " + std::to_string(maxMembers));
  for (const ChannelSpec &channel : channels) {
    std::string name = "channel '" + channel.name + "' ";
    if (channel.bytes < 0)
      return {ErrorCode::Internal, name + "has messages of negative size"};
    if (channel.inFlight < 1)
      return {ErrorCode::Internal, name + "has room for nothing"};
    if (channel.kind != ChannelSpec::Kind::Mailbox)
      continue;
    if (channel.server < 0 || channel.server >= members)
      return {ErrorCode::Internal, name + "has no server: rank " +
                                       std::to_string(channel.server) + " of " +
                                       std::to_string(members)};
    constexpr int most = 63; // a set of workers is 64 bits with a sign
    if (members - 1 > most)
      return Status::user(name + "can have " + std::to_string(most) +
                          " workers, not " + std::to_string(members - 1));
  }
  return Status::ok();
}

static ChannelSpec::Kind kindFor(CallId::Kind kind) {
  switch (kind) {
  case CallId::Kind::AllReduce:
  case CallId::Kind::Broadcast:
  case CallId::Kind::Barrier:
    return ChannelSpec::Kind::Collective;
  case CallId::Kind::Exchange:
    return ChannelSpec::Kind::Pair;
  default:
    return ChannelSpec::Kind::Mailbox;
  }
}

Status FabricBase::checkCall(const CallId &call, int64_t bytes) const {
  if (call.rank < 0 || call.rank >= memberCount || call.channel < 0 ||
      call.channel >= int(specs.size()))
    return {ErrorCode::Internal,
            "rank " + std::to_string(call.rank) + " uses channel " +
                std::to_string(call.channel) + "; there are " +
                std::to_string(memberCount) + " members and " +
                std::to_string(specs.size()) + " channels"};
  const ChannelSpec &spec = specs[size_t(call.channel)];
  if (spec.kind != kindFor(call.kind))
    return {ErrorCode::Internal,
            name(call) + ": the channel is of another kind"};
  if (bytes > spec.bytes)
    return {ErrorCode::Internal, name(call) + ": a message of " +
                                     std::to_string(bytes) +
                                     " bytes, but the channel was made for " +
                                     std::to_string(spec.bytes)};
  return Status::ok();
}

Status FabricBase::checkPeer(const CallId &call) const {
  if (call.peer >= 0 && call.peer < memberCount && call.peer != call.rank)
    return Status::ok();
  return {ErrorCode::Internal, name(call) + ": the other must be another of " +
                                   std::to_string(memberCount) + " members"};
}

Status FabricBase::checkRoot(const CallId &call) const {
  if (call.peer >= 0 && call.peer < memberCount)
    return Status::ok();
  return {ErrorCode::Internal,
          "rank " + std::to_string(call.rank) + " broadcasts from rank " +
              std::to_string(call.peer) + " of " + std::to_string(memberCount)};
}

Status FabricBase::checkPullOuts(const CallId &call, Parts outs) const {
  if (outs.size() >= 2)
    if (Parts two = outs.last(2); two[0].dtype == RB_I64 && two[0].count == 1 &&
                                  two[1].dtype == RB_I64 && two[1].count == 1)
      return Status::ok();
  return {ErrorCode::Internal,
          name(call) + ": the results must end with a ticket and a go"};
}

void FabricBase::setTicket(Parts outs, int64_t ticket, int64_t go) {
  Parts two = outs.last(2);
  std::memcpy(destination(two[0]), &ticket, sizeof ticket);
  std::memcpy(destination(two[1]), &go, sizeof go);
}

Status FabricBase::checkEnd(const CallId &call, bool server) const {
  if ((specs[size_t(call.channel)].server == call.rank) == server)
    return Status::ok();
  return {ErrorCode::Internal,
          name(call) + ": this is the call of the " +
              (server ? "server" : "workers") + ", and rank " +
              std::to_string(specs[size_t(call.channel)].server) +
              " is the server"};
}

std::string FabricBase::name(const CallId &call) const {
  std::string what = callName(call.kind);
  std::ranges::replace(what, '_', '-');
  std::string text = "rank " + std::to_string(call.rank) + ": " + what;
  if (call.kind == Kind::Exchange)
    text += " with rank " + std::to_string(call.peer) + " under tag " +
            std::to_string(call.number);
  else if (kindFor(call.kind) == ChannelSpec::Kind::Collective)
    text += " " + std::to_string(call.number);
  if (call.kind == Kind::Barrier)
    return text;
  return text + " on channel '" + specs[size_t(call.channel)].name + "'";
}

Status FabricBase::fail(const CallId &call, const std::string &why) const {
  return {ErrorCode::Communication, name(call) + ": " + why};
}

Status FabricBase::gone(const CallId &call, int lost) const {
  return fail(call, "rank " + std::to_string(lost) +
                        " is gone; its own log says why");
}

Status FabricBase::left(const CallId &call, int rank) const {
  return fail(call, "rank " + std::to_string(rank) +
                        " has ended and takes no part any more");
}

Status FabricBase::late(const CallId &call,
                        const std::vector<int> &ranks) const {
  std::string who = ranks.size() > 1 ? "ranks " : "rank ";
  for (size_t i = 0; i < ranks.size(); ++i)
    who += (i ? ", " : "") + std::to_string(ranks[i]);
  return fail(call, who + " did not answer before the deadline; stopped, stuck "
                          "or much slower than the others");
}

Status FabricBase::aborted(const CallId &call) const {
  return fail(call, "the run was ended from outside");
}

Status FabricBase::disagree(const CallId &mine, const Shape &shape,
                            const CallId &theirs,
                            const Shape &theirShape) const {
  auto what = [](const CallId &call, const Shape &shape) {
    std::string text =
        call.kind == Kind::AllReduce ? "an all-reduce of " : "a broadcast of ";
    text += describe(shape);
    if (call.kind == Kind::Broadcast)
      text += " from rank " + std::to_string(call.peer);
    return text;
  };
  return fail(mine, "rank " + std::to_string(mine.rank) + " is in " +
                        what(mine, shape) + ", but rank " +
                        std::to_string(theirs.rank) + " in " +
                        what(theirs, theirShape) +
                        "; all members must use a channel in one order");
}

Status FabricBase::otherTypes(const CallId &exchange) const {
  return fail(exchange, "rank " + std::to_string(exchange.peer) +
                            " exchanges values of other types");
}

Status FabricBase::wrongOuts(const CallId &call, const Shape &outs,
                             const Shape &message) const {
  return {ErrorCode::Internal, name(call) + ": asks for " + describe(outs) +
                                   ", but the answer is " + describe(message)};
}

Status FabricBase::peerGone(const CallId &exchange, bool lost) const {
  Status why =
      lost ? gone(exchange, exchange.peer) : left(exchange, exchange.peer);
  return again(why.message());
}

Status FabricBase::otherOperand(const CallId &call) const {
  return fail(call, "its operand is not the one of which parts were ready; "
                    "this is a bug of the compiler");
}

Status FabricBase::tooMany(const CallId &call) const {
  int inFlight =
      call.kind == Kind::Exchange ? 1 : specs[size_t(call.channel)].inFlight;
  return {ErrorCode::Internal, name(call) + ": " + std::to_string(inFlight) +
                                   (inFlight == 1 ? " is" : " are") +
                                   " under way; await one first"};
}

Status FabricBase::unknownFuture(int rank, int64_t future) {
  return {ErrorCode::Internal,
          "rank " + std::to_string(rank) + " waits for future " +
              std::to_string(future) + ", which it has not"};
}

} // namespace rubato
