// Accelerated gossip: its names, its options, its warnings.
#include "A2cid2Graph.h"

#include "A2cid2.h"

using namespace rubato;
using Kind = AlgorithmOption::Kind;

static std::vector<AlgorithmOption> options() {
  return {
      {.name = "topology",
       .kind = Kind::Choice,
       .value = "complete",
       .help = "Who may average with whom. In 'exponential' members at a "
               "distance of a power of two are neighbours, and one that is "
               "reached both ways counts twice; 'exponential-simple' counts it "
               "once. 'two-clusters' are two complete halves with one edge "
               "between them. A torus is rows and columns closed to rings; a "
               "hypercube needs a power of two; 'random-regular' and "
               "'erdos-renyi' are drawn until they are connected.",
       .choices = {"complete", "ring", "exponential", "exponential-simple",
                   "star", "path", "two-clusters", "torus", "hypercube",
                   "random-regular", "erdos-renyi"}},
      {"topology-rows", Kind::Integer, "0",
       "Rows of a torus; 0: the most square layout.", 0, 1024},
      {"topology-degree", Kind::Real, "0",
       "Neighbours of each member in 'random-regular' (0: 4), or on average in "
       "'erdos-renyi' (0: twice the logarithm of the number of members).",
       0, 1023},
      {"topology-seed", Kind::Integer, "0",
       "Draws another random graph. The graph does not depend on the seed of "
       "the run.",
       0},
      {.name = "topology-file",
       .kind = Kind::File,
       .value = "",
       .help = "A graph of your own instead: a file with an edge `a b` or "
               "`a b weight` in each line, members numbered from 0, # before "
               "comments. It is read when compiling and becomes part of the "
               "executable. Edges are used as often, relative to each other, "
               "as their weights say.",
       .read = a2cid2::readEdges},
      {.name = "repair",
       .kind = Kind::Choice,
       .value = "close",
       .help = "What a lost member does to the graph. close: the others form "
               "the named graph anew; in a torus, a hypercube, a random graph "
               "or one from a file, which the others cannot form, its "
               "neighbours are joined in a ring. induced: its edges vanish "
               "(for graphs that mirror physical links).",
       .choices = {"close", "induced"}},
      {"rate", Kind::Real, "1", "Averagings per member and gradient.", 1e-3,
       1e3},
      {"deterministic", Kind::Flag, "false",
       "Takes exactly the rate between two turns instead of a Poisson draw "
       "with that mean."},
      {"accelerate", Kind::Flag, "true",
       "Keeps the second variable that gives pairwise averaging a momentum. "
       "Without it: eta = 0 and alpha = 1/2, plain gossip."},
      {"repeats", Kind::Flag, "false",
       "Lets two members average again at once, with nobody else in between: "
       "nobody waits for a slow neighbour, but pairs can lock themselves in. "
       "In a graph from a file, two whose edge is behind its share may "
       "always."},
      {"ema", Kind::Real, "0.5",
       "Weight of the past in the measured time of a gradient, which is the "
       "unit of the clock that mixing runs by.",
       0, 0.999999},
      {"warmup-gradients", Kind::Integer, "1",
       "Gradients at the start that are neither timed nor applied, so that the "
       "first measured one does not tell of cold caches.",
       0, 1000},
      {"scale-eta", Kind::Flag, "true",
       "Lowers eta by the measured averagings per gradient over the rate where "
       "that is below 1: a network slower than the rate would make the "
       "iteration diverge."},
  };
}

const AlgorithmInfo &a2cid2::info() {
  static const AlgorithmInfo info{
      .configurations =
          {{"a2cid2",
            "members average in pairs while they compute, with a momentum that "
            "makes up for a sparse network"},
           {"gossip",
            "members average in pairs while they compute",
            {{"accelerate", "false"}}}},
      .description =
          "Every member trains a replica of its own. A second strand averages "
          "it with one other member at a time, while the first computes "
          "gradients; nobody ever waits for the whole group. A matcher pairs "
          "members that are free and are neighbours in the chosen graph. "
          "Between events each replica mixes with a second variable of the "
          "same size, by a rule that needs no communication; that momentum "
          "makes a badly connected graph agree about as fast as one that "
          "communicates twice as often.\n\nUse it when machines differ in "
          "speed, when the network is slow or sparse, or when there are too "
          "many members for a reduction among all. Momentum in the optimizer "
          "or unequal data is where the acceleration shows. On the complete "
          "graph it changes nothing: there a2cid2 is gossip. The model is the "
          "average over members.",
      .options = options(),
      .warnings =
          {"Pair locking: where an averaging lasts longer than a gradient, two "
           "members could find only each other for ever. The matcher forbids "
           "an immediate repeat where both have another neighbour, unless "
           "repeats=true; a share of repeats above 60 % means that pairs are "
           "locked. In return neighbours of a slow member wait for it more.",
           "Time that runs too fast diverges: eta belongs to the true number "
           "of averagings per gradient, and on a ring of 64 half of them is "
           "too few. scale-eta watches that; leave it on.",
           "Starvation: in a star or a path the members at the end have one "
           "neighbour only and wait for it. With rate 1 their gradients wait "
           "too.",
           "Without momentum in the optimizer and with the same data "
           "everywhere, acceleration hardly brings replicas closer together; "
           "do not judge it there.",
           "Momentum buffers stay with their member and are never averaged.",
           "Fast members compute more gradients than slow ones. The schedule "
           "of the learning rate runs by each member's own samples times the "
           "number of members.",
           "Parts: with repair=induced, deaths can cut a graph in two. Each "
           "part "
           "then agrees by itself, and a member without neighbours computes "
           "alone; nobody waits, and the model is still the average over all.",
           "A star: members measure time by their own gradients, and the hub "
           "makes as many as all others together; acceleration is slower there "
           "than gossip."},
      .check = a2cid2::checkGraph,
  };
  return info;
}
