// What a recorder writes down of values on their way.
#include "program/recording_environment.h"

namespace rubato {

//===----------------------------------------------------------------------===//
// Futures
//===----------------------------------------------------------------------===//

Status RecordingEnvironment::start(const Caller &who,
                                   const CollectiveStart &call,
                                   FutureHandle &future) {
  RB_TRY(inner.start(who, call, future));
  if (call.kind == Call::Broadcast)
    note(who, call.kind, {call.channel, call.root});
  else
    note(who, call.kind, {call.channel});
  return Status::ok();
}

Status RecordingEnvironment::exchange(const Caller &who,
                                      const ExchangeStart &call,
                                      FutureHandle &future) {
  RB_TRY(inner.exchange(who, call, future));
  note(who, Call::Exchange, {call.channel, call.peer, call.tag});
  return Status::ok();
}

Status RecordingEnvironment::pull(const Caller &who, int channel, int64_t after,
                                  FutureHandle &future) {
  RB_TRY(inner.pull(who, channel, after, future));
  note(who, Call::Pull, {channel, after});
  std::lock_guard lock(mutex);
  pulls.insert(future);
  return Status::ok();
}

bool RecordingEnvironment::done(const Caller &who, FutureHandle future) {
  bool answer = inner.done(who, future);
  note(who, Call::Done, {}, {answer});
  return answer;
}

Status RecordingEnvironment::await(const Caller &who, FutureHandle future,
                                   Parts outs, int64_t first) {
  Status status = inner.await(who, future, outs, first);
  bool pulled = false;
  {
    std::lock_guard lock(mutex);
    pulled = pulls.erase(future) > 0;
  }
  if (isAgain(status))
    note(who, Call::Await, {}, {1});
  if (!status)
    return status;
  // What has not arrived yet is looked at when it has.
  if (first >= 0) {
    streamOf(who).arriving = outs[0];
    outs = outs.subspan(1);
  }
  std::vector<int64_t> &numbers = streamOf(who).numbers;
  numbers = {0};
  size_t values = outs.size() - (pulled && outs.size() >= 2 ? 2 : 0);
  for (size_t i = values; i < outs.size(); ++i) {
    int64_t number = 0;
    RB_TRY(numberIn(outs[i], number));
    numbers.push_back(number);
  }
  RB_TRY(checksumOf(outs, numbers.emplace_back()));
  noteNumbers(who, Call::Await, {}, numbers);
  return status;
}

Status RecordingEnvironment::arrive(const Caller &who, FutureHandle future,
                                    int64_t bytes, double done, Lane *lane) {
  RB_TRY(inner.arrive(who, future, bytes, done, lane));
  Part all = streamOf(who).arriving;
  if (bytes < bytesOf(all))
    return Status::ok();
  all.lane = lane; // on which its last bytes have come
  int64_t sum = 0;
  RB_TRY(checksumOf({&all, 1}, sum));
  note(who, Call::Arrive, {}, {sum});
  return Status::ok();
}

void RecordingEnvironment::repeated(const Caller &who, int64_t count) {
  inner.repeated(who, count);
  note(who, Call::Repeated, {count});
}

//===----------------------------------------------------------------------===//
// Mailboxes
//===----------------------------------------------------------------------===//

Status RecordingEnvironment::push(const Caller &who, int channel,
                                  int64_t ticket, Parts ins) {
  RB_TRY(inner.push(who, channel, ticket, ins));
  note(who, Call::Push, {channel, ticket});
  return Status::ok();
}

Status RecordingEnvironment::collect(const Caller &who, int channel,
                                     int64_t first, bool byStaleness,
                                     Parts outs, int64_t &collected) {
  RB_TRY(inner.collect(who, channel, first, byStaleness, outs, collected));
  int64_t sum = 0;
  RB_TRY(checksumOf(outs, sum));
  note(who, Call::Collect, {channel, first, byStaleness}, {collected, sum});
  return Status::ok();
}

Status RecordingEnvironment::grant(const Caller &who, int channel, bool toAll,
                                   int64_t to, int64_t staleAfter, Parts ins) {
  RB_TRY(inner.grant(who, channel, toAll, to, staleAfter, ins));
  note(who, Call::Grant, {channel, toAll, to, staleAfter});
  return Status::ok();
}

Status RecordingEnvironment::close(const Caller &who, int channel) {
  RB_TRY(inner.close(who, channel));
  note(who, Call::Close, {channel});
  return Status::ok();
}

int64_t RecordingEnvironment::workers(const Caller &who, int channel) {
  int64_t count = inner.workers(who, channel);
  note(who, Call::Workers, {channel}, {count});
  return count;
}

} // namespace rubato
