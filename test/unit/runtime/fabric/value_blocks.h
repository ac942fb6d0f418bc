// Values in the fabric's memory, as members of tests have them.
#pragma once

#include "transports.h"

#include <algorithm>

class ValueBlocks : public Transports {
protected:
  static constexpr int64_t valueCount = 60000,
                           valueBytes = valueCount * int64_t{sizeof(float)};

  /// Whether one count knows all who hold a block.
  bool isOneProcess() const {
    return GetParam() == Transport::Threads ||
           GetParam() == Transport::SlowThreads;
  }
  void makeWith(int members, std::vector<rubato::ChannelSpec> channels,
                int blocks) {
    make(members, std::move(channels));
    rubato::BlockDemand demand{valueBytes, blocks};
    rubato::Status status = fabric->mapBlocks({&demand, 1});
    ASSERT_TRUE(status) << status.message();
  }
  rubato::SharedBlock filled(int rank, float number) {
    rubato::SharedBlock block = fabric->blocks(rank).take(valueBytes);
    std::fill_n(reinterpret_cast<float *>(block->data), valueCount, number);
    return block;
  }
  static rubato::Part partOf(rubato::SharedBlock &block) {
    return {RB_F32, valueCount, block ? block->data : nullptr, &block};
  }
  static bool isFull(const rubato::SharedBlock &block, float number) {
    auto *values = reinterpret_cast<const float *>(block->data);
    return block->bytes == valueBytes &&
           std::all_of(values, values + valueCount,
                       [&](float each) { return each == number; });
  }
};
