// Compiled gossip under Poisson clocks: every member has a gradient of zero at
// rate 1, every edge of the ring an averaging at rate 1/2. Prints, for each
// time, means over replicas with their standard errors:
//
//   t  E D(t)/E D(0)  error  projection of the slowest mode  error
//
// D is the mean squared distance to the mean per coordinate, all members mixed
// to the same instant. Coordinate 0 starts as the slowest mode cos(2 pi i / n),
// the others as independent normal numbers, x~ = x.
//
//   poisson X.npy Y.npy MEMBERS REPLICAS SEED ETA-FACTOR ALPHA-FACTOR DT
//   TIME...
//
// DT is the first estimate of the time of a gradient, which is 1.
#include "event_ring.h"

#include <algorithm>
#include <numbers>
#include <random>

using namespace rubato;
using namespace rubato::test;

extern "C" const rb_unit rubato_unit;

namespace {

struct Mean {
  double sum = 0, squares = 0;
  int64_t count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double value() const { return sum / static_cast<double>(count); }
  double error() const {
    auto n = static_cast<double>(count);
    return std::sqrt((squares / n - value() * value()) / (n - 1));
  }
};

double modeOf(int rank, int n) {
  return std::cos(2 * std::numbers::pi * rank / n);
}

class Replica {
public:
  Replica(EventRing &ring, uint64_t seed) : ring(ring), bits(seed) {}

  void begin(double eta, double alpha, double dt) {
    int n = ring.size();
    std::normal_distribution<double> normal;
    for (int rank = 0; rank < n; ++rank) {
      for (int k = 0; k < ring.coordinates(); ++k)
        ring.x(rank)[k] = ring.xt(rank)[k] =
            static_cast<float>(k == 0 ? modeOf(rank, n) : normal(bits));
      ring.number(rank, "last") = 0;
      ring.number(rank, "dt") = dt;
      ring.number(rank, "eta") = ring.number(rank, "eta-graph") = eta;
      ring.number(rank, "alpha") = alpha;
    }
    time = 0;
    draw();
  }

  /// All events up to `end`.
  void runTo(double end) {
    int n = ring.size();
    std::uniform_int_distribution<int> member(0, n - 1);
    while (upcoming <= end) {
      time = upcoming;
      int rank = member(bits);
      // n gradients and n edges of rate 1/2 in a unit of time.
      if (std::uniform_real_distribution<double>(0, 1.5)(bits) < 1)
        ring.gradient(rank, time);
      else
        ring.average(rank, (rank + 1) % n, time);
      draw();
    }
    time = end;
  }

  double distance() {
    double sum = 0;
    int n = ring.size();
    for (int k = 1; k < ring.coordinates(); ++k) {
      double mean = 0, squares = 0;
      for (int rank = 0; rank < n; ++rank)
        mean += ring.mixedTo(rank, k, time).x / n;
      for (int rank = 0; rank < n; ++rank) {
        double away = ring.mixedTo(rank, k, time).x - mean;
        squares += away * away;
      }
      sum += squares / n;
    }
    return sum / (ring.coordinates() - 1);
  }

  double slowest() {
    double sum = 0;
    int n = ring.size();
    for (int rank = 0; rank < n; ++rank)
      sum += 2.0 / n * modeOf(rank, n) * ring.mixedTo(rank, 0, time).x;
    return sum;
  }

private:
  void draw() {
    std::exponential_distribution<double> wait(1.5 * ring.size());
    upcoming = time + wait(bits);
  }

  EventRing &ring;
  std::mt19937_64 bits;
  double time = 0, upcoming = 0;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 10) {
    std::fprintf(stderr, "error: wrong arguments\n");
    return 2;
  }
  int members = std::atoi(argv[3]), replicas = std::atoi(argv[4]);
  uint64_t seed = std::strtoull(argv[5], nullptr, 10);
  double etaFactor = std::atof(argv[6]), alphaFactor = std::atof(argv[7]);

  Unit unit;
  require(loadUnit(rubato_unit, unit));
  DatasetFiles files;
  files.inputs[unit.inputs[0].name] = argv[1];
  files.labels[unit.labels[0].name] = argv[2];
  Dataset data;
  std::vector<std::string> warnings;
  require(loadDataset(unit, files, "", data, warnings));
  EventRing ring(unit, data, members);
  for (int rank = 0; rank < members; ++rank)
    ring.set(rank, "base-lr", 0);
  ring.start();
  double eta = etaFactor * ring.number(0, "eta");
  double alpha = alphaFactor * ring.number(0, "alpha");

  std::vector<double> times;
  for (int i = 9; i < argc; ++i)
    times.push_back(std::atof(argv[i]));
  std::vector<Mean> distances(times.size()), slowest(times.size());
  for (int i = 0; i < replicas; ++i) {
    Replica replica(ring, seed + static_cast<uint64_t>(i));
    replica.begin(eta, alpha, std::atof(argv[8]));
    for (size_t k = 0; k != times.size(); ++k) {
      replica.runTo(times[k]);
      distances[k].add(replica.distance() / (1 - 1.0 / members));
      slowest[k].add(replica.slowest());
    }
  }
  for (size_t k = 0; k != times.size(); ++k)
    std::printf("%g %.9g %.3g %.9g %.3g\n", times[k], distances[k].value(),
                distances[k].error(), slowest[k].value(), slowest[k].error());
  return 0;
}
