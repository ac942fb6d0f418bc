#include "device/apart/lanes.h"

namespace rubato::apart {

int Lanes::add() {
  std::lock_guard lock(mutex);
  lanes.emplace_back();
  return static_cast<int>(lanes.size()) - 1;
}

/// splitmix64: every seed is as good as any other.
uint64_t Lanes::draw() {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

bool Lanes::past(Point point) const {
  return point.lane < 0 ||
         lanes[static_cast<size_t>(point.lane)].done >= point.count;
}

bool Lanes::isReady(int lane) const {
  if (lane < 0)
    return false;
  const State &its = lanes[static_cast<size_t>(lane)];
  return !its.items.empty() &&
         (its.items.front().work || past(its.items.front().until));
}

/// One item of one lane. Lanes run on for a while: what is far ahead of others
/// finds more that is missing than what alternates with them.
bool Lanes::step() {
  constexpr uint64_t change = 4;
  if (draw() % change == 0 || !isReady(favourite)) {
    std::vector<int> ready;
    for (int lane = 0; lane != static_cast<int>(lanes.size()); ++lane)
      if (isReady(lane))
        ready.push_back(lane);
    if (ready.empty())
      return false;
    favourite = ready[draw() % ready.size()];
  }
  State &its = lanes[static_cast<size_t>(favourite)];
  if (its.items.front().work)
    its.items.front().work();
  its.items.pop_front();
  ++its.done;
  return true;
}

Lanes::Point Lanes::give(int lane, std::function<void()> work) {
  std::lock_guard lock(mutex);
  State &its = lanes[static_cast<size_t>(lane)];
  its.items.push_back({{}, std::move(work)});
  Point point{lane, ++its.given};
  // Now and then a device is quick.
  constexpr uint64_t seldom = 4;
  if (draw() % seldom == 0)
    step();
  return point;
}

void Lanes::hold(int lane, Point until) {
  std::lock_guard lock(mutex);
  State &its = lanes[static_cast<size_t>(lane)];
  its.items.push_back({until, {}});
  ++its.given;
}

Lanes::Point Lanes::given(int lane) {
  std::lock_guard lock(mutex);
  return {lane, lanes[static_cast<size_t>(lane)].given};
}

bool Lanes::isPast(Point point, bool steps) {
  std::lock_guard lock(mutex);
  if (steps && !past(point))
    step();
  return past(point);
}

Status Lanes::stuck() const {
  return {ErrorCode::Internal,
          "the lanes of the device wait for each other; this is a bug of the "
          "compiler"};
}

Status Lanes::runUntil(Point point) {
  std::lock_guard lock(mutex);
  while (!past(point))
    if (!step())
      return stuck();
  return Status::ok();
}

Status Lanes::runAll() {
  std::lock_guard lock(mutex);
  while (step()) {
  }
  for (const State &its : lanes)
    if (!its.items.empty())
      return stuck();
  return Status::ok();
}

} // namespace rubato::apart
