#include "event_ring.h"

#include <algorithm>
#include <numeric>

namespace rubato::test {

EventRing::EventRing(const Unit &unit, const Dataset &data, int members)
    : RefusingEnvironment("no gossip program does it"), unit(unit) {
  for (size_t i = 0; i != unit.program.policies.size(); ++i) {
    const PolicySpec &spec = unit.program.policies[i];
    if (spec.placement != policy::Placement::Central)
      continue;
    policy::World world;
    world.members.resize(static_cast<size_t>(members));
    std::iota(world.members.begin(), world.members.end(), int64_t{0});
    require(policy::makePolicy(spec.kind, spec.settings, world, matcher));
    matcherIndex = static_cast<int>(i);
  }
  require(Memory::privateMemory(
      std::max<int64_t>(unit.regionBytes[RB_SCRATCH], 1), "scratch", scratch));
  for (int rank = 0; rank < members; ++rank) {
    auto &worker = crew.emplace_back(std::make_unique<Worker>());
    require(Member::make({.unit = unit,
                          .environment = *this,
                          .rank = rank,
                          .members = members,
                          .data = &data,
                          .scratch = scratch.data()},
                         worker->member));
    worker->member->set("budget", int64_t{1} << 60);
  }
}

void EventRing::start() {
  clock = 0;
  for (auto &worker : crew)
    require(worker->member->init());
  for (int rank = 0; rank < size(); ++rank) {
    number(rank, "dt") = 1;
    Worker &worker = *crew[static_cast<size_t>(rank)];
    for (int strand : {Compute, Gossip}) {
      constexpr size_t stack = size_t{64} * 1024;
      require(Fiber::make(
          stack,
          [this, &worker, strand] {
            // It never ends: an event that is awaited for ever.
            failure = worker.member->strand(strand);
          },
          home, worker.fibers[strand]));
    }
    // To the first question, which `average` answers.
    resume(rank, Gossip);
  }
}

double EventRing::now(const Caller &who) {
  Worker &worker = of(who);
  if (who.strand != Compute || who.round < 0 || worker.begun)
    return clock;
  worker.begun = true;
  return clock - 1;
}

void EventRing::gradient(int rank, double time) {
  clock = time;
  crew[static_cast<size_t>(rank)]->begun = false;
  resume(rank, Compute);
}

void EventRing::pair(int a, int b, double time) {
  clock = time;
  for (auto [rank, other] : {std::pair(a, b), std::pair(b, a)}) {
    Worker &worker = *crew[static_cast<size_t>(rank)];
    worker.peer = other;
    worker.tag = tags;
    worker.sent.reset();
  }
  ++tags;
}

void EventRing::average(int a, int b, double time) {
  averageAround(a, b, time, [] {});
}

void EventRing::averageAround(int a, int b, double time,
                              const std::function<void()> &meanwhile) {
  pair(a, b, time);
  resume(a, Gossip); // to the await
  resume(b, Gossip); // to its next question
  meanwhile();
  resume(a, Gossip);
}

EventRing::Mixed EventRing::mixedTo(int rank, int coordinate, double time) {
  double elapsed = (time - number(rank, "last")) / number(rank, "dt");
  double c = -0.5 * std::expm1(-2 * number(rank, "eta") * elapsed);
  double x = static_cast<double>(this->x(rank)[coordinate]);
  double xt = static_cast<double>(this->xt(rank)[coordinate]);
  return {x + c * (xt - x), xt - c * (xt - x)};
}

Status EventRing::start(const Caller &who, const CollectiveStart &call,
                        FutureHandle &future) {
  if (call.kind != Call::Broadcast)
    return RefusingEnvironment::start(who, call, future);
  if (call.root == who.rank)
    model.emplace(call.ins);
  future = 1;
  return Status::ok();
}

Status EventRing::exchange(const Caller &who, const ExchangeStart &call,
                           FutureHandle &future) {
  Worker &worker = of(who);
  if (call.peer != worker.peer || call.tag != worker.tag)
    return {ErrorCode::Internal, "an exchange that nobody arranged"};
  worker.sent.emplace(call.ins);
  future = 1;
  return Status::ok();
}

Status EventRing::await(const Caller &who, FutureHandle, Parts outs, int64_t) {
  if (who.round < 0)
    return model->copyTo(outs);
  Worker &peer = *crew[static_cast<size_t>(of(who).peer)];
  if (!peer.sent || peer.tag != of(who).tag)
    stopHere(who);
  return peer.sent->copyTo(outs);
}

Status EventRing::ask(const Caller &who, int policy, int entry,
                      std::span<const policy::Value> inputs,
                      std::span<policy::Value> answers) {
  const PolicySpec &spec = unit.program.policies[static_cast<size_t>(policy)];
  const std::string &name = spec.entries[static_cast<size_t>(entry)].name;
  Worker &worker = of(who);
  if (name == "constants")
    return matcher->ask(name, {who.rank, worker.asked++}, inputs, answers);
  if (name == "report") { // go on
    answers[0] = true;
  } else if (name == "next") {
    stopHere(who);
    answers[0] = worker.peer;
    answers[1] = worker.tag;
    answers[2] = true;
  } else if (name == "averaged") { // never due
    answers[0] = false;
  } else {
    return RefusingEnvironment::ask(who, policy, entry, inputs, answers);
  }
  return Status::ok();
}

Status EventRing::nextBatch(const Caller &, const BatchRequest &,
                            std::span<int64_t> rows, int64_t &count) {
  rows[0] = 0;
  count = 1;
  return Status::ok();
}

Status EventRing::next(const Caller &who, bool) {
  // The averaging strand stops at its question instead.
  if (who.strand == Compute)
    stopHere(who);
  return Status::ok();
}

} // namespace rubato::test
