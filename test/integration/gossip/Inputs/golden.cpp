// Golden vectors and invariants of accelerated gossip, with the compiled
// rounds.
//
//   golden ring     of a unit of accelerated gossip on a ring
//   golden equal    x~ must stay x, bit for bit; prints all x after many events
#include "task.h"

#include <random>

using namespace rubato;
using namespace rubato::test;

extern "C" const rb_unit rubato_unit;

namespace {

int failures = 0;

void expectNear(const char *what, int index, double got, double want,
                double tolerance) {
  if (std::abs(got - want) <= tolerance)
    return;
  ++failures;
  std::printf("FAILED %s %d: %.10g instead of %.10g\n", what, index, got, want);
}

struct Sums {
  double x = 0, xt = 0;
};

Sums sums(EventRing &ring, double time) {
  Sums total;
  for (int rank = 0; rank < ring.size(); ++rank) {
    EventRing::Mixed mixed = ring.mixedTo(rank, 0, time);
    total.x += mixed.x;
    total.xt += mixed.xt;
  }
  return total;
}

void give(EventRing &ring, int rank, double x, double xt) {
  for (int k = 0; k < ring.coordinates(); ++k) {
    ring.x(rank)[k] = static_cast<float>(x);
    ring.xt(rank)[k] = static_cast<float>(xt);
  }
}

/// Events on a ring of four, in the order mix, exchange, apply and no other.
void goldenVector(const Unit &unit) {
  ChosenGradient task(unit);
  EventRing ring(unit, task.data, 4);
  for (int rank = 0; rank < 4; ++rank)
    ring.set(rank, "base-lr", 0.1);
  ring.start();
  for (int rank = 0; rank < 4; ++rank)
    give(ring, rank, rank == 0, rank == 0);
  ring.average(0, 1, 0.5);
  ring.average(1, 2, 1.25);
  task.choose(ring, 2, 1);
  ring.gradient(2, 1.5);
  ring.average(2, 3, 1.75);
  const double x[] = {0.4681673169, 0.2589229842, 0.0862276346, 0.0866820643};
  const double xt[] = {0.4544824139, 0.2556113182, 0.0933680267, 0.0965382412};
  constexpr double rounding = 2e-7; // of f32, a few times
  for (int rank = 0; rank < 4; ++rank)
    for (int k : {0, ring.coordinates() - 1}) {
      EventRing::Mixed mixed = ring.mixedTo(rank, k, 2);
      expectNear("golden x", rank, mixed.x, x[rank], rounding);
      expectNear("golden xt", rank, mixed.xt, xt[rank], rounding);
    }
  // Another order would give these.
  const double early[] = {0.2706288839, 0.0822777480, 0.0789260513};
  for (int rank = 1; rank < 4; ++rank)
    if (std::abs(ring.mixedTo(rank, 0, 2).x - early[rank - 1]) < 1e-3)
      expectNear("order", rank, 0, 1, 0);
  expectNear("mean x", 0, sums(ring, 2).x / 4, 0.225, rounding);
  expectNear("mean xt", 0, sums(ring, 2).xt / 4, 0.225, rounding);
}

/// A gradient of zero mixes and does nothing else.
void mixing(const Unit &unit) {
  struct {
    int members;
    double time, diagonal, off;
  } rows[] = {{16, 0.1, 0.985953690857, 0.014046309143},
              {16, 1, 0.876026810275, 0.123973189725},
              {16, 5, 0.620285710073, 0.379714289927},
              {64, 1, 0.966224540513, 0.033775459487}};
  for (auto [members, time, diagonal, off] : rows) {
    ChosenGradient task(unit);
    EventRing ring(unit, task.data, members);
    for (int rank = 0; rank < members; ++rank)
      ring.set(rank, "base-lr", 0);
    ring.start();
    give(ring, 0, 1, 0);
    give(ring, 1, 1, 0);
    ring.gradient(0, time);
    // In two pieces it is the same.
    ring.gradient(1, time / 3);
    ring.gradient(1, time);
    for (int rank : {0, 1}) {
      double x = static_cast<double>(ring.x(rank)[0]);
      double xt = static_cast<double>(ring.xt(rank)[0]);
      expectNear("mixed x", members, x, diagonal, 1e-7);
      expectNear("mixed xt", members, xt, off, 1e-7);
      expectNear("x + xt", members, x + xt, 1, 1e-7);
    }
  }
}

/// What an averaging and a gradient do to the sums over members.
void conservation(const Unit &unit) {
  ChosenGradient task(unit);
  constexpr int members = 16;
  EventRing ring(unit, task.data, members);
  for (int rank = 0; rank < members; ++rank)
    ring.set(rank, "base-lr", 0.1);
  ring.start();
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  for (int rank = 0; rank < members; ++rank) {
    double value = normal(bits);
    give(ring, rank, value, value);
  }
  constexpr double rounding = 4e-6; // of sums of f32, after many events
  double time = 0;
  for (int i = 0; i < 400; ++i) {
    time += 0.05;
    int rank = static_cast<int>(bits() % members);
    Sums before = sums(ring, time);
    double g = normal(bits);
    auto step = [&] {
      task.choose(ring, rank, g);
      ring.gradient(rank, time);
    };
    double moved = i % 3 ? 0.1 * g : 0;
    if (i % 3 == 0)
      ring.average(rank, (rank + 1) % members, time);
    else if (i % 3 == 1)
      step();
    else
      ring.averageAround(rank, (rank + 1) % members, time, step);
    Sums after = sums(ring, time);
    expectNear("sum of x after event", i, after.x, before.x - moved, rounding);
    expectNear("sum of xt after event", i, after.xt, before.xt - moved,
               rounding);
    expectNear("mean x = mean xt, event", i, after.x, after.xt, 100 * rounding);
  }
}

/// Members whose gradients take different times mix by clocks of their own:
/// then averagings conserve x and x~ together, and neither alone.
void ownClocks(const Unit &unit) {
  ChosenGradient task(unit);
  constexpr int members = 16;
  EventRing ring(unit, task.data, members);
  ring.start();
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  for (int rank = 0; rank < members; ++rank) {
    double value = normal(bits);
    give(ring, rank, value, value);
    ring.number(rank, "dt") = rank % 4 ? 1 : 2.5;
  }
  const Sums first = sums(ring, 0);
  constexpr double rounding = 4e-6; // of sums of f32, after many events
  double wobble = 0;
  for (int i = 0; i < 400; ++i) {
    double time = 0.05 * i;
    int rank = static_cast<int>(bits() % members);
    ring.average(rank, (rank + 1) % members, time);
    Sums now = sums(ring, time);
    expectNear("sum of x and xt, own clocks, event", i, now.x + now.xt,
               first.x + first.xt, rounding);
    wobble = std::max(wobble, std::abs(now.x - first.x));
  }
  if (wobble < 100 * rounding)
    expectNear("x alone moves", 0, wobble, 1, 0);
}

/// One member has no graph: plain steps.
void alone(const Unit &unit) {
  ChosenGradient task(unit);
  EventRing ring(unit, task.data, 1);
  ring.set(0, "base-lr", 0.1);
  ring.start();
  expectNear("eta of one member", 0, ring.number(0, "eta"), 0, 0);
  give(ring, 0, 0.5, 0.5);
  double want = 0.5;
  for (int i = 0; i < 50; ++i) {
    double g = std::cos(i);
    task.choose(ring, 0, g);
    ring.gradient(0, i + 0.5);
    want -= 0.1 * g;
    expectNear("plain step", i, static_cast<double>(ring.x(0)[0]), want, 1e-6);
    expectNear("plain step of xt", i, static_cast<double>(ring.xt(0)[0]),
               static_cast<double>(ring.x(0)[0]), 0);
  }
}

void equal(const Unit &unit) {
  ChosenGradient task(unit);
  constexpr int members = 6;
  EventRing ring(unit, task.data, members);
  for (int rank = 0; rank < members; ++rank)
    ring.set(rank, "base-lr", 0.1);
  ring.start();
  std::mt19937_64 bits(2);
  std::normal_distribution<double> normal;
  for (int rank = 0; rank < members; ++rank) {
    double value = normal(bits);
    give(ring, rank, value, value);
  }
  for (int i = 0; i < 300; ++i) {
    int rank = static_cast<int>(bits() % members);
    task.choose(ring, rank, normal(bits));
    if (i % 2)
      ring.gradient(rank, 0.1 * i);
    else
      ring.average(rank, (rank + 1 + i % 5) % members, 0.1 * i);
    for (int each = 0; each < members; ++each)
      if (std::memcmp(ring.x(each), ring.xt(each),
                      static_cast<size_t>(ring.coordinates()) * sizeof(float)))
        expectNear("x and xt differ after event", i, 0, 1, 0);
  }
  for (int rank = 0; rank < members; ++rank)
    std::printf("%a\n", static_cast<double>(ring.x(rank)[0]));
}

} // namespace

int main(int argc, char **argv) {
  Unit unit;
  require(loadUnit(rubato_unit, unit));
  if (argc == 2 && std::strcmp(argv[1], "equal") == 0) {
    equal(unit);
  } else {
    goldenVector(unit);
    mixing(unit);
    conservation(unit);
    ownClocks(unit);
    alone(unit);
    std::printf("%d failures\n", failures);
  }
  return failures != 0;
}
