// Data-parallel training without parallelism: one process computes the share
// of every rank in turn, sums the shares in rank order and updates in plain
// C++. A run of that many workers must leave the same bits behind.
//
// It links a compiled unit and uses of it `gradient` alone: no round, no
// reduction, no update. Who takes which samples is written down here again.
//
//   serial_reference INPUTS LABELS RANKS GLOBAL-BATCH STEPS OUTPUT
#include "data/permutation.h"
#include "environment/refusing_environment.h"
#include "program/member.h"
#include "state/dump.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace rubato;

extern "C" const rb_unit rubato_unit;

namespace {

/// The compile options of the unit, which it cannot be asked for.
constexpr float momentum = 0.9f, baseRate = 0.05f;
constexpr double warmup = 1000;

/// The gradient of one share, with what it was summed over.
struct PartialSum {
  std::vector<float> gradient;
  int64_t samples = 0;
};

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(1);
}

void require(const Status &status) {
  if (!status)
    fail(status.message());
}

/// Which samples a round takes: the next of the epoch's permutation.
struct Round {
  int64_t epoch = 0, begin = 0, samples = 0;
};

/// The share of `rank`, in whole micro-batches; the last may be padding only.
/// (In a round the first one overwrites instead of adding to zero: a gradient
/// of -0 stays -0 there and becomes +0 here, which changes no parameter but one
/// that is itself zero.)
void computeShare(const Unit &unit, const Dataset &data, Member &member,
                  const Round &round, int rank, int ranks, int64_t quanta,
                  PartialSum &share) {
  Permutation order(data.samples, /*seed=*/7,
                    static_cast<uint64_t>(round.epoch));
  int64_t next = round.samples * rank / ranks;
  int64_t end = round.samples * (rank + 1) / ranks;
  Member::Gradient gradient;
  share.samples = 0;
  for (int64_t i = 0; i < quanta; ++i) {
    std::vector<int64_t> rows;
    for (; next < end && static_cast<int64_t>(rows.size()) < unit.quantum;
         ++next)
      rows.push_back(order[round.begin + next]);
    require(member.gradient(data, rows, gradient, /*adds=*/i > 0));
    share.samples += gradient.samples;
  }
  std::memcpy(share.gradient.data(), gradient.flat,
              share.gradient.size() * sizeof(float));
}

/// SGD with momentum and a linear warm-up over samples, in the order of
/// operations that `rubato compile --emit train` shows for @lr and @step.
void update(const std::vector<float> &gradient, int64_t samples, int64_t seen,
            std::vector<float> &velocity, std::vector<float> &parameters) {
  auto factor =
      static_cast<float>(static_cast<double>(seen + samples) / warmup);
  float rate = baseRate * (factor < 1 ? factor : 1);
  float mean = 1.f / static_cast<float>(samples);
  for (size_t i = 0; i < parameters.size(); ++i) {
    velocity[i] = velocity[i] * momentum + gradient[i] * mean;
    parameters[i] = parameters[i] - rate * velocity[i];
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7)
    fail("wrong arguments");
  int ranks = std::atoi(argv[3]);
  int64_t globalBatch = std::atoll(argv[4]), steps = std::atoll(argv[5]);

  Unit unit;
  require(loadUnit(rubato_unit, unit));
  Dataset data;
  std::vector<std::string> warnings;
  DatasetFiles files;
  files.inputs[unit.inputs[0].name] = argv[1];
  files.labels[unit.labels[0].name] = argv[2];
  require(loadDataset(unit, files, "", data, warnings));

  RefusingEnvironment nobody("a gradient is computed alone");
  std::unique_ptr<Member> member;
  require(Member::make({.unit = unit, .environment = nobody}, member));

  auto count = static_cast<size_t>(unit.flatCount());
  auto *model =
      static_cast<float *>(member->hostAddress(unit.cell("w")->place));
  std::vector<float> parameters(model, model + count), velocity(count),
      sum(count);
  int64_t quanta = globalBatch / ranks / unit.quantum;
  Round round;
  PartialSum share{std::vector<float>(count), 0};
  int64_t seen = 0, tails = 0;
  for (int64_t step = 0; step < steps; ++step) {
    int64_t samples = 0;
    round.samples = std::min(globalBatch, data.samples - round.begin);
    for (int rank = 0; rank < ranks; ++rank) {
      computeShare(unit, data, *member, round, rank, ranks, quanta, share);
      samples += share.samples;
      for (size_t i = 0; i < count; ++i)
        sum[i] = rank == 0 ? share.gradient[i] : sum[i] + share.gradient[i];
    }
    update(sum, samples, seen, velocity, parameters);
    seen += samples;
    tails += samples < globalBatch;
    std::copy(parameters.begin(), parameters.end(), model);
    round.begin += round.samples;
    if (round.begin == data.samples)
      round = {round.epoch + 1};
  }
  require(dumpSlots(unit, reinterpret_cast<char *>(parameters.data()), argv[6],
                    {{"samples", std::to_string(seen)}}));
  std::printf("%d shares: %lld rounds, %lld epoch tails, %lld samples\n", ranks,
              static_cast<long long>(steps), static_cast<long long>(tails),
              static_cast<long long>(seen));
  return 0;
}
