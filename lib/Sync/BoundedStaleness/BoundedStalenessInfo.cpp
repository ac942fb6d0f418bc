// Bounded staleness: its names, its options, its warnings.
#include "BoundedStaleness.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static std::vector<AlgorithmOption> options() {
  return {
      // What a worker does with a model.
      {"steps", Kind::Integer, "5",
       "Local steps of a job: what a worker computes on a model before it "
       "uploads the change. Each takes one micro-batch.",
       1, 1e6},
      {.name = "data",
       .kind = Kind::Choice,
       .value = "keyed",
       .help = "Where the batches of a job come from: drawn by (worker, "
               "ticket, step), or leased from one stream that all share, to "
               "which a void job returns its samples, so that every epoch is "
               "exact.",
       .choices = {"keyed", "leased"}},
      // How many uploads close a round.
      {"k0", Kind::Integer, "0",
       "Uploads that close the first round; 0 takes a tenth of the workers. A "
       "number above that of the workers waits for all of them.",
       0},
      {"adapt", Kind::Flag, "true",
       "Raises the number of uploads as the loss falls: k0 times the square "
       "root of the initial loss over the present one, never less than "
       "before."},
      {"cap-growth", Kind::Flag, "false",
       "Lets the number of uploads grow by at most half of itself and one per "
       "round; for tiny batches, whose loss is noisy."},
      // How stale an upload may be.
      {"bounded", Kind::Flag, "true",
       "Restarts workers whose model is staler than the bound. Without it no "
       "upload is ever too old."},
      {"bound", Kind::Integer, "-1",
       "A constant bound on staleness, in versions; -1 lets it follow the "
       "number of uploads K of M workers: ceil(alpha M / K) - 1.",
       -1},
      {"alpha", Kind::Real, "0.5",
       "The share of the mean staleness at which the bound that follows the "
       "number of uploads cuts.",
       1e-9, 1e9},
      {"bound-floor", Kind::Integer, "1",
       "The smallest bound that follows the number of uploads.", 0},
      {"exempt", Kind::Integer, "0",
       "Lets a worker finish, however stale, after so many restarts in a row, "
       "so that slow ones do not starve; the bound is then soft. 0: never.",
       0},
      // The loss that steers.
      {.name = "loss",
       .kind = Kind::Choice,
       .value = "reported",
       .help = "The loss of a round: what workers report, the mean loss of a "
               "job's first batch at the model they got; or exact, the mean "
               "loss of all training samples at the new model, which the "
               "server computes. For experiments: the server needs the time "
               "of an epoch's forward passes in every round.",
       .choices = {"reported", "exact"}},
      {"guard", Kind::Flag, "true",
       "Waits for half as many more when the smoothed loss rises above its "
       "smallest value by guard-ratio."},
      {"guard-ratio", Kind::Real, "1.2",
       "How far the smoothed loss may rise above its smallest value.", 1.000001,
       1e9},
      {"smoothing", Kind::Real, "0.9",
       "Weight of the past in the smoothed loss.", 0, 0.999999},
      {"initial-loss", Kind::Real, "0",
       "The loss before training; 0 takes the mean of the first reports, as "
       "many as there are workers, or with loss=exact the exact one.",
       0, 1e300},
      {"loss-floor", Kind::Real, "0",
       "The loss that cannot be undercut, if it is known: subtracted from "
       "every loss.",
       -1e300, 1e300},
      {"target-loss", Kind::Real, "0",
       "Ends the run when the smoothed loss has come down to this; 0: only "
       "samples and stop requests end it.",
       -1e300, 1e300},
      // What the server does with uploads.
      {"by-staleness", Kind::Flag, "false",
       "Multiplies each upload by 1 / (1 + staleness) before the mean."},
      {"server-momentum", Kind::Real, "0",
       "Momentum of the server's model: V = momentum V + mean upload, w = w + "
       "V.",
       0, 0.999999},
  };
}

static std::vector<AlgorithmConfiguration> configurations() {
  return {
      {"bounded-staleness",
       "a server waits for the first K workers, K grows as the loss falls, and "
       "workers that fall too far behind start afresh"},
      {"k-sync",
       "the server waits for a fixed number of workers; all others restart "
       "with every new model",
       {{"adapt", "false"}, {"guard", "false"}, {"bound", "0"}}},
      {"k-async",
       "the server waits for a fixed number of uploads, however stale",
       {{"adapt", "false"}, {"guard", "false"}, {"bounded", "false"}}},
      {"asgd",
       "the server applies every upload at once, however stale",
       {{"k0", "1"},
        {"adapt", "false"},
        {"guard", "false"},
        {"bounded", "false"}}},
      {"adasync",
       "the server waits for the more uploads the lower the loss is, however "
       "stale they are",
       {{"guard", "false"}, {"bounded", "false"}}},
      {"sa-adasync",
       "adasync in which old uploads count less",
       {{"guard", "false"}, {"bounded", "false"}, {"by-staleness", "true"}}},
  };
}

const AlgorithmInfo &bounded_staleness::info() {
  static const AlgorithmInfo info{
      .configurations = configurations(),
      .description =
          "One member is the server and holds the model; all others are "
          "workers. A worker downloads the model, makes a few local SGD steps "
          "and uploads the change. The server closes a round when K uploads "
          "are in, adds their mean to the model and hands the new one to those "
          "who took part. Everybody else goes on computing on an older model, "
          "unless it has become older than a bound: then the worker gets the "
          "new model at once and drops what it was doing. K grows as the loss "
          "falls, and the bound tightens with it: rough and fast at first, "
          "careful later.\n\nUse it when workers differ in speed or stall now "
          "and then, and the samples of all workers come from one "
          "distribution. It needs a member more than it has workers, and buys "
          "time with computation that is thrown away: a quarter to a half of "
          "it is usual. With k0 at the number of workers or above, nobody is "
          "ever stale and the program is synchronous local SGD.",
      .options = options(),
      .warnings =
          {"Tune the learning rate anew: the gain lies in the larger rate that "
           "bounded staleness stands. At the best rate of an unbounded method "
           "it is slower than that method.",
           "A slow worker may be restarted for ever and never count. That is "
           "harmless while all workers draw from the same data, and a bias "
           "otherwise; exempt=2 lets it finish, at the price of a soft bound.",
           "Momentum under delay is dangerous: with server-momentum 0.9 and a "
           "staleness of 1, the largest stable step is a tenth of the one "
           "without. The optimizer's own state starts at zero with every "
           "download.",
           "Aborted jobs favour samples that are quick to compute. If the time "
           "of a batch depends on its content, group samples by length.",
           "The bound falls when K rises, so several workers may restart and "
           "download together; the server's link must stand that.",
           "Rounds and uploads are few, downloads are many: total traffic is "
           "not less than that of adasync.",
           "The learning-rate schedule counts samples that reached the model, "
           "not rounds and not time; thrown-away work does not advance it."},
  };
  return info;
}
