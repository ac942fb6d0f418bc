// Sums of the members' operands, element by element in rank order.
#pragma once

#include "abi/rubato_abi.h"

#include <cstdint>

namespace rubato {

/// The part of `bytes` bytes at `offset` that `rank` of `members` works on, as
/// [begin, end) relative to `offset`. Borders lie on cache lines, so no two
/// members write to one.
struct Slice {
  int64_t begin = 0, end = 0;
};
Slice sliceOf(int64_t offset, int64_t bytes, int rank, int members);

/// out[i] = ((in0[i] + in1[i]) + in2[i]) + …: the same bits as a serial sum in
/// rank order, whatever the slices are. i64 wraps around.
void sumInRankOrder(rb_dtype dtype, const char *const *ins, int members,
                    char *out, int64_t bytes);

/// As sumInRankOrder, of numbers that were each multiplied by their member's
/// weight, and rounded, before. Integers have no weight.
void sumWeighted(rb_dtype dtype, const char *const *ins, const double *weights,
                 int members, char *out, int64_t bytes);

} // namespace rubato
