// What may happen next in a world: steps, their outcomes, stops and deaths.
#include "policy/random.h"
#include "tools/rubato-interp/Explore.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// Each may be asked to stop once in a run. One that was asked already in the
/// ordinary way need not be.
bool Explorer::mayStop(const World &world, int rank) const {
  const Member &member = *world.members[rank];
  return member.alive && member.phase != Phase::Ended &&
         member.phase != Phase::Failed &&
         llvm::count_if(world.members, [](const Cow<Member> &each) {
           return each->stopRequested;
         }) < options.stops;
}

bool Explorer::mayDie(const World &world) const {
  return llvm::count_if(world.members, [](const Cow<Member> &each) {
           return !each->alive;
         }) < options.deaths;
}

/// Whether every member has ended and its model was looked at.
bool Explorer::isSettled(const World &world) const {
  if (!machine.isOver(world))
    return false;
  return llvm::all_of(llvm::seq<int>(0, world.members.size()), [&](int rank) {
    const Member &member = *world.members[rank];
    return !member.alive || member.phase != Phase::Ended || member.model ||
           !machine.program.roleOf(rank).model;
  });
}

/// A strand that is inside an atomic holds the lock of its cells, so its
/// siblings wait. It stops there only at a branch on opaque data.
static std::optional<int> insideAtomic(const Member &member) {
  for (auto [index, strand] : llvm::enumerate(member.strands))
    for (const Frame &frame : strand->frames)
      if (isa<AtomicOp>(frame.block->getParentOp()))
        return int(index);
  return std::nullopt;
}

/// Whether one of a few random schedules, which let everybody step again and
/// again, gets somewhere where nobody goes on. Whether that is as it should be
/// is for the search to find out.
bool Explorer::canEnd(const World &from) {
  constexpr int64_t kTries = 3, kSteps = 10'000;
  for (int64_t attempt = 0; attempt != kTries; ++attempt) {
    World world = from;
    for (int64_t step = 0; step != kSteps; ++step) {
      if (machine.isOver(world))
        return true;
      std::vector<Choice> choices = machine.choices(world);
      llvm::erase_if(choices, [&](const Choice &choice) {
        auto holder = insideAtomic(*world.members[choice.rank]);
        return holder && *holder != choice.strand;
      });
      if (choices.empty())
        return true;
      policy::CounterRandom random(1, "end", {attempt, step});
      Move move;
      move.choice = choices[random.below(choices.size())];
      move.seed = 1 + random.below(1000);
      if (failed(apply(world, move)))
        return true;
    }
  }
  return false;
}

/// The steps of one strand: by variant, by outcome of draws.
void Explorer::addSteps(const World &world, std::vector<Choice> &choices,
                        int rank, int strand, std::vector<Move> &moves) {
  std::optional<int> holder = insideAtomic(*world.members[rank]);
  if (holder && *holder != strand)
    return;
  for (const Choice &choice : choices) {
    if (choice.rank != rank || choice.strand != strand)
      continue;
    Move move;
    move.choice = choice;
    for (uint64_t seed : machine.outcomes(world, choice)) {
      move.seed = seed;
      moves.push_back(move);
    }
  }
}

/// The moves of one strand whose next step is local, if there is such a one.
std::vector<Move> Explorer::nextLocal(const World &world) {
  std::vector<Choice> choices = machine.choices(world);
  std::vector<Move> moves;
  for (const Choice &choice : choices) {
    if (choice.variant || !independence.isLocal(machine, world, choice.rank,
                                                choice.strand, mayDie(world)))
      continue;
    addSteps(world, choices, choice.rank, choice.strand, moves);
    if (!moves.empty())
      break;
  }
  return moves;
}

std::vector<Move> Explorer::movesOf(const World &world) {
  std::vector<Move> moves;
  if (machine.isOver(world)) {
    if (!isSettled(world)) {
      moves.emplace_back();
      moves.back().kind = Move::Kind::Model;
    }
    return moves;
  }
  std::vector<Choice> choices = machine.choices(world);
  for (const Choice &choice : choices)
    if (!choice.variant)
      addSteps(world, choices, choice.rank, choice.strand, moves);
  if (moves.empty())
    return moves;
  for (int rank = 0; rank != machine.program.ranks; ++rank) {
    const Member &member = *world.members[rank];
    Move event;
    event.choice.rank = rank;
    // With reduction a stop comes just before the step that notices it: it
    // changes nothing else, so it commutes with all that lies before.
    if (!options.reduce && mayStop(world, rank)) {
      event.kind = Move::Kind::Stop;
      moves.push_back(event);
    }
    if (mayDie(world) && member.alive && member.phase != Phase::Ended &&
        member.phase != Phase::Failed) {
      event.kind = Move::Kind::Death;
      moves.push_back(event);
    }
  }
  return moves;
}

LogicalResult Explorer::apply(World &world, const Move &move) {
  switch (move.kind) {
  case Move::Kind::Stop:
    machine.requestStop(world, move.choice.rank);
    return success();
  case Move::Kind::Death: {
    // Whatever is drawn for those who wait, it is the same every time.
    machine.drawSeed = 1;
    LogicalResult result = machine.kill(world, move.choice.rank);
    machine.drawSeed = 0;
    return result;
  }
  case Move::Kind::Model:
    return machine.startModel(world);
  case Move::Kind::Step:
    break;
  }
  if (move.stopFirst)
    machine.requestStop(world, move.choice.rank);
  machine.drawSeed = move.seed;
  LogicalResult result = machine.apply(world, move.choice);
  machine.drawSeed = 0;
  return result;
}

} // namespace rubato::interp
