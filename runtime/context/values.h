// The values of a strand: regions whose memory comes and goes.
#pragma once

#include "abi/rubato_abi.h"
#include "support/block.h"

#include <vector>

namespace rubato {

/// Values of a member's strands that show one of its cells, until somebody is
/// about to change it. Only where strands never run at the same time.
class Looks {
public:
  void add(rb_ctx *ctx, int32_t value, int32_t lock) {
    all.push_back({ctx, value, lock});
  }
  void remove(rb_ctx *ctx, int32_t value);
  /// The cells of `lock` are about to change: who looks at one gets a copy.
  void settle(int32_t lock);

private:
  struct Look {
    rb_ctx *ctx;
    int32_t value, lock;
  };
  std::vector<Look> all;
};

/// What is behind a value's region.
struct ValueState {
  SharedBlock block;
  int32_t lock = -1;    // it shows a cell of this lock instead
  int64_t arriving = 0; // the future of which not all has arrived
};

/// Values by the number of their region.
bool isValue(const rb_ctx *ctx, int32_t region);
int64_t valueBytes(const rb_ctx *ctx, int32_t region);
bool isWholeValue(const rb_ctx *ctx, int32_t region, int64_t offset,
                  int64_t size);
ValueState &valueState(rb_ctx *ctx, int32_t region);

/// Makes it this strand's alone.
void renewValue(rb_ctx *ctx, int32_t region, bool keep);
void dropValue(rb_ctx *ctx, int32_t region);
/// Its block was set by somebody else.
void valueArrived(rb_ctx *ctx, int32_t region);
/// Gives one value the content of another, by sharing it.
void shareValue(rb_ctx *ctx, int32_t to, int32_t from);

} // namespace rubato
