// An environment of one member that notes the calls and answers as told.
#pragma once

#include "environment/refusing_environment.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace rubato::test {

class FakeEnvironment : public RefusingEnvironment {
public:
  FakeEnvironment() : RefusingEnvironment("no test expects it") {}

  std::vector<std::string> calls;
  Status answer;              // of the calls that may fail
  int64_t batch = 4;          // samples of each batch
  int64_t first = 0;          // of the next
  int64_t rounds = INT64_MAX; // after which a stop is requested
  bool meets = true;
  std::vector<policy::Value> answers;
  std::vector<char> sent; // what the last start gave

  int64_t members(const Caller &) override { return 3; }
  int64_t rank(const Caller &who) override { return who.rank; }
  double now(const Caller &) override { return 2.5; }
  int64_t stopRequested(const Caller &who) override {
    return who.round >= rounds - 1;
  }
  int64_t quanta(const Caller &) override { return 2; }
  int64_t roundSamples(const Caller &) override { return 24; }
  int64_t dataSamples(const Caller &) override { return 96; }
  Status work(const Caller &who, const char *name, bool begin) override {
    return note(who, std::string(begin ? "begin " : "end ") + name, {});
  }
  void computed(const Caller &who, int64_t samples, double loss) override {
    (void)note(
        who, "computed " + std::to_string(samples) + " " + std::to_string(loss),
        {});
  }
  Status lock(const Caller &who, int lock, const char *cells) override {
    return note(who, "lock " + std::to_string(lock) + " " + cells, {});
  }
  Status unlock(const Caller &who, int lock) override {
    return note(who, "unlock " + std::to_string(lock), {});
  }
  Status meet(const Caller &who, int, bool &met) override {
    met = meets;
    return note(who, "meet", answer);
  }
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override {
    sent.clear();
    for (const Part &part : call.ins)
      sent.insert(sent.end(), static_cast<char *>(part.data),
                  static_cast<char *>(part.data) + bytesOf(part));
    future = 7;
    return note(who,
                "start " + std::to_string(call.channel) + " of " +
                    std::to_string(call.ins.size()),
                answer);
  }
  Status exchange(const Caller &who, const ExchangeStart &call,
                  FutureHandle &future) override {
    future = 8;
    return note(who, "exchange with " + std::to_string(call.peer), answer);
  }
  Status pull(const Caller &who, int, int64_t after,
              FutureHandle &future) override {
    future = 9;
    return note(who, "pull after " + std::to_string(after), answer);
  }
  bool done(const Caller &, FutureHandle future) override {
    return future == 0;
  }
  /// A sum of one: what was sent.
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override {
    size_t from = 0;
    for (const Part &part : outs) {
      auto bytes = static_cast<size_t>(bytesOf(part));
      if (future == 0 || from + bytes > sent.size())
        std::memset(part.data, 0, bytes);
      else
        std::memcpy(part.data, sent.data() + from, bytes);
      from += bytes;
    }
    return note(who,
                "await " + std::to_string(future) +
                    (first < 0 ? "" : " first " + std::to_string(first)),
                answer);
  }
  Status ready(const Caller &who, int channel, const Part &operand,
               int64_t bytes, double) override {
    return note(who,
                "ready " + std::to_string(channel) + " " +
                    std::to_string(bytes) + " of " +
                    std::to_string(bytesOf(operand)),
                answer);
  }
  Status arrive(const Caller &who, FutureHandle future, int64_t bytes, double,
                Lane *) override {
    return note(
        who, "arrive " + std::to_string(future) + " " + std::to_string(bytes),
        answer);
  }
  void repeated(const Caller &who, int64_t count) override {
    (void)note(who, "repeated " + std::to_string(count), {});
  }
  Status push(const Caller &who, int, int64_t ticket, Parts) override {
    return note(who, "push " + std::to_string(ticket), answer);
  }
  Status collect(const Caller &who, int, int64_t first, bool, Parts,
                 int64_t &collected) override {
    collected = 6;
    return note(who, "collect " + std::to_string(first), answer);
  }
  Status grant(const Caller &who, int, bool toAll, int64_t, int64_t,
               Parts) override {
    return note(who, toAll ? "grant to all" : "grant", answer);
  }
  Status close(const Caller &who, int) override {
    return note(who, "close", answer);
  }
  int64_t workers(const Caller &, int) override { return 2; }
  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> to) override {
    std::copy_n(answers.begin(), to.size(), to.begin());
    return note(who,
                "ask " + std::to_string(policy) + " " + std::to_string(entry) +
                    " of " + std::to_string(inputs.size()),
                answer);
  }
  Status commit(const Caller &who, int64_t seen, int64_t expected,
                bool &ok) override {
    ok = seen == expected;
    return note(who, "commit", answer);
  }
  Status nextBatch(const Caller &who, const BatchRequest &request,
                   std::span<int64_t> rows, int64_t &count) override {
    count = batch;
    for (int64_t i = 0; i < count; ++i)
      rows[static_cast<size_t>(i)] = first++;
    return note(who, "batch " + std::to_string(request.source), answer);
  }
  Status next(const Caller &who, bool go) override {
    return note(who, go ? "next" : "last", answer);
  }

private:
  Status note(const Caller &who, const std::string &what, Status status) {
    calls.push_back(std::to_string(who.strand) + ":" +
                    std::to_string(who.round) + " " + what);
    return status;
  }
};

} // namespace rubato::test
