// What is known at one point of a program, on one way to get there.
#ifndef RUBATO_LIB_SCHEDULE_PROOFSTATE_H
#define RUBATO_LIB_SCHEDULE_PROOFSTATE_H

#include "dialects/sched/Sched.h"

#include <map>
#include <optional>
#include <vector>

namespace rubato {

/// A number of the host, as far as it matters which: whether a loop is in its
/// first body, whether it has one at all, and which future a handle is.
struct Number {
  enum class Kind : int64_t { Unknown, Exact, Positive, NotPositive, Future };
  Kind kind = Kind::Unknown;
  int64_t value = 0; // an exact number, or the channel of a future
  int64_t age = 0;   // of a future: starts of its channel since

  static Number exact(int64_t value) { return {Kind::Exact, value, 0}; }
  static Number truth(bool value) { return exact(value ? 1 : 0); }
  bool is(int64_t number) const {
    return kind == Kind::Exact && value == number;
  }
  bool isPositive() const {
    return kind == Kind::Positive || (kind == Kind::Exact && value > 0);
  }
  bool isNotPositive() const {
    return kind == Kind::NotPositive || (kind == Kind::Exact && value <= 0);
  }
};

/// A value. Operations are kept for messages only.
struct Holding {
  /// Whether its content means something, and who gave or took it last.
  bool filled = false;
  mlir::Operation *filledBy = nullptr;
  /// Whether it has memory, and that is this strand's alone; else who may hold
  /// it too.
  bool own = false;
  mlir::Operation *sharedBy = nullptr;
  /// It shows the result of a collective: of which channel, how many starts
  /// of that ago.
  int64_t channel = -1, age = 0;
  mlir::Operation *broughtBy = nullptr;
  /// An await with `first` has brought so many bytes; all, if negative.
  int64_t arrived = -1;
  mlir::Operation *awaitedBy = nullptr;
  /// Its first bytes are final for the next reduction of a channel.
  int64_t readyFor = -1, ready = 0;
  mlir::Operation *readyBy = nullptr;
  /// It shows cells of this lock: bytes of the private region.
  int64_t lock = -1, begin = 0, end = 0;

  /// Nobody else has a part in it any more.
  void letGo() {
    own = false;
    sharedBy = broughtBy = nullptr;
    channel = lock = -1;
  }
  /// It gets memory that is its own, where it has none.
  void makeOwn() {
    letGo();
    own = true;
  }
  void share(mlir::Operation *op) {
    own = false;
    sharedBy = op;
  }
};

/// A future that nobody has awaited.
struct Flight {
  int64_t channel = 0, age = 0;
  mlir::Operation *start = nullptr;
};

/// Two states with one key are the same to whatever follows.
struct ProofState {
  std::map<std::string, Holding> values;
  std::vector<Flight> flights;
  std::map<std::string, Number> frames;      // handles that strands carry
  std::map<void *, Number> numbers;          // SSA values that were told apart
  std::vector<mlir::Operation *> lastBodies; // loops in their last body
  /// The first write of what the next round finds.
  mlir::Operation *closedBy = nullptr;

  std::vector<int64_t> key() const;
  /// What is known of an SSA value without looking at what computes it.
  std::optional<Number> find(mlir::Value value) const;
  void set(mlir::Value value, Number number);
  /// Forgets what a block has defined.
  void leave(mlir::Block *block);
  Flight *flight(const Number &future);
  /// Another start of the channel: all that came of earlier ones is older.
  void age(int64_t channel);
  /// Nobody can await the future again.
  void land(const Number &future);
  /// A future whose handle nobody has any more, or null.
  const Flight *orphan() const;
};

/// States that differ.
class StateSet {
public:
  /// False if it was there.
  bool insert(const ProofState &state) {
    return states.try_emplace(state.key(), state).second;
  }
  void insert(const StateSet &other) {
    for (const auto &[key, state] : other.states)
      states.try_emplace(key, state);
  }
  size_t size() const { return states.size(); }
  std::vector<ProofState> list() const {
    std::vector<ProofState> result;
    for (const auto &[key, state] : states)
      result.push_back(state);
    return result;
  }

private:
  std::map<std::vector<int64_t>, ProofState> states;
};

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_PROOFSTATE_H
