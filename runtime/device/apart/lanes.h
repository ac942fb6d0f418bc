// Lanes that run later, in any order that events allow.
//
// Nothing runs by itself: whoever waits for a lane has work done until it has
// come so far, and which lane goes next is drawn. So what happens to be in
// order on a CPU is not in order here, unless an event says so, and the same
// seed draws the same order again where one thread gives and waits.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace rubato::apart {

class Lanes {
public:
  explicit Lanes(uint64_t seed) : state(seed) {}

  int add();

  /// All that a lane had been given by then.
  struct Point {
    int lane = -1; // none: long past
    int64_t count = 0;
  };

  Point give(int lane, std::function<void()> work);
  /// What the lane is given from now on comes after `until`.
  void hold(int lane, Point until);
  Point given(int lane);

  /// Whether it is past; with `step` some work is done before, as time goes by
  /// for who polls.
  bool isPast(Point point, bool step);
  Status runUntil(Point point);
  /// Until all lanes are idle.
  Status runAll();

private:
  struct Item {
    Point until;                // of a wait
    std::function<void()> work; // of all else
  };
  struct State {
    std::deque<Item> items;
    int64_t given = 0, done = 0;
  };

  // With the mutex held:
  uint64_t draw();
  bool past(Point point) const;
  bool isReady(int lane) const;
  bool step();
  Status stuck() const;

  std::mutex mutex;
  std::vector<State> lanes;
  uint64_t state;
  int favourite = -1; // has run last, and most likely runs on
};

} // namespace rubato::apart
