// All interleavings of a program's control: which worlds can be reached, and
// whether one of them is wrong.
//
// The search goes breadth first, so the trace that leads to what is wrong is a
// short one. Worlds are told apart by fingerprint; of those that were left
// behind only the fingerprint, the parent and the edges are kept, and a trace
// is found again by replay.
#ifndef RUBATO_TOOLS_INTERP_EXPLORE_H
#define RUBATO_TOOLS_INTERP_EXPLORE_H

#include "tools/rubato-interp/Independence.h"

namespace rubato::interp {

struct ExploreOptions {
  int64_t maxStates = 5'000'000;
  /// How many members may die, and may be asked to stop out of turn.
  int deaths = 1, stops = 1;
  /// Steps that commute with everything else are taken at once.
  bool reduce = true;
  /// The most memory, in MiB.
  int64_t maxMemory = 6000;
  /// Rounds beyond those asked for after which the first strand of a member
  /// does not end, and after which it is doubted that another one does.
  int64_t patience = 8;
};

/// Something that may happen next: a step of a strand, or an event.
struct Move {
  enum class Kind : uint8_t { Step, Stop, Death, Model };
  Kind kind = Kind::Step;
  Choice choice;
  /// A step: the rank is asked to stop just before it.
  bool stopFirst = false;
  /// A question to a policy that draws: the seed that gives this outcome.
  uint64_t seed = 1;
};

/// What was found wrong, and how it comes about.
struct Violation {
  std::string what;
  std::vector<Move> trace;
  /// Whom everybody waits for, line by line, where it is a deadlock.
  std::vector<std::string> details;
};

struct ExploreResult {
  int64_t states = 0, transitions = 0, depth = 0;
  bool finished = false;
  /// Where it is not: whether memory was the reason.
  bool outOfMemory = false;
  std::optional<Violation> violation;
};

class Explorer {
public:
  Explorer(Machine &machine, const ExploreOptions &options);

  /// Searches until something is wrong, all is seen, or too much is.
  ExploreResult run();

  /// Prints the steps of a trace; `log` gets its events.
  void print(const Violation &violation, llvm::raw_ostream &os,
             EventLog *log = nullptr);

private:
  /// A world and the moves that led there from the one before.
  struct Successor {
    World world;
    std::vector<Move> moves;
    /// Nothing can or need happen any more.
    bool isEnd = false;
  };
  struct State {
    uint32_t parent, ordinal;
  };

  // ExploreMoves.cpp: what may happen.
  std::vector<Move> movesOf(const World &world);
  void addSteps(const World &world, std::vector<Choice> &choices, int rank,
                int strand, std::vector<Move> &moves);
  std::vector<Move> nextLocal(const World &world);
  bool mayStop(const World &world, int rank) const;
  bool mayDie(const World &world) const;
  bool isSettled(const World &world) const;
  bool canEnd(const World &from);
  mlir::LogicalResult apply(World &world, const Move &move);

  // Explore.cpp: the search.
  bool expand(const World &world, std::vector<Successor> &successors);
  bool settle(Successor from, std::vector<Successor> &successors);
  bool checkRounds(Successor &successor);
  bool check(Successor &successor);
  bool fail(std::string what, std::vector<Move> moves);
  uint32_t visit(const Successor &successor, uint32_t parent, uint32_t ordinal);
  std::vector<Move> traceTo(uint32_t state);
  void findEndless();

  // ExploreReport.cpp
  void describe(const World &world, const Move &move, llvm::raw_ostream &os);
  std::vector<std::string> waiting(const World &world);

  Machine &machine;
  ExploreOptions options;
  Independence independence;
  ExploreResult result;

  llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> known;
  std::vector<State> states;
  std::vector<bool> ends;
  /// The successors of state i: edges from firstEdge[i] on.
  std::vector<uint32_t> edges;
  std::vector<uint64_t> firstEdge;
  std::deque<World> frontier;
  std::string complaint;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_EXPLORE_H
