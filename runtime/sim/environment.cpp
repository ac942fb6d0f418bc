// The facts, the strands of a member, the data and the boundary.
#include "sim/environment.h"

#include "sim/collectives.h"
#include "sim/decisions.h"
#include "sim/mailbox.h"
#include "sim/meetings.h"
#include "sim/pairs.h"

#include <algorithm>

namespace rubato::sim {

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

SimEnvironment::SimEnvironment(const SimSetup &setup) : setup(setup) {}
SimEnvironment::~SimEnvironment() = default;

Status SimEnvironment::make(const SimSetup &setup,
                            std::unique_ptr<SimEnvironment> &environment) {
  std::unique_ptr<SimEnvironment> made(new SimEnvironment(setup));
  RB_TRY(made->prepare());
  environment = std::move(made);
  return Status::ok();
}

Status SimEnvironment::prepare() {
  const ProgramSpec &spec = setup.spec;
  if (setup.members < 1 || spec.rolesOfRanks(setup.members).size() !=
                               static_cast<size_t>(setup.members))
    return Status::user("the program has no roles for " +
                        std::to_string(setup.members) +
                        " members; simulate another number");
  if (setup.samples < 1 || setup.batch < 1 || setup.quanta < 1)
    return Status::user("a simulation needs samples, a batch and a quantum of "
                        "at least 1");
  stage = std::make_unique<Stage>(spec, setup.members, setup.seed, *setup.costs,
                                  setup.log, setup.stackBytes, setup.maxSteps);
  samples = std::make_unique<Samples>(
      SampleOptions{setup.samples, setup.batch, setup.quanta, setup.shuffle,
                    setup.seed, setup.replacement},
      spec, setup.members);
  collectives = std::make_unique<Collectives>(*stage);
  pairs = std::make_unique<Pairs>(*stage);
  meetings = std::make_unique<Meetings>(*stage);
  votes = std::make_unique<Votes>(*stage, *samples);
  decisions = std::make_unique<Decisions>(*stage, *samples);
  mailboxes.resize(spec.channels.size());
  for (size_t i = 0; i != spec.channels.size(); ++i) {
    const ProgramChannel &channel = spec.channels[i];
    if (channel.kind != "mailbox")
      continue;
    if (spec.serverOf(channel, setup.members) < 0 || setup.members < 2 ||
        setup.members > 63)
      return Status::user("@" + channel.name +
                          " needs one server and 1 to 62 workers, not " +
                          std::to_string(setup.members) + " members");
    mailboxes[i] =
        std::make_unique<Mailbox>(*stage, *samples, static_cast<int>(i));
  }
  stage->schedule.onArrival([this](int channel, int, int64_t parcel) {
    mailboxes[static_cast<size_t>(channel)]->arrive(parcel);
  });
  return decisions->make(setup.samples);
}

Strand &SimEnvironment::strandOf(const Caller &who) {
  return stage->strand(who.rank, who.strand);
}

/// Waits for the strand's turn, unless it holds a lock.
Status SimEnvironment::visible(Strand &strand) {
  if (strand.locks)
    return stage->error(strand, "lock",
                        "under it nothing may be done that could wait");
  return stage->schedule.step(strand, strand.readyAt);
}

//===----------------------------------------------------------------------===//
// From outside
//===----------------------------------------------------------------------===//

void SimEnvironment::observe(int64_t period,
                             std::function<void(int64_t)> callback) {
  stage->schedule.observe(period, std::move(callback));
}

void SimEnvironment::requestStop() {
  for (VirtualMember &member : stage->crew)
    member.stop = true;
}

int64_t SimEnvironment::time() const { return stage->schedule.now(); }

const Statistics &SimEnvironment::statistics() const {
  stage->summarise();
  stage->statistics.restarts = 0;
  for (const std::unique_ptr<Mailbox> &box : mailboxes)
    if (box)
      stage->statistics.restarts += box->restarts();
  return stage->statistics;
}

void SimEnvironment::leave(int rank) {
  for (std::unique_ptr<Mailbox> &box : mailboxes)
    if (box)
      box->leave(rank);
  // A worker that had not noticed the end may have leased more meanwhile. What
  // was accepted stays: it may still be collected.
  samples->voidLeases(rank, INT64_MAX);
  stage->counts(rank).endedAt = stage->schedule.now();
}

//===----------------------------------------------------------------------===//
// Facts: of the strand's own clock, so nobody else is asked
//===----------------------------------------------------------------------===//

int64_t SimEnvironment::members(const Caller &) { return setup.members; }
int64_t SimEnvironment::rank(const Caller &who) { return who.rank; }

double SimEnvironment::now(const Caller &who) {
  return static_cast<double>(strandOf(who).readyAt) * 1e-9;
}

int64_t SimEnvironment::stopRequested(const Caller &who) {
  VirtualMember &member = stage->member(who.rank);
  return member.stop ||
         (setup.rounds && member.strands[0].round >= setup.rounds - 1);
}

int64_t SimEnvironment::quanta(const Caller &) { return setup.quanta; }

int64_t SimEnvironment::roundSamples(const Caller &who) {
  return samples->total(strandOf(who));
}

int64_t SimEnvironment::dataSamples(const Caller &) { return setup.samples; }

Status SimEnvironment::work(const Caller &who, const char *name, bool begin) {
  Strand &strand = strandOf(who);
  strand.work = 0;
  if (!begin)
    return Status::ok();
  strand.workBegan = strand.readyAt;
  int64_t taken = stage->spend(strand, name);
  strand.work = taken;
  if (std::string_view(name) == "gradient") {
    MemberStatistics &counts = stage->counts(who.rank);
    counts.computing += taken;
    strand.computed += taken;
    ++counts.gradients;
  }
  return Status::ok();
}

void SimEnvironment::computed(const Caller &who, int64_t count, double) {
  stage->counts(who.rank).samples += count;
}

//===----------------------------------------------------------------------===//
// Strands of one member
//===----------------------------------------------------------------------===//

Status SimEnvironment::lock(const Caller &who, int, const char *cells) {
  Strand &strand = strandOf(who);
  // The baton is the lock: nobody else runs until the next visible call.
  if (!strand.locks && stage->hasSiblings(who.rank))
    RB_TRY(visible(strand));
  ++strand.locks;
  if (!cells || !*cells)
    return Status::ok();
  stage->spend(strand, "atomic");
  if (stage->opens(strand, Call::Atomic)) {
    stage->log.openList("cells");
    std::string_view rest = cells;
    while (!rest.empty()) {
      size_t end = std::min(rest.find(' '), rest.size());
      if (end)
        stage->log.item(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    stage->log.closeList();
    stage->log.close();
  }
  return Status::ok();
}

Status SimEnvironment::unlock(const Caller &who, int) {
  Strand &strand = strandOf(who);
  strand.locks = std::max(strand.locks - 1, 0);
  return Status::ok();
}

Status SimEnvironment::meet(const Caller &who, int rendezvous, bool &met) {
  Strand &strand = strandOf(who);
  RB_TRY(visible(strand));
  return meetings->meet(strand, rendezvous, met);
}

//===----------------------------------------------------------------------===//
// Decisions, data, the boundary
//===----------------------------------------------------------------------===//

Status SimEnvironment::ask(const Caller &who, int policy, int entry,
                           std::span<const policy::Value> inputs,
                           std::span<policy::Value> answers) {
  Strand &strand = strandOf(who);
  if (stage->hasSiblings(who.rank) || decisions->isCentral(policy))
    RB_TRY(visible(strand));
  return decisions->ask(strand, policy, entry, inputs, answers);
}

Status SimEnvironment::commit(const Caller &who, int64_t seen, int64_t expected,
                              bool &ok) {
  Strand &strand = strandOf(who);
  RB_TRY(visible(strand));
  return votes->commit(strand, seen, expected, ok);
}

static const char *nameOf(rb_batch_source source) {
  switch (source) {
  case RB_BATCH_CURSOR:
    return "cursor";
  case RB_BATCH_QUEUE:
    return "queue";
  case RB_BATCH_KEYED:
    return "keyed";
  case RB_BATCH_RANGE:
    return "range";
  case RB_BATCH_PEEK:
    return "peek";
  case RB_BATCH_WHOLE:
    return "whole";
  }
  return "unknown";
}

Status SimEnvironment::nextBatch(const Caller &who, const BatchRequest &request,
                                 std::span<int64_t> rows, int64_t &count) {
  Strand &strand = strandOf(who);
  // Others can notice only what comes from the stream they share.
  if (request.source == RB_BATCH_QUEUE || request.source == RB_BATCH_PEEK)
    RB_TRY(visible(strand));
  Places places;
  if (Status status = samples->take(
          strand, request,
          [&](int rank, int index) { return stage->strand(rank, index).round; },
          places);
      !status)
    return stage->error(strand, "next_batch", status.message());
  if (places.size() > rows.size())
    return stage->error(strand, "next_batch",
                        "a batch of " + std::to_string(rows.size()) +
                            " cannot hold " + std::to_string(places.size()) +
                            " samples");
  for (size_t i = 0; i != places.size(); ++i)
    rows[i] = samples->rowAt(request.source, places[i]);
  count = strand.samples = static_cast<int64_t>(places.size());
  if (stage->opens(strand, Call::NextBatch)) {
    stage->log.text("source", nameOf(request.source));
    stage->log.numbers("ids", rows.first(places.size()));
    stage->log.close();
  }
  return Status::ok();
}

Status SimEnvironment::next(const Caller &who, bool go) {
  Strand &strand = strandOf(who);
  RB_TRY(visible(strand));
  if (stage->opens(strand, Call::Next)) {
    stage->log.truth("go", go);
    stage->log.close();
  }
  samples->end(strand);
  ++strand.round;
  stage->counts(who.rank).finished += strand.computed;
  strand.aborted = false;
  strand.computed = 0;
  if (go) {
    samples->begin(strand);
    return Status::ok();
  }
  strand.state = Strand::State::Ended;
  meetings->ended(who.rank);
  return Status::ok();
}

} // namespace rubato::sim
