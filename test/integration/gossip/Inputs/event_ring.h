// Members of a gossip program whose events happen when a test says so: no
// matcher, no quota, and nothing takes any time.
//
// The compiled rounds run as they are. Each strand is a fiber that stops where
// it would have to wait for others; an event lets it go on. A gradient is said
// to have begun one unit of time before it is applied, so the measured time of
// a gradient, the unit of the clock of mixing, stays 1.
#pragma once

#include "data/dataset.h"
#include "environment/refusing_environment.h"
#include "policy/factory.h"
#include "program/member.h"
#include "sim/payload.h"
#include "support/fiber.h"
#include "support/memory.h"
#include "unit/unit.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rubato::test {

inline void require(const Status &status) {
  if (status)
    return;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  std::exit(1);
}

class EventRing final : public RefusingEnvironment {
public:
  EventRing(const Unit &unit, const Dataset &data, int members);

  /// The program's own start, then one clock for all, which is at 0.
  void start();
  void gradient(int rank, double time);
  /// The gossip strands of both run to the exchange and behind it.
  void average(int a, int b, double time);
  /// As `average`; `meanwhile` happens while `a` waits for the snapshot of `b`.
  void averageAround(int a, int b, double time,
                     const std::function<void()> &meanwhile);

  int size() const { return static_cast<int>(crew.size()); }
  int coordinates() const { return static_cast<int>(unit.flatCount()); }
  float *x(int rank) { return at<float>(rank, "w"); }
  float *xt(int rank) { return at<float>(rank, "xt"); }
  double &number(int rank, const char *cell) { return *at<double>(rank, cell); }
  int64_t &count(int rank, const char *cell) {
    return *at<int64_t>(rank, cell);
  }
  void set(int rank, const char *setting, double value) {
    crew[static_cast<size_t>(rank)]->member->set(setting, value);
  }

  /// Both variables of a coordinate, mixed to `time`; the cells stay.
  struct Mixed {
    double x, xt;
  };
  Mixed mixedTo(int rank, int coordinate, double time);

  // Environment.
  int64_t members(const Caller &) override { return size(); }
  int64_t rank(const Caller &who) override { return who.rank; }
  double now(const Caller &who) override;
  int64_t quanta(const Caller &) override { return 1; }
  int64_t roundSamples(const Caller &) override { return 1; }
  int64_t dataSamples(const Caller &) override { return 1; }
  Status work(const Caller &, const char *, bool) override { return {}; }
  Status lock(const Caller &, int, const char *) override { return {}; }
  Status unlock(const Caller &, int) override { return {}; }
  Status meet(const Caller &, int, bool &met) override {
    met = true;
    return {};
  }
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override;
  Status exchange(const Caller &who, const ExchangeStart &call,
                  FutureHandle &future) override;
  bool done(const Caller &, FutureHandle) override { return true; }
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override;
  Status arrive(const Caller &, FutureHandle, int64_t, double,
                Lane *) override {
    return {};
  }
  Status ready(const Caller &, int, const Part &, int64_t, double) override {
    return {};
  }
  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers) override;
  Status nextBatch(const Caller &who, const BatchRequest &request,
                   std::span<int64_t> rows, int64_t &count) override;
  Status next(const Caller &who, bool go) override;

private:
  enum { Compute, Gossip, Strands };
  struct Worker {
    std::unique_ptr<Member> member;
    std::unique_ptr<Fiber> fibers[Strands];
    bool begun = false; // the present gradient: the clock was read once
    int64_t peer = -1, tag = 0;
    std::optional<sim::Payload> sent; // of the present averaging
    int64_t asked = 0;                // questions to the matcher
  };

  template <typename T> T *at(int rank, const char *cell) {
    return static_cast<T *>(
        crew[static_cast<size_t>(rank)]->member->hostAddress(
            unit.cell(cell)->place));
  }
  Worker &of(const Caller &who) { return *crew[static_cast<size_t>(who.rank)]; }
  void resume(int rank, int strand) {
    home.switchTo(*crew[static_cast<size_t>(rank)]->fibers[strand]);
    require(failure);
  }
  void stopHere(const Caller &who) {
    of(who).fibers[who.strand]->switchTo(home);
  }
  void pair(int a, int b, double time);

  const Unit &unit;
  Memory scratch;
  Fiber home;
  std::unique_ptr<policy::Policy> matcher; // for its constants only
  int matcherIndex = -1;
  std::vector<std::unique_ptr<Worker>> crew;
  std::optional<sim::Payload> model; // of the broadcast at the start
  double clock = 0;
  int64_t tags = 0;
  Status failure;
};

} // namespace rubato::test
