#include "program/timing_environment.h"

#include <algorithm>

namespace rubato {

Status TimingEnvironment::ready(const Caller &who, int channel,
                                const Part &operand, int64_t bytes,
                                double done) {
  RB_TRY(inner.ready(who, channel, operand, bytes, done));
  stateOf(who).early.push_back({bytes, Timeline::now()});
  return Status::ok();
}

Status TimingEnvironment::start(const Caller &who, const CollectiveStart &call,
                                FutureHandle &future) {
  RB_TRY(inner.start(who, call, future));
  State &state = stateOf(who);
  Reduction &made = state.open.emplace_back();
  made.future = future;
  if (call.kind == Call::AllReduce)
    made.parts = std::exchange(state.early, {});
  int64_t all = call.ins.empty() ? 0 : bytesOf(call.ins[0]);
  if (made.parts.empty() || made.parts.back().bytes < all)
    made.parts.push_back({all, Timeline::now()});
  return Status::ok();
}

/// The parts of a reduction that end within its first `bytes` are there now.
void TimingEnvironment::draw(const Caller &who, FutureHandle future,
                             int64_t bytes) {
  State &state = stateOf(who);
  auto found = std::ranges::find(state.open, future, &Reduction::future);
  if (found == state.open.end())
    return;
  int64_t now = Timeline::now();
  while (!found->parts.empty() && found->parts.front().bytes <= bytes) {
    int64_t begin = std::max(found->parts.front().begin, state.last);
    timeline.add(firstLane + who.strand, "all_reduce", found->drawn++, begin,
                 now);
    state.last = now;
    found->parts.pop_front();
  }
  if (found->parts.empty())
    state.open.erase(found);
}

Status TimingEnvironment::await(const Caller &who, FutureHandle future,
                                Parts outs, int64_t first) {
  RB_TRY(inner.await(who, future, outs, first));
  draw(who, future, first < 0 ? INT64_MAX : first);
  return Status::ok();
}

Status TimingEnvironment::arrive(const Caller &who, FutureHandle future,
                                 int64_t bytes, double done, Lane *lane) {
  RB_TRY(inner.arrive(who, future, bytes, done, lane));
  draw(who, future, bytes);
  return Status::ok();
}

} // namespace rubato
