// How much a launch computes, for those who divide time over launches.
#ifndef RUBATO_LIB_SCHEDULE_LAUNCHCOST_H
#define RUBATO_LIB_SCHEDULE_LAUNCHCOST_H

#include "dialects/sched/Sched.h"

namespace rubato {

/// Iterations of the loops of its part of the kernel, at least one. A model
/// only: how long one takes is not asked.
double costOf(sched::LaunchOp launch);

/// Says of every part of a reduction in the segment which share of the
/// segment's work stands in front of it.
void shareWork(sched::SegmentOp segment);

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_LAUNCHCOST_H
