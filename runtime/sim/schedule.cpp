// The baton: it goes from fiber to fiber directly, and through the loop of
// `run` only where something must happen outside of all strands.
#include "sim/schedule.h"

#include <algorithm>

namespace rubato::sim {

Status Schedule::start(Strand &strand, std::function<void()> body) {
  RB_TRY(Fiber::make(stackBytes, std::move(body), home, strand.fiber));
  strand.state = Strand::State::Running;
  starting = true;
  resume(strand);
  starting = false;
  if (strand.fiber->ended())
    strand.fiber.reset();
  return Status::ok();
}

void Schedule::resume(Strand &strand) {
  ++switchCount;
  current = &strand;
  home.switchTo(*strand.fiber);
}

bool Schedule::isFirst(const Turn &turn) const {
  return !starting && turn.at <= nextLook &&
         (turns.empty() || turns.top() > turn) &&
         (arrivals.empty() || arrivals.top().at > turn.at);
}

void Schedule::take(Strand &strand, int64_t at) {
  ++stepCount;
  time = std::max(time, at);
  strand.waited += std::max<int64_t>(time - strand.readyAt, 0);
  strand.readyAt = std::max(strand.readyAt, time);
}

void Schedule::push(Strand &strand, int64_t at, bool poll) {
  strand.queued = true;
  turns.push({at, strand.rank, strand.index, poll, &strand, ++strand.turn});
}

/// The earliest turn is one that is in force.
void Schedule::forgetOldTurns() {
  while (!turns.empty() && turns.top().number != turns.top().strand->turn)
    turns.pop();
}

void Schedule::hasten(Strand &strand, int64_t at) {
  if (!strand.queued || at >= strand.readyAt)
    return;
  strand.readyAt = at;
  push(strand, at, /*poll=*/true);
}

Status Schedule::step(Strand &strand, int64_t at, bool poll) {
  if (stepCount >= maxSteps)
    fail(Status::user("not over after " + std::to_string(maxSteps) +
                      " steps; limit the rounds, or allow more steps"));
  if (!outcome)
    return outcome;
  forgetOldTurns();
  if (isFirst({at, strand.rank, strand.index, poll, &strand, 0})) {
    take(strand, at);
    return Status::ok();
  }
  push(strand, at, poll);
  return suspend(strand);
}

Status Schedule::wait(Strand &strand) {
  if (!outcome)
    return outcome;
  return suspend(strand);
}

void Schedule::wake(Strand &strand, int64_t at) {
  if (strand.suspended && !strand.queued)
    push(strand, at, /*poll=*/false);
}

Status Schedule::suspend(Strand &strand) {
  strand.suspended = true;
  Strand *to = starting ? nullptr : next(/*inStrand=*/true);
  if (to != &strand) {
    ++switchCount;
    current = to;
    strand.fiber->switchTo(to ? *to->fiber : home);
  }
  strand.suspended = false;
  return outcome;
}

/// Whose turn it is, after all that arrives before; nobody where the loop must
/// look first: an observation is due, or nobody can go on.
Strand *Schedule::next(bool inStrand) {
  while (outcome) {
    forgetOldTurns();
    bool hasTurn = !turns.empty();
    bool arrives =
        !arrivals.empty() && (!hasTurn || arrivals.top().at <= turns.top().at);
    if (!hasTurn && !arrives)
      return nullptr;
    int64_t at = arrives ? arrivals.top().at : turns.top().at;
    if (at > nextLook) {
      if (inStrand)
        return nullptr;
      observer(nextLook);
      nextLook += period;
      continue;
    }
    if (arrives) {
      Parcel parcel = arrivals.top();
      arrivals.pop();
      time = std::max(time, at);
      arrived(parcel.channel, parcel.worker, parcel.parcel);
      continue;
    }
    Turn turn = turns.top();
    turns.pop();
    turn.strand->queued = false;
    take(*turn.strand, turn.at);
    return turn.strand;
  }
  return nullptr;
}

void Schedule::send(int64_t at, int channel, int worker, int64_t parcel) {
  arrivals.push({at, channel, worker, sent++, parcel});
}

void Schedule::observe(int64_t every, std::function<void(int64_t)> callback) {
  period = std::max<int64_t>(every, 1);
  nextLook = 0;
  observer = std::move(callback);
}

void Schedule::fail(Status status) {
  if (outcome)
    outcome = std::move(status); // or still none
}

Status Schedule::run(const std::function<Status(Strand &)> &ended) {
  while (outcome) {
    Strand *strand = next(/*inStrand=*/false);
    if (!strand)
      break;
    resume(*strand);
    // Whoever had the baton last has ended, or somebody must look.
    if (current && current->fiber && current->fiber->ended()) {
      Strand &over = *current;
      over.fiber.reset();
      if (outcome)
        fail(ended(over));
    }
  }
  return outcome;
}

void Schedule::unwind(std::span<Strand *const> strands) {
  if (outcome)
    outcome = {ErrorCode::Internal, "the simulation was given up"};
  starting = true; // everybody comes back here
  for (Strand *strand : strands) {
    if (strand->fiber && !strand->fiber->ended())
      resume(*strand);
    strand->fiber.reset();
  }
  starting = false;
}

} // namespace rubato::sim
