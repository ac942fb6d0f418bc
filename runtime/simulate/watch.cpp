#include "simulate/watch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>

namespace rubato {

WatchedEnvironment::WatchedEnvironment(Environment &inner, int members,
                                       size_t spans)
    : ForwardingEnvironment(inner), spans(static_cast<size_t>(members)),
      gradients(static_cast<size_t>(members)), memberCount(members),
      spanLimit(spans) {}

int64_t WatchedEnvironment::nanoseconds(double time) {
  constexpr double perSecond = 1e9;
  return std::llround(time * perSecond);
}

void WatchedEnvironment::span(const Caller &who, bool computes, int64_t begin,
                              int64_t end) {
  std::vector<MemberSpan> &list = spans[static_cast<size_t>(who.rank)];
  if (begin < end && list.size() < spanLimit)
    list.push_back({computes, who.strand, begin, end});
}

void WatchedEnvironment::cutSpan(const Caller &who) {
  std::vector<MemberSpan> &list = spans[static_cast<size_t>(who.rank)];
  if (!list.empty() && list.back().strand == who.strand)
    list.back().end = std::min(list.back().end, at(who));
}

bool WatchedEnvironment::done(const Caller &who, FutureHandle future) {
  bool isDone = inner.done(who, future);
  cutSpan(who);
  return isDone;
}

void WatchedEnvironment::repeated(const Caller &who, int64_t count) {
  inner.repeated(who, count);
  cutSpan(who);
}

template <typename Fn>
Status WatchedEnvironment::waiting(const Caller &who, Fn call) {
  int64_t begin = at(who);
  Status status = call();
  span(who, /*computes=*/false, begin, at(who));
  return status;
}

int64_t WatchedEnvironment::stopRequested(const Caller &who) {
  if (stop && stop->load(std::memory_order_relaxed) != 0)
    return 1;
  return inner.now(who) >= seconds ? 1 : inner.stopRequested(who);
}

Status WatchedEnvironment::work(const Caller &who, const char *name,
                                bool begin) {
  int64_t before = at(who);
  Status status = inner.work(who, name, begin);
  if (begin && std::strcmp(name, "gradient") == 0) {
    span(who, /*computes=*/true, before, at(who));
    gradients[static_cast<size_t>(who.rank)] += who.round >= 0;
  }
  return status;
}

void WatchedEnvironment::computed(const Caller &who, int64_t count,
                                  double loss) {
  inner.computed(who, count, loss);
  // Those before the first round are measurements of the program's own.
  if (who.round < 0)
    return;
  samples.add(at(who), count);
  lossSum += loss;
  finite &= std::isfinite(loss);
}

Status WatchedEnvironment::meet(const Caller &who, int rendezvous, bool &met) {
  return waiting(who, [&] { return inner.meet(who, rendezvous, met); });
}

Status WatchedEnvironment::start(const Caller &who, const CollectiveStart &call,
                                 FutureHandle &future) {
  RB_TRY(inner.start(who, call, future));
  if (call.kind == Call::AllReduce || call.root == who.rank)
    bytes.add(at(who), bytesOf(call.ins));
  if (call.kind == Call::AllReduce)
    reductions[future] = who.round;
  return Status::ok();
}

Status WatchedEnvironment::exchange(const Caller &who,
                                    const ExchangeStart &call,
                                    FutureHandle &future) {
  RB_TRY(inner.exchange(who, call, future));
  bytes.add(at(who), bytesOf(call.ins));
  return Status::ok();
}

Status WatchedEnvironment::await(const Caller &who, FutureHandle future,
                                 Parts outs, int64_t first) {
  if (auto it = reductions.find(future); it != reductions.end()) {
    carries |= it->second >= 0 && who.round > it->second;
    reductions.erase(it);
  }
  return waiting(who, [&] { return inner.await(who, future, outs, first); });
}

Status WatchedEnvironment::arrive(const Caller &who, FutureHandle future,
                                  int64_t bytes, double done, Lane *lane) {
  return waiting(who,
                 [&] { return inner.arrive(who, future, bytes, done, lane); });
}

Status WatchedEnvironment::push(const Caller &who, int channel, int64_t ticket,
                                Parts ins) {
  RB_TRY(inner.push(who, channel, ticket, ins));
  bytes.add(at(who), bytesOf(ins));
  return Status::ok();
}

Status WatchedEnvironment::collect(const Caller &who, int channel,
                                   int64_t first, bool byStaleness, Parts outs,
                                   int64_t &collected) {
  return waiting(who, [&] {
    return inner.collect(who, channel, first, byStaleness, outs, collected);
  });
}

Status WatchedEnvironment::grant(const Caller &who, int channel, bool toAll,
                                 int64_t to, int64_t staleAfter, Parts ins) {
  RB_TRY(inner.grant(who, channel, toAll, to, staleAfter, ins));
  int64_t receivers =
      toAll ? memberCount - 1 : std::popcount(static_cast<uint64_t>(to));
  bytes.add(at(who), receivers * bytesOf(ins));
  return Status::ok();
}

Status WatchedEnvironment::ask(const Caller &who, int policy, int entry,
                               std::span<const policy::Value> inputs,
                               std::span<policy::Value> answers) {
  return waiting(
      who, [&] { return inner.ask(who, policy, entry, inputs, answers); });
}

Status WatchedEnvironment::commit(const Caller &who, int64_t seen,
                                  int64_t expected, bool &ok) {
  return waiting(who, [&] { return inner.commit(who, seen, expected, ok); });
}

Status WatchedEnvironment::next(const Caller &who, bool go) {
  RB_TRY(inner.next(who, go));
  if (!finite)
    return {ErrorCode::Numeric,
            "the loss is not finite; try a smaller --lr, and check the inputs "
            "and their --scale"};
  return Status::ok();
}

} // namespace rubato
