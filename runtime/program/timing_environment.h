// What a strand has under way, as a timeline shows it: with --timeline only.
#pragma once

#include "environment/forwarding_environment.h"
#include "telemetry/timeline.h"

#include <deque>
#include <vector>

namespace rubato {

/// Draws every part of a reduction from when it was ready until the strand
/// found it summed. A channel serves one after the other, so no two overlap.
class TimingEnvironment final : public ForwardingEnvironment {
public:
  /// Strand i draws on lane `firstLane` + i.
  TimingEnvironment(Environment &inner, Timeline &timeline, int strands,
                    int firstLane)
      : ForwardingEnvironment(inner), timeline(timeline), firstLane(firstLane),
        states(static_cast<size_t>(strands) + 1) {}

  Status ready(const Caller &who, int channel, const Part &operand,
               int64_t bytes, double done) override;
  Status start(const Caller &who, const CollectiveStart &call,
               FutureHandle &future) override;
  Status await(const Caller &who, FutureHandle future, Parts outs,
               int64_t first) override;
  Status arrive(const Caller &who, FutureHandle future, int64_t bytes,
                double done, Lane *lane) override;

private:
  struct Piece {
    int64_t bytes = 0, begin = 0;
  };
  /// A reduction that is under way, and its parts that were not found summed.
  struct Reduction {
    FutureHandle future = 0;
    std::deque<Piece> parts;
    int64_t drawn = 0; // parts
  };
  /// Used by the strand's own thread only.
  struct State {
    std::deque<Piece> early; // parts of the next reduction
    std::vector<Reduction> open;
    int64_t last = 0; // end of the last span
  };
  State &stateOf(const Caller &who) {
    return states[static_cast<size_t>(who.strand)];
  }
  void draw(const Caller &who, FutureHandle future, int64_t bytes);

  Timeline &timeline;
  int firstLane;
  std::vector<State> states;
};

} // namespace rubato
