// Adaptive model averaging: its names, its options, its warnings.
#include "AdaptiveSgd.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static constexpr double kManySamples = 1e12;

static std::vector<AlgorithmOption> options() {
  return {
      {"gamma", Kind::Real, "0.9",
       "Momentum of the merged model: at every merge it goes on by gamma times "
       "its last change.",
       0, 0.999999},
      {"b-ref", Kind::Integer, "0",
       "The batch that the learning rate belongs to; a batch of b samples gets "
       "b / b-ref times the rate. 0 takes max-batch.",
       0, kManySamples},
      // How often.
      {"mega-batch", Kind::Integer, "0",
       "Samples of all members between two merges; 0 takes a hundred of the "
       "largest batches.",
       0, kManySamples},
      {"local-steps", Kind::Integer, "0",
       "Ends a member's part of a mega-batch after so many updates; 0: the "
       "samples of the mega-batch end it.",
       0, 1e9},
      {"equal-shares", Kind::Flag, "false",
       "Deals every member the same number of samples, however fast it is."},
      {"total-samples", Kind::Integer, "0",
       "Samples that are dealt in the whole run, exactly; 0: nobody asks for "
       "more once the run's budget is dealt.",
       0, kManySamples},
      // How large a batch is.
      {"quantum", Kind::Integer, "0",
       "Batches are dealt in multiples of this; 0 takes the rows of a "
       "micro-batch.",
       0, 1e9},
      {"max-batch", Kind::Integer, "0",
       "The largest batch, and everybody's first; 0 takes 32 quanta.", 0, 1e9},
      {"min-batch", Kind::Integer, "0",
       "The smallest batch; 0 takes an eighth of the largest.", 0, 1e9},
      {.name = "batch-rule",
       .kind = Kind::Choice,
       .value = "linear",
       .help = "How a batch follows the updates u that its device made and "
               "their mean: by gain (u - mean), by a fixed step up or down, by "
               "a share of the imbalance, or not at all.",
       .choices = {"linear", "sign", "proportional", "fixed"}},
      {"gain", Kind::Real, "0",
       "Rule linear: samples per update of imbalance; 0 takes as much as the "
       "guard allows.",
       0, 1e9},
      {"guard", Kind::Flag, "true",
       "Rule linear: limits the gain to half of the smallest batch / updates, "
       "a quarter of where the loop becomes unstable."},
      {"skip-at-bounds", Kind::Flag, "false",
       "Rule linear: leaves a batch alone that would pass a bound, instead of "
       "putting it on the bound."},
      {"step", Kind::Integer, "32", "Rule sign: samples per step.", 0, 1e9},
      {"rate", Kind::Real, "0.5",
       "Rule proportional: the share of the imbalance that one step removes.",
       0, 1},
      {"warmup-samples", Kind::Integer, "0",
       "While fewer samples than this are dealt, every batch is warmup-batch "
       "and nothing is scaled or perturbed.",
       0, kManySamples},
      {"warmup-batch", Kind::Integer, "0",
       "The batch of the warm-up; 0 takes the smallest.", 0, 1e9},
      {"discarded", Kind::Integer, "1",
       "Mega-batches after the warm-up by which batches are not scaled: the "
       "first times of a device tell of cold caches.",
       0, 1e9},
      // How much a replica counts.
      {.name = "weighting",
       .kind = Kind::Choice,
       .value = "balanced",
       .help = "Weights of replicas in a merge: by batch where all made as "
               "many updates and by updates otherwise, always by updates, or "
               "all the same.",
       .choices = {"balanced", "updates", "uniform"}},
      {"perturbation", Kind::Real, "0.1",
       "Share by which the weight of the most updated replica rises and that "
       "of the least updated one falls; 0: none.",
       0, 0.999999},
      {"norm-threshold", Kind::Real, "0.1",
       "Perturbs only while the norm of every replica over dimension is below "
       "this.",
       0, 1e300},
      {"dimension", Kind::Real, "0",
       "What norms are divided by; 0 takes the number of parameters.", 0,
       1e300},
      {"renormalise", Kind::Flag, "true",
       "Brings the sum of the weights back to 1 after a perturbation."},
  };
}

const AlgorithmInfo &adaptive_sgd::info() {
  static const AlgorithmInfo info{
      .configurations =
          {{"adaptive-sgd",
            "rows go to whoever is free, batch sizes follow the speed of "
            "devices, and replicas are merged by weight"},
           {"k-avg",
            "every member makes the same number of local steps, then models "
            "are averaged",
            {{"equal-shares", "true"},
             {"local-steps", "8"},
             {"batch-rule", "fixed"},
             {"weighting", "uniform"},
             {"perturbation", "0"},
             {"gamma", "0"}}}},
      .description =
          "Every member trains a replica with plain SGD. A dispatcher deals "
          "ranges of rows to whoever is free, so fast devices do more, until a "
          "mega-batch of samples is dealt. Then replicas are merged into one "
          "model by weights that follow their updates and batches, the merged "
          "model gets a momentum of its own, and everybody starts from it "
          "again. After each merge the batch of a device that made fewer "
          "updates than the mean shrinks, and that of one that made more "
          "grows, until all make the same number; the learning rate follows "
          "the batch.\n\nUse it on devices of lastingly unequal speed, when "
          "models are small enough to be merged now and then and samples cost "
          "unequally much (sparse rows). On equal devices it does no harm and "
          "brings nothing.",
      .options = options(),
      .warnings =
          {"gamma = 0.9 makes the effective step ten times as large: a "
           "learning rate that suits gamma = 0 diverges. Start from a quarter "
           "of it.",
           "The optimizer must have no state, so --momentum is refused: use "
           "--algorithm-option gamma=... instead.",
           "renormalise=false lets every merge scale the whole model, and "
           "gamma multiplies that: weights may grow without bound.",
           "A gain above twice batch / updates makes batches jump between "
           "their bounds: devices look busy and train badly. Keep the guard.",
           "A mega-batch must give every member at least eight updates, or "
           "their counts are too coarse to steer by.",
           "Members learn how much is dealt from the answer to their last "
           "claim, so a run may train up to one batch per member more than "
           "its budget. total-samples ends it exactly.",
           "Rows are dealt in the order of the data: shuffle a file that is "
           "sorted by label or length once before."},
  };
  return info;
}
