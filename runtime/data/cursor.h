// The place of one strand in rounds that members share: who takes which part
// of each.
#pragma once

#include <cstdint>
#include <span>

namespace rubato {

struct CursorShape {
  int64_t samples = 0;             // of the data set
  int64_t globalBatch = 0;         // samples of a round
  int64_t quanta = 1, quantum = 1; // micro-batches, samples of each
  int64_t members = 1, index = 0;  // who share a round, and who this is
};

/// A round covers the next min(globalBatch, rest of the epoch) places
/// (data/sample_order.h), and its k-th member takes the k-th share. A member
/// that goes on taking after its `quanta` micro-batches takes part in another
/// such block within the round. What was reserved is consumed at the end of
/// the round, or not at all.
class Cursor {
public:
  explicit Cursor(const CursorShape &shape) : shape(shape) {}

  /// Samples of all members in a block of the present round.
  int64_t roundSamples() const { return blockSize(); }

  /// The places of the next micro-batch; says how many.
  int64_t take(std::span<int64_t> places);

  /// The end of a round; `consumed` false: the same samples come again.
  void endRound(bool consumed);

private:
  int64_t blockSize() const;

  CursorShape shape;
  int64_t round = 0; // first place of the round
  int64_t block = 0; // and of the block
  int64_t taken = 0; // micro-batches of the block
};

} // namespace rubato
