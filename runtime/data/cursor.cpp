#include "data/cursor.h"

#include "data/batch_writer.h"

#include <algorithm>
#include <numeric>

using namespace rubato;

int64_t Cursor::blockSize() const {
  return std::min(shape.globalBatch, shape.samples - block % shape.samples);
}

int64_t Cursor::take(std::span<int64_t> places) {
  if (taken == shape.quanta) {
    block += blockSize();
    taken = 0;
  }
  Share share = shareOf(blockSize(), shape.members, shape.index);
  int64_t done = taken++ * shape.quantum;
  int64_t count = std::clamp<int64_t>(share.count - done, 0, shape.quantum);
  std::iota(places.begin(), places.begin() + count, block + share.begin + done);
  return count;
}

void Cursor::endRound(bool consumed) {
  if (consumed && taken > 0)
    round = block + blockSize();
  block = round;
  taken = 0;
}
