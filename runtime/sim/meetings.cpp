#include "sim/meetings.h"

#include <algorithm>

namespace rubato::sim {

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

Meetings::Meetings(Stage &stage)
    : stage(stage), places(static_cast<size_t>(stage.members)) {
  for (int rank = 0; rank != stage.members; ++rank)
    for (const RendezvousSpec &rendezvous : stage.spec.rendezvous) {
      Place &place = places[static_cast<size_t>(rank)].emplace_back();
      const RoleSpec &role = stage.roleOf(rank);
      for (size_t i = 0; i != role.strands.size(); ++i)
        if (std::ranges::count(rendezvous.strands,
                               role.name + "." + role.strands[i].name))
          place.strands.push_back(static_cast<int>(i));
    }
}

bool Meetings::hasSibling(const Place &place, const Strand &strand) {
  return std::ranges::any_of(place.strands, [&](int other) {
    return other != strand.index &&
           stage.strand(strand.rank, other).state == Strand::State::Running;
  });
}

Status Meetings::meet(Strand &strand, int rendezvous, bool &met) {
  Place &place =
      places[static_cast<size_t>(strand.rank)][static_cast<size_t>(rendezvous)];
  // The answer comes at once, but it is a step of its own.
  if (!hasSibling(place, strand)) {
    met = false;
    RB_TRY(stage.schedule.step(strand, strand.readyAt));
  } else if (!place.waiting) {
    place.waiting = &strand;
    place.met = &met;
    RB_TRY(stage.wait(strand, "meet",
                      [] { return "waits for the other strand"; }));
  } else {
    Strand &other = *std::exchange(place.waiting, nullptr);
    *place.met = met = true;
    stage.schedule.wake(other, std::max(other.readyAt, stage.schedule.now()));
    RB_TRY(stage.schedule.step(strand, strand.readyAt));
  }
  if (stage.opens(strand, Call::Meet)) {
    stage.log.truth("met", met);
    stage.log.close();
  }
  return Status::ok();
}

void Meetings::ended(int rank) {
  for (Place &place : places[static_cast<size_t>(rank)]) {
    if (!place.waiting || hasSibling(place, *place.waiting))
      continue;
    Strand &strand = *std::exchange(place.waiting, nullptr);
    *place.met = false;
    stage.schedule.wake(strand, std::max(strand.readyAt, stage.schedule.now()));
  }
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

Votes::Votes(Stage &stage, Samples &samples)
    : stage(stage), samples(samples), cast(static_cast<size_t>(stage.members)) {
}

Status Votes::commit(Strand &strand, int64_t seen, int64_t expected, bool &ok) {
  int64_t number = cast[static_cast<size_t>(strand.rank)]++;
  Vote &vote = votes[number];
  vote.ballots.resize(static_cast<size_t>(stage.members));
  vote.ballots[static_cast<size_t>(strand.rank)] = {&strand, &ok};
  vote.ok &= seen == expected;
  if (++vote.count == stage.members) {
    int64_t now = stage.schedule.now();
    int64_t mine = 0;
    for (const Vote::Ballot &ballot : vote.ballots) {
      int64_t at = now + stage.costs.ask(ballot.strand->rank, 0);
      *ballot.ok = vote.ok;
      if (ballot.strand == &strand)
        mine = at;
      else
        stage.schedule.wake(*ballot.strand,
                            std::max(ballot.strand->readyAt, at));
    }
    votes.erase(number);
    RB_TRY(stage.schedule.step(strand, std::max(strand.readyAt, mine)));
  } else {
    RB_TRY(stage.wait(strand, "commit",
                      [] { return "waits for the other members"; }));
  }
  if (stage.opens(strand, Call::Commit)) {
    stage.log.truth("ok", ok);
    stage.log.close();
  }
  samples.settle(strand, ok);
  return Status::ok();
}

} // namespace rubato::sim
