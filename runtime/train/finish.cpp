// The end of a worker's run: the last evaluation, files, the summary.
#include "state/dump.h"
#include "state/export_onnx.h"
#include "telemetry/merge_traces.h"
#include "train/evaluate.h"
#include "train/worker.h"

#include <algorithm>
#include <cstring>

using namespace rubato;

Status Worker::finish() {
  // Decided by what all members know alike, not by the stop flag, which one
  // may see before another.
  bool early = last.seen < job.plan.budget;
  if (early)
    job.shared->stoppedEarly.store(1);
  else if (!evaluated || evaluated->round != last.round)
    RB_TRY(evaluate());
  RB_TRY(save());
  RB_TRY(dumpParameters());
  RB_TRY(writeTimeline());
  RB_TRY(metrics.close());
  if (leads())
    summarise();
  return Status::ok();
}

Status Worker::readFlat(Place place, std::vector<char> &flat) {
  int64_t count = 0;
  for (const Slot &slot : unit.layout)
    count = std::max(count, slot.offset + slot.count);
  int64_t bytes = count * (unit.floatType == RB_F64 ? 8 : 4);
  flat.resize(static_cast<size_t>(bytes));
  int32_t status =
      rb_read(context, place.region, place.offset, flat.data(), bytes);
  return status == RB_OK ? Status::ok() : contextError(context, status);
}

Status Worker::writeTimeline() {
  if (!timeline)
    return Status::ok();
  return timeline->writeChromeTrace(
      tracePart(job.options.timeline, job.members(), rank), rank);
}

static Status parameterPlace(const Unit &unit, Place &place) {
  const Cell *cell = unit.cell("w");
  if (!cell)
    return {ErrorCode::Internal, "the unit has no parameter cell 'w'"};
  place = cell->place;
  return Status::ok();
}

Status Worker::save() {
  if (!leads() || job.options.save.empty())
    return Status::ok();
  Place place;
  std::vector<char> flat;
  RB_TRY(parameterPlace(unit, place));
  RB_TRY(readFlat(place, flat));
  return saveOnnx(unit, flat.data(), job.options.save);
}

Status Worker::dumpParameters() {
  std::string path = job.options.dumpParameters;
  size_t wildcard = path.find("%r");
  if (path.empty() || (!leads() && wildcard == path.npos))
    return Status::ok();
  if (wildcard != path.npos)
    path.replace(wildcard, 2, std::to_string(rank));
  Place place;
  std::vector<char> flat;
  RB_TRY(parameterPlace(unit, place));
  RB_TRY(readFlat(place, flat));
  return dumpSlots(unit, flat.data(), path,
                   {{"samples", std::to_string(last.seen)}});
}

Status Worker::dumpGradients() {
  std::vector<char> flat;
  RB_TRY(readFlat(unit.gradient, flat)); // for its size
  std::fill(flat.begin(), flat.end(), 0);
  int64_t samples = 0;
  double loss = 0;
  auto write = [&](Place place, const void *from, size_t size) {
    return rb_write(context, place.region, place.offset, from,
                    static_cast<int64_t>(size));
  };
  auto read = [&](Place place, void *to, size_t size) {
    return rb_read(context, place.region, place.offset, to,
                   static_cast<int64_t>(size));
  };
  int32_t status = rb_next_batch(context);
  if (status == RB_OK)
    status = write(unit.gradient, flat.data(), flat.size());
  if (status == RB_OK)
    status = write(unit.gradientSamples, &samples, sizeof samples);
  if (status == RB_OK)
    status = write(unit.gradientLoss, &loss, sizeof loss);
  if (status == RB_OK)
    status = unit.code->gradient(context);
  if (status == RB_OK)
    status = read(unit.gradientSamples, &samples, sizeof samples);
  if (status == RB_OK)
    status = read(unit.gradientLoss, &loss, sizeof loss);
  if (status != RB_OK)
    return contextError(context, status).annotate("gradient");
  RB_TRY(readFlat(unit.gradient, flat));
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", loss);
  return dumpSlots(unit, flat.data(), job.options.dumpGradients,
                   {{"samples", std::to_string(samples)}, {"loss", text}});
}

void Worker::summarise() {
  auto text = [](const char *format, auto... values) {
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return std::string(buffer);
  };
  std::vector<std::pair<std::string, std::string>> rows;
  auto seen = static_cast<double>(last.seen);
  rows.emplace_back("samples",
                    std::to_string(last.seen) + " in " +
                        std::to_string(last.round) + " rounds, " +
                        std::to_string(job.members()) +
                        (job.members() > 1 ? " workers" : " worker"));
  rows.emplace_back("time", text("%.2f s, %.0f samples/s", trainSeconds,
                                 trainSeconds > 0 ? seen / trainSeconds : 0.));
  if (!job.places.empty())
    rows.emplace_back("cores",
                      describePlaces(job.places, allowedCores().size()));
  rows.emplace_back("training loss", text("%.4f (mean of the last epoch)",
                                          progress.epochLoss()));
  if (evaluated) {
    rows.emplace_back("evaluation loss", text("%.4f", evaluated->loss));
    if (evaluated->hasAccuracy)
      rows.emplace_back("accuracy",
                        text("%.4f (%lld of %lld)", evaluated->accuracy(),
                             static_cast<long long>(evaluated->correct),
                             static_cast<long long>(evaluated->samples)));
  }
  for (auto [name, path] : {std::pair<const char *, const std::string *>{
                                "saved", &job.options.save},
                            {"metrics", &job.options.metrics},
                            {"timeline", &job.options.timeline}})
    if (!path->empty())
      rows.emplace_back(name, *path);
  progress.summary(rows);
}
