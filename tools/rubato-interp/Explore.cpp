// The search through all worlds that a program can reach.
#include "tools/rubato-interp/Explore.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <fstream>
#include <unistd.h>

using namespace mlir;

namespace rubato::interp {

/// What this process holds now, in MiB; 0 where that is not known.
static int64_t residentMemory() {
  std::ifstream file("/proc/self/statm");
  int64_t whole = 0, resident = 0;
  if (!(file >> whole >> resident))
    return 0;
  return resident * sysconf(_SC_PAGESIZE) / (1024 * 1024);
}

Explorer::Explorer(Machine &machine, const ExploreOptions &options)
    : machine(machine), options(options), independence(machine.program) {
  machine.hiddenCells = independence.findHidden();
}

bool Explorer::fail(std::string what, std::vector<Move> moves) {
  result.violation.emplace();
  result.violation->what = std::move(what);
  result.violation->trace = std::move(moves);
  return false;
}

/// Whether rounds go on although all were asked to stop. The first strand
/// counts the rounds asked for. A sibling may go through any number of its own
/// meanwhile, and afterwards have some left to do: so now and then it is tried
/// whether the program comes to an end from there.
bool Explorer::checkRounds(Successor &successor) {
  int64_t limit = machine.config.rounds + options.patience;
  for (auto [rank, member] : llvm::enumerate(successor.world.members))
    for (size_t i = 0, n = member->strands.size(); i != n; ++i) {
      int64_t round = member->strands[i]->round;
      if (round <= limit)
        continue;
      if (i != 0) {
        if (round == member->strands[i]->doubted ||
            !llvm::isPowerOf2_64(round - limit))
          continue;
        member.edit().strands[i].edit().doubted = round;
        if (canEnd(successor.world))
          continue;
      }
      return fail("does not end: rank " + std::to_string(rank) +
                      " begins round " + std::to_string(round) +
                      ", though all were asked to stop in round " +
                      std::to_string(machine.config.rounds - 1),
                  std::move(successor.moves));
    }
  if (successor.moves.size() > 10'000)
    return fail("does not end: steps follow one another for ever",
                std::move(successor.moves));
  return true;
}

/// What must hold wherever a run comes to rest.
bool Explorer::check(Successor &successor) {
  const World &world = successor.world;
  bool deaths = false, alone = false;
  for (auto [rank, member] : llvm::enumerate(world.members))
    deaths |= !member->alive;
  // A server without workers, or workers without a server, may give up.
  for (const ChannelInfo &channel : machine.program.channels)
    if (channel.server >= 0)
      alone |= !world.members[channel.server]->alive ||
               llvm::none_of(channel.workers, [&](int rank) {
                 return world.members[rank]->alive;
               });
  for (auto [rank, cow] : llvm::enumerate(world.members)) {
    const Member &member = *cow;
    if (member.alive && member.phase == Phase::Failed && !alone)
      return fail(
          "rank " + std::to_string(rank) + " gave up" +
              (deaths ? ", though no server died" : ", though nobody died"),
          std::move(successor.moves));
    if (!member.alive || member.phase != Phase::Ended)
      continue;
    for (auto &[id, future] : *member.futures)
      if (!future.consumed)
        return fail("lost future: rank " + std::to_string(rank) +
                        " ended without awaiting it",
                    std::move(successor.moves));
  }
  successor.isEnd = isSettled(world);
  return true;
}

/// Takes local steps until there are none. A chain of them that does not end
/// is a program that does not.
bool Explorer::settle(Successor from, std::vector<Successor> &successors) {
  std::deque<Successor> open;
  open.push_back(std::move(from));
  while (!open.empty()) {
    Successor here = std::move(open.front());
    open.pop_front();
    if (!checkRounds(here))
      return false;
    std::vector<Move> moves;
    if (options.reduce)
      moves = nextLocal(here.world);
    if (moves.empty()) {
      if (!check(here))
        return false;
      successors.push_back(std::move(here));
      continue;
    }
    for (const Move &move : moves) {
      Successor next = here;
      next.moves.push_back(move);
      int64_t reads = machine.stopReads;
      if (failed(apply(next.world, move)))
        return fail(complaint, std::move(next.moves));
      if (machine.stopReads != reads && mayStop(here.world, move.choice.rank)) {
        Successor stopped = here;
        stopped.moves.push_back(move);
        stopped.moves.back().stopFirst = true;
        if (failed(apply(stopped.world, stopped.moves.back())))
          return fail(complaint, std::move(stopped.moves));
        open.push_back(std::move(stopped));
      }
      open.push_back(std::move(next));
    }
  }
  return true;
}

/// All worlds that come next; false when something is wrong on the way.
bool Explorer::expand(const World &world, std::vector<Successor> &successors) {
  std::vector<Move> moves = movesOf(world);
  if (moves.empty() && !machine.isOver(world)) {
    fail("deadlock: nobody can go on", {});
    result.violation->details = waiting(world);
    return false;
  }
  for (const Move &move : moves) {
    Successor next{world, {move}};
    int64_t reads = machine.stopReads;
    if (failed(apply(next.world, move)))
      return fail(complaint, std::move(next.moves));
    bool noticed = machine.stopReads != reads && options.reduce &&
                   move.kind == Move::Kind::Step &&
                   mayStop(world, move.choice.rank);
    if (!settle(std::move(next), successors))
      return false;
    if (!noticed)
      continue;
    Successor stopped{world, {move}};
    stopped.moves.back().stopFirst = true;
    if (failed(apply(stopped.world, stopped.moves.back())))
      return fail(complaint, std::move(stopped.moves));
    if (!settle(std::move(stopped), successors))
      return false;
  }
  return true;
}

/// The number of a world; a new one joins the frontier.
uint32_t Explorer::visit(const Successor &successor, uint32_t parent,
                         uint32_t ordinal) {
  auto [it, isNew] = known.try_emplace(
      successor.world.fingerprint(machine.program, machine.config.abstract),
      states.size());
  if (isNew) {
    states.push_back({parent, ordinal});
    ends.push_back(successor.isEnd);
    frontier.push_back(successor.world);
  }
  return it->second;
}

/// Replays the way to a state.
std::vector<Move> Explorer::traceTo(uint32_t state) {
  std::vector<uint32_t> ordinals;
  for (; state != UINT32_MAX; state = states[state].parent)
    ordinals.push_back(states[state].ordinal);
  std::vector<Move> trace;
  std::vector<Successor> successors;
  FailureOr<World> start = machine.start();
  if (failed(start) || !settle({*start, {}}, successors))
    return trace;
  for (uint32_t ordinal : llvm::reverse(ordinals)) {
    Successor taken = std::move(successors[ordinal]);
    llvm::append_range(trace, taken.moves);
    successors.clear();
    // What is wrong behind the last one was known when it was first seen.
    (void)expand(taken.world, successors);
  }
  return trace;
}

ExploreResult Explorer::run() {
  // Errors of a step are part of the report.
  ScopedDiagnosticHandler handler(
      machine.program.module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        llvm::raw_string_ostream os(complaint);
        complaint.clear();
        os << diagnostic.getLocation() << ": " << diagnostic.str();
        return success();
      });
  FailureOr<World> start = machine.start();
  if (failed(start)) {
    result.violation.emplace();
    result.violation->what = complaint;
    return result;
  }
  std::vector<Successor> successors;
  if (!settle({*start, {}}, successors))
    return result;
  for (auto [ordinal, successor] : llvm::enumerate(successors))
    visit(successor, UINT32_MAX, ordinal);
  int64_t levelEnd = states.size();
  for (uint32_t state = 0; state != states.size(); ++state) {
    if (state == levelEnd) {
      ++result.depth;
      levelEnd = states.size();
    }
    firstEdge.push_back(edges.size());
    World world = std::move(frontier.front());
    frontier.pop_front();
    successors.clear();
    bool ok = expand(world, successors);
    if (!ok) {
      Violation found = std::move(*result.violation);
      std::vector<Move> trace = traceTo(state);
      trace.insert(trace.end(), found.trace.begin(), found.trace.end());
      found.trace = std::move(trace);
      result.violation = std::move(found);
      result.states = states.size();
      return result;
    }
    for (auto [ordinal, successor] : llvm::enumerate(successors))
      edges.push_back(visit(successor, state, ordinal));
    result.states = states.size();
    result.transitions = edges.size();
    if (result.states > options.maxStates)
      return result;
    if (state % 1024 == 0 && residentMemory() > options.maxMemory) {
      result.outOfMemory = true;
      return result;
    }
  }
  firstEdge.push_back(edges.size());
  result.finished = true;
  findEndless();
  return result;
}

/// From every state some end must be reachable; otherwise there is a cycle
/// that nothing leads out of.
void Explorer::findEndless() {
  size_t count = states.size();
  std::vector<uint64_t> first(count + 1, 0);
  for (uint32_t to : edges)
    ++first[to + 1];
  for (size_t i = 0; i != count; ++i)
    first[i + 1] += first[i];
  std::vector<uint32_t> sources(edges.size());
  std::vector<uint64_t> at(first.begin(), first.end() - 1);
  for (uint32_t from = 0; from != count; ++from)
    for (uint64_t i = firstEdge[from]; i != firstEdge[from + 1]; ++i)
      sources[at[edges[i]]++] = from;
  std::vector<uint32_t> open;
  std::vector<bool> reaches(count);
  for (uint32_t state = 0; state != count; ++state)
    if (ends[state]) {
      reaches[state] = true;
      open.push_back(state);
    }
  while (!open.empty()) {
    uint32_t state = open.back();
    open.pop_back();
    for (uint64_t i = first[state]; i != first[state + 1]; ++i)
      if (!reaches[sources[i]]) {
        reaches[sources[i]] = true;
        open.push_back(sources[i]);
      }
  }
  for (uint32_t state = 0; state != count; ++state)
    if (!reaches[state]) {
      std::vector<Move> trace = traceTo(state);
      fail("does not end: from here on the same states come again and again, "
           "whatever happens",
           std::move(trace));
      return;
    }
}

} // namespace rubato::interp
