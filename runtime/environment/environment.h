// What surrounds a strand: the other members, its siblings, the data, the
// deciders and the clock.
//
// The compiled program knows nothing else of the world. A real run, a
// simulation and a replay are three environments for the same compiled
// rounds; logs and recorders are environments that stand in front of another.
// The semantics are those of gsync, as the interpreter executes them
// (docs/interpreter.md).
//
// Every call but `work`, `computed`, `unlock`, `setSize`, `ready`, `arrive` and
// the facts is visible: it may wait, and a simulation hands over to another
// strand only there. A failed Status ends the round; one for which isAgain()
// holds has the round run again from its boundary.
#pragma once

#include "abi/calls.h"
#include "policy/policy.h"
#include "support/part.h"
#include "support/status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rubato {

/// Who calls: strand `strand` of member `rank` in its round `round`. Init,
/// drain and model have the number after the last strand, and the rounds -1,
/// -2 and -3.
struct Caller {
  int rank = 0, strand = 0;
  int64_t round = 0;
};
inline constexpr int64_t initRound = -1, drainRound = -2, modelRound = -3;

/// A future of a program; 0 is one of zeros that is done.
using FutureHandle = int64_t;

struct CollectiveStart {
  Call kind = Call::AllReduce; // or a broadcast
  int channel = 0;
  int64_t root = 0; // of a broadcast
  Parts ins;
  /// Where the caller will have the results, if it awaits them at once: until
  /// then its operands stay as they are.
  Parts outs = {};
};

struct ExchangeStart {
  int channel = 0;
  int64_t peer = 0, tag = 0;
  Parts ins;
};

struct BatchRequest {
  rb_batch_source source = RB_BATCH_CURSOR;
  int channel = -1; // of a queue: whose next reduction acknowledges it
  std::span<const int64_t> keys;
};

class Environment {
public:
  virtual ~Environment() = default;

  /// Whether it keeps the memory of operands and brings results by their
  /// blocks (Part::block).
  virtual bool keepsBlocks() const { return false; }
  /// Whether one strand runs at a time and hands over in visible calls only, so
  /// that values may show cells.
  virtual bool takesTurns() const { return false; }

  // The calls of abi/calls.def, which says what each means.
#define METHOD(result, name, params, args) virtual result name params = 0;
#include "environment/environment_methods.def"
};

} // namespace rubato
