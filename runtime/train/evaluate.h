// A pass over the evaluation data, shared among the workers.
#pragma once

#include "abi/context.h"
#include "data/sources.h"
#include "telemetry/metrics.h"
#include "train/job.h"

namespace rubato {

/// Evaluates this member's share and waits for the others; all members call
/// it at the same round. The sums in `record` are those of the whole data
/// set, added in rank order. Leaves `source` in the context.
Status evaluateTogether(Job &job, int rank, rb_ctx *context, EvalSource &source,
                        EvalRecord &record);

/// The error of the last call on a context, which returned `status`.
Status contextError(const rb_ctx *context, int32_t status);

} // namespace rubato
