#include "data/sources.h"

#include <algorithm>

using namespace rubato;

Share rubato::shareOf(int64_t total, int64_t parts, int64_t part) {
  int64_t begin = total * part / parts;
  return {begin, total * (part + 1) / parts - begin};
}

void BatchWriter::write(const BatchBuffers &to, const Permutation &order,
                        int64_t first, int64_t count) const {
  for (int64_t row = 0; row < count; ++row)
    to.ids[row] = order[first + row];
  fill(to, count);
}

void BatchWriter::write(const BatchBuffers &to,
                        std::span<const int64_t> rows) const {
  std::copy(rows.begin(), rows.end(), to.ids);
  fill(to, static_cast<int64_t>(rows.size()));
}

/// The samples are named by the ids already.
void BatchWriter::fill(const BatchBuffers &to, int64_t count) const {
  auto each = [&](auto &&visit) {
    for (size_t i = 0; i < dataset.inputs.size(); ++i)
      visit(dataset.inputs[i], static_cast<char *>(to.inputs[i]));
    for (size_t i = 0; i < dataset.labels.size(); ++i)
      visit(dataset.labels[i], static_cast<char *>(to.labels[i]));
  };
  std::fill(to.ids + count, to.ids + quantum, -1);
  constexpr int64_t ahead = 2;
  for (int64_t row = 0; row < quantum; ++row) {
    bool valid = row < count;
    if (row + ahead < count)
      each([&](const Field &field, char *) {
        field.prefetchSample(to.ids[row + ahead]);
      });
    if (weightType == RB_F64)
      static_cast<double *>(to.weights)[row] = valid;
    else
      static_cast<float *>(to.weights)[row] = valid;
    each([&](const Field &field, char *buffer) {
      if (valid)
        field.copySample(to.ids[row], buffer, row);
      else
        field.clearRow(buffer, row);
    });
  }
}

TrainSource::TrainSource(const Unit &unit, const Dataset &dataset,
                         const TrainOrder &order)
    : writer(unit, dataset), order(order), samples(dataset.samples),
      quantum(unit.quantum), present(permutation()) {}

Permutation TrainSource::permutation() const {
  return order.shuffle
             ? Permutation(samples, order.seed, static_cast<uint64_t>(epoch_))
             : Permutation(samples);
}

int64_t TrainSource::roundSamples() const {
  return std::min(order.globalBatch, samples - roundBegin);
}

Status TrainSource::next(const BatchBuffers &to) {
  Share share = shareOf(roundSamples(), order.members, order.rank);
  int64_t done = quantumInRound * quantum;
  writer.write(to, present, roundBegin + share.begin + done,
               std::clamp<int64_t>(share.count - done, 0, quantum));
  if (++quantumInRound < order.quanta)
    return Status::ok();
  quantumInRound = 0;
  roundBegin += roundSamples();
  if (roundBegin == samples) {
    roundBegin = 0;
    ++epoch_;
    present = permutation();
  }
  return Status::ok();
}

EvalSource::EvalSource(const Unit &unit, const Dataset &dataset, int members,
                       int rank)
    : writer(unit, dataset), identity(dataset.samples),
      share(shareOf(dataset.samples, members, rank)), quantum(unit.quantum) {}

int64_t EvalSource::quanta() const {
  return (share.count + quantum - 1) / quantum;
}

Status EvalSource::next(const BatchBuffers &to) {
  int64_t count = std::clamp<int64_t>(share.count - position, 0, quantum);
  writer.write(to, identity, share.begin + position, count);
  position += count;
  return Status::ok();
}
