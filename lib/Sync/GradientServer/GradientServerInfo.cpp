// A server of gradients: its names, its options, its warnings.
#include "GradientServer.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static std::vector<AlgorithmOption> options() {
  return {
      {"batches", Kind::Integer, "1",
       "Micro-batches of a job: a worker sums the gradients of so many at the "
       "model it got before it uploads.",
       1, 1e6},
      {"lambda", Kind::Real, "2",
       "How strongly a gradient is corrected for the way that the model has "
       "gone since the worker got it; 0: not at all, and the upload is half as "
       "large.",
       0, 1e9},
      {"adaptive", Kind::Flag, "true",
       "Divides lambda, parameter by parameter, by the root of the mean square "
       "of the gradients. Without it lambda is one constant."},
      {"decay", Kind::Real, "0.95",
       "Weight of the past in the mean square of the gradients.", 0, 0.999999},
      {"epsilon", Kind::Real, "1e-7",
       "What is added to the mean square before its root is taken.", 1e-30, 1},
      {"slack", Kind::Integer, "-1",
       "How many uploads a worker may be ahead of the slowest one: with more "
       "it "
       "gets no model until the slowest has caught up. -1: nobody waits.",
       -1},
  };
}

const AlgorithmInfo &gradient_server::info() {
  static const AlgorithmInfo info{
      .configurations =
          {{"dc-asgd",
            "a server applies every gradient at once, corrected for how far "
            "the model has moved since"},
           {"ssp",
            "a server applies every gradient at once; whoever is too far ahead "
            "of the slowest waits for it",
            {{"lambda", "0"}, {"slack", "3"}}}},
      .description =
          "One member is the server and holds the model and the optimizer; all "
          "others are workers. A worker downloads the model, computes the "
          "gradient of one batch and uploads it; the server takes an optimizer "
          "step with it at once and answers with the new model. Gradients are "
          "old when they arrive: to each the server adds what a cheap stand-in "
          "for the curvature, the gradient's own square, says about the way "
          "from the worker's model to the present one. With lambda=0 it adds "
          "nothing, which is plain asynchronous SGD. Nobody ever waits, unless "
          "slack says how far workers may drift apart: then whoever has made "
          "that many uploads more than the slowest waits for it.\n\nUse these "
          "as baselines for asynchronous training, where workers differ in "
          "speed and a member more than there are workers is at hand.",
      .options = options(),
      .warnings =
          {"With lambda above 0 uploads are twice as large as the model: a "
           "worker sends the model that it computed on along with the "
           "gradient. On slow links that may cost more than the correction "
           "saves.",
           "The correction grows with the square of the gradient. lambda=2 is "
           "meant for adaptive=true; a constant lambda that is too large "
           "diverges, so start at a few hundredths.",
           "The mean staleness is the number of workers less one: the learning "
           "rate must fall as workers are added, and momentum makes it worse.",
           "With a slack, fast workers compute no more than the slowest in the "
           "long run, and a stalled worker stalls all: it evens out what comes "
           "and goes, not machines that are slow for good.",
           "The number of updates is that of the uploads. The learning-rate "
           "schedule counts samples that reached the model, not updates."},
  };
  return info;
}
