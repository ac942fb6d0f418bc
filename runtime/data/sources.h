// Who computes which samples: the training rounds of an epoch and the shares
// of an evaluation.
#pragma once

#include "abi/batch_source.h"
#include "data/dataset.h"
#include "data/permutation.h"

#include <span>

namespace rubato {

/// A contiguous part of [0, total), from total · part / parts on, rounded down;
/// the interpreter and the simulator deal rounds in the same way.
struct Share {
  int64_t begin = 0, count = 0;
};
Share shareOf(int64_t total, int64_t parts, int64_t part);

/// Fills batch buffers from a data set; rows that are left are padding.
class BatchWriter {
public:
  BatchWriter(const Unit &unit, const Dataset &dataset)
      : dataset(dataset), quantum(unit.quantum),
        weightType(unit.weights.dtype) {}

  /// Rows [0, count) are the samples order[first], order[first + 1], …
  void write(const BatchBuffers &to, const Permutation &order, int64_t first,
             int64_t count) const;
  /// The same for samples that are given one by one, a quantum at most.
  void write(const BatchBuffers &to, std::span<const int64_t> rows) const;

private:
  void fill(const BatchBuffers &to, int64_t count) const;

  const Dataset &dataset;
  int64_t quantum;
  rb_dtype weightType;
};

struct TrainOrder {
  int64_t globalBatch = 0, quanta = 0; // samples, micro-batches per member
  int members = 1, rank = 0;
  uint64_t seed = 0;
  bool shuffle = true;
};

/// Round after round of training: a round covers the next
/// min(globalBatch, rest of the epoch) samples of the epoch's permutation,
/// rank k takes the k-th share, in `quanta` micro-batches. The source moves to
/// the next round after that many calls of next().
class TrainSource : public BatchSource {
public:
  TrainSource(const Unit &unit, const Dataset &dataset,
              const TrainOrder &order);

  int64_t quanta() const override { return order.quanta; }
  Status next(const BatchBuffers &to) override;

  int64_t epoch() const { return epoch_; } // of the next micro-batch, from 0
  int64_t roundSamples() const; // of all members in the present round

private:
  Permutation permutation() const;

  BatchWriter writer;
  TrainOrder order;
  int64_t samples, quantum;
  int64_t epoch_ = 0, roundBegin = 0, quantumInRound = 0;
  Permutation present; // of epoch_
};

/// One pass over this member's share of a data set, in order.
class EvalSource : public BatchSource {
public:
  EvalSource(const Unit &unit, const Dataset &dataset, int members, int rank);

  /// All micro-batches of the pass; 0 when there are fewer samples than
  /// members.
  int64_t quanta() const override;
  Status next(const BatchBuffers &to) override;

  /// Back to the first sample.
  void rewind() { position = 0; }

private:
  BatchWriter writer;
  Permutation identity;
  Share share;
  int64_t quantum, position = 0;
};

} // namespace rubato
