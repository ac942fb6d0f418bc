// How abs-sgd describes itself.
#include "AbsSgd.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static std::vector<AlgorithmOption> options() {
  return {
      {.name = "m-min",
       .kind = Kind::Integer,
       .value = "1",
       .help = "Micro-batches that every member computes at least in a round.",
       .min = 1,
       .max = 1e9},
      {.name = "fixed",
       .kind = Kind::Flag,
       .value = "false",
       .help = "Compute exactly m-min micro-batches in every round and wait "
               "for the reduction where it takes longer."},
      {.name = "protocol",
       .kind = Kind::Choice,
       .value = "p0",
       .help = "When a member joins the next reduction: p0, as soon as the "
               "last one has arrived; p1, as soon as it has arrived at all "
               "members, which gives larger batches and fewer updates.",
       .choices = {"p0", "p1"}},
      {.name = "rule",
       .kind = Kind::Choice,
       .value = "linear",
       .help = "The learning rate of a batch of N samples: linear, in "
               "proportion to N / b-ref, so that every sample counts the "
               "same; mean, the same for every batch.",
       .choices = {"linear", "mean"}},
      {.name = "b-ref",
       .kind = Kind::Integer,
       .value = "0",
       .help = "Samples of the batch that the learning rate is meant for under "
               "the linear rule; 0 stands for one micro-batch of every member.",
       .min = 0,
       .max = 1e15},
      {.name = "clip-low",
       .kind = Kind::Real,
       .value = "0.25",
       .help = "Least factor that the linear rule puts on the learning rate.",
       .min = 0,
       .max = 1e9},
      {.name = "clip-high",
       .kind = Kind::Real,
       .value = "4",
       .help = "Largest factor that the linear rule puts on the learning rate.",
       .min = 0,
       .max = 1e9},
      {.name = "flush",
       .kind = Kind::Flag,
       .value = "true",
       .help = "Apply the reduction that is under way when the run ends; "
               "otherwise every member drops it."},
      {.name = "dc-lambda",
       .kind = Kind::Real,
       .value = "0",
       .help = "Strength of the compensation of the delay, g + dc-lambda * g * "
               "g * (w - w'), where g was computed at w' and is applied at w; "
               "0 for none.",
       .min = 0,
       .max = 1e9}};
}

const AlgorithmInfo &abs_sgd::info() {
  static const AlgorithmInfo info{
      .configurations =
          {{"abs-sgd", "a reduction runs while everybody computes the next "
                       "batch, as much of it as fits"},
           {"delayed-sgd",
            "a reduction runs while everybody computes the next batch, of "
            "fixed size",
            {{"fixed", "true"}, {"rule", "mean"}}}},
      .description =
          "Gradients are summed over all members while every member computes "
          "the next ones, micro-batch after micro-batch, until the sum has "
          "arrived; fast members compute more of them. Then a member joins the "
          "next reduction and applies the sum. So nobody waits, replicas stay "
          "bit-identical, and every gradient is applied exactly one update "
          "late.\n\nUse it when machines differ in speed, when their speed "
          "varies, or when the network takes as long as the computation. "
          "delayed-sgd is the same with a fixed number of micro-batches: it "
          "hides the reduction and still waits for the slowest.",
      .options = options(),
      .warnings =
          {"Momentum tuned for allreduce can diverge: with a delay of one "
           "update the learning rate times the curvature must stay below 1 - "
           "momentum, 0.1 instead of 3.8 at momentum 0.9. Tune the rate again "
           "and warm up.",
           "A micro-batch that is too large for the slowest member pins the "
           "period of all to it: let its time there be about that of a "
           "reduction.",
           "Updates have different sizes and come at different rates on "
           "different machines: schedules count samples, never updates.",
           "Every member draws from one shared stream. Timing must not depend "
           "on the samples: with sequences of different length, batches of "
           "long ones hold fewer samples.",
           "Batch normalisation sees one micro-batch at a time.",
           "A run ends about one global batch beyond its budget: the last "
           "reduction is under way when the budget is reached."},
  };
  return info;
}
