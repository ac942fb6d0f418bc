// How dynamic-sgd describes itself.
#include "DynamicSgd.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static std::vector<AlgorithmOption> options() {
  return {
      {.name = "min-members",
       .kind = Kind::Integer,
       .value = "1",
       .help = "Members that the group needs to go on; with fewer it waits.",
       .min = 1,
       .max = 1e6},
      {.name = "max-members",
       .kind = Kind::Integer,
       .value = "128",
       .help = "Members that the group takes at most.",
       .min = 1,
       .max = 1e6},
      {.name = "rule",
       .kind = Kind::Choice,
       .value = "ramp",
       .help = "How the learning rate follows a changed number of members: "
               "ramp, slowly after growth and at once after a shrink; "
               "immediate, at once; reset, at once and with momentum set to "
               "zero; unscaled, not at all.",
       .choices = {"ramp", "immediate", "reset", "unscaled"}},
      {.name = "base-members",
       .kind = Kind::Integer,
       .value = "0",
       .help = "Members that the learning rate was tuned for; 0 stands for "
               "those of the first update.",
       .min = 0,
       .max = 1e6},
      {.name = "per-ratio",
       .kind = Kind::Real,
       .value = "8",
       .help = "Updates of a ramp per unit of growth; 0.8 / (1 - momentum) "
               "suits a momentum.",
       .min = 0,
       .max = 1e9},
      {.name = "length",
       .kind = Kind::Integer,
       .value = "-1",
       .help = "Updates of every ramp, whatever the growth; -1 stands for "
               "per-ratio times the growth, rounded.",
       .min = -1,
       .max = 1e9},
      {.name = "shrink",
       .kind = Kind::Choice,
       .value = "none",
       .help = "The ramp after a shrink by g < 1: none, the rate falls at "
               "once; ratio, over per-ratio * g updates; inverse, over "
               "per-ratio / g updates.",
       .choices = {"none", "ratio", "inverse"}},
      {.name = "max-factor",
       .kind = Kind::Real,
       .value = "0",
       .help = "Largest factor on the learning rate, because linear scaling "
               "has a ceiling; 0 for none.",
       .min = 0,
       .max = 1e9},
      {.name = "uncorrected",
       .kind = Kind::Flag,
       .value = "false",
       .help = "Keep the last step instead of the last velocity when the "
               "factor changes, as optimizers do that fold the learning rate "
               "into the velocity; a baseline."}};
}

const AlgorithmInfo &dynamic_sgd::info() {
  static const AlgorithmInfo info{
      .configurations = {{"dynamic-sgd", "synchronous SGD of a group that "
                                         "changes its size, with a learning "
                                         "rate that follows slowly"}},
      .description =
          "Synchronous SGD of a group whose members come and go between "
          "rounds. The batch of a member is fixed, so the global batch, and "
          "with it the learning rate, follow the number of members. After "
          "growth the rate rises over some updates: the noise in the old "
          "momentum, which a large rate would multiply, decays first. Members "
          "vote on every round before anything changes: where samples are "
          "missing because a member was lost, nobody applies the round, and "
          "its samples come again.\n\nUse it when machines are lent and taken "
          "back during a run. While the group stays as it is this is "
          "allreduce with a vote.",
      .options = options(),
      .warnings =
          {"Every growth costs about 4 (k - 1) updates' worth of progress, "
           "where k is the ratio of sizes: let resizes be at least two ramps "
           "apart and admit several members together.",
           "The length of a ramp is meant for momentum 0.9: set per-ratio to "
           "0.8 / (1 - momentum) for another.",
           "Schedules count samples, never updates: how many updates an epoch "
           "has depends on the members.",
           "Linear scaling has a ceiling. Beyond the batch that still helps, "
           "more members only cut noise: set max-factor.",
           "rule=immediate multiplies the noise of the old momentum by the "
           "square of the growth, and shrink=inverse keeps a large rate on "
           "a small batch: both are there for comparison.",
           "The slowest member sets the pace of all."},
  };
  return info;
}
