// Data-parallel training without parallelism: one process computes the share
// of every rank in turn, sums the shares in rank order and updates in plain
// C++. A run of that many workers must leave the same bits behind.
//
// It links a compiled unit, takes the samples from the runtime's TrainSource
// and uses of the unit `gradient` alone: no round, no collective, no update.
//
//   serial_reference INPUTS LABELS RANKS GLOBAL-BATCH STEPS OUTPUT
#include "abi/context.h"
#include "data/sources.h"
#include "fabric/group.h"
#include "state/dump.h"

#include <cstdio>
#include <cstdlib>
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

void require(rb_ctx *context, int32_t status) {
  if (status != RB_OK)
    fail(lastError(context).message());
}

/// All micro-batches of `source`'s present round, from zero. (In a round the
/// first one overwrites instead: a gradient of -0 stays -0 there and becomes +0
/// here, which changes no parameter but one that is itself zero.)
void computeShare(const Unit &unit, rb_ctx *context, TrainSource &source,
                  PartialSum &share) {
  setBatchSource(context, source);
  auto bytes = static_cast<int64_t>(share.gradient.size() * sizeof(float));
  std::fill(share.gradient.begin(), share.gradient.end(), 0.f);
  share.samples = 0;
  double loss = 0;
  require(context, rb_write(context, unit.gradient.region, unit.gradient.offset,
                            share.gradient.data(), bytes));
  require(context, rb_write(context, unit.gradientSamples.region,
                            unit.gradientSamples.offset, &share.samples, 8));
  require(context, rb_write(context, unit.gradientLoss.region,
                            unit.gradientLoss.offset, &loss, 8));
  for (int64_t i = 0, quanta = source.quanta(); i < quanta; ++i) {
    require(context, rb_next_batch(context));
    require(context, rubato_unit.gradient(context));
  }
  require(context, rb_read(context, unit.gradient.region, unit.gradient.offset,
                           share.gradient.data(), bytes));
  require(context, rb_read(context, unit.gradientSamples.region,
                           unit.gradientSamples.offset, &share.samples, 8));
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

  std::vector<TrainSource> sources;
  for (int rank = 0; rank < ranks; ++rank)
    sources.emplace_back(unit, data,
                         TrainOrder{globalBatch,
                                    globalBatch / ranks / unit.quantum, ranks,
                                    rank, /*seed=*/7, /*shuffle=*/true});
  std::unique_ptr<Group> alone;
  require(Group::create(1, unit.regionBytes[RB_SHARED],
                        unit.regionBytes[RB_RESULT], alone));
  rb_ctx *context = nullptr;
  require(makeContext(unit, *alone, sources[0], {}, context));

  auto count = static_cast<size_t>(unit.flatCount());
  auto bytes = static_cast<int64_t>(count * sizeof(float));
  Place place = unit.cell("w")->place;
  std::vector<float> parameters(count), velocity(count), sum(count);
  require(context, rb_read(context, place.region, place.offset,
                           parameters.data(), bytes));
  PartialSum share{std::vector<float>(count), 0};
  int64_t seen = 0, tails = 0;
  for (int64_t step = 0; step < steps; ++step) {
    int64_t samples = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      computeShare(unit, context, sources[static_cast<size_t>(rank)], share);
      samples += share.samples;
      for (size_t i = 0; i < count; ++i)
        sum[i] = rank == 0 ? share.gradient[i] : sum[i] + share.gradient[i];
    }
    update(sum, samples, seen, velocity, parameters);
    seen += samples;
    tails += samples < globalBatch;
    require(context, rb_write(context, place.region, place.offset,
                              parameters.data(), bytes));
  }
  destroyContext(context);
  require(dumpSlots(unit, reinterpret_cast<char *>(parameters.data()), argv[6],
                    {{"samples", std::to_string(seen)}}));
  std::printf("%d shares: %lld rounds, %lld epoch tails, %lld samples\n", ranks,
              static_cast<long long>(steps), static_cast<long long>(tails),
              static_cast<long long>(seen));
  return 0;
}
