// Where the processor time of a thread goes, by kind.
//
// The clock is read where the kind changes and nowhere else: a row of launches
// costs two reads. Without a meter there is none.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>

namespace rubato {

class ProcessorMeter {
public:
  enum class Kind {
    Rest,        // scheduling, hand-overs, logs, decisions
    Mathematics, // compiled kernels, and sums of what members sent
    Batches,     // samples from the data set into a batch
    Copies,      // of values and cells
    Memory       // pages that are touched for the first time
  };
  static constexpr size_t kinds = 5;

  /// Seconds of processor time of this thread.
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    constexpr double nano = 1e-9;
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) * nano;
  }

  /// What follows is of this kind.
  void enter(Kind next) {
    if (next == kind_)
      return;
    double time = now();
    spent[static_cast<size_t>(kind_)] += time - since;
    since = time;
    kind_ = next;
  }
  /// So many seconds of what runs now were somebody else's.
  void leaveOut(double seconds) {
    spent[static_cast<size_t>(kind_)] -= seconds;
  }
  Kind kind() const { return kind_; }
  double total() const {
    double sum = 0;
    for (double seconds : spent)
      sum += seconds;
    return sum;
  }
  double seconds(Kind kind) const { return spent[static_cast<size_t>(kind)]; }

  /// The meter of this thread while one counts.
  static inline thread_local ProcessorMeter *present = nullptr;

  /// Counts what this thread does from now on, until the end of the block.
  class Counting {
  public:
    explicit Counting(ProcessorMeter &meter) {
      meter.since = now();
      meter.kind_ = Kind::Rest;
      present = &meter;
    }
    ~Counting() {
      ProcessorMeter &meter = *present;
      present = nullptr;
      double time = now();
      meter.spent[static_cast<size_t>(meter.kind_)] += time - meter.since;
    }
    Counting(const Counting &) = delete;
    Counting &operator=(const Counting &) = delete;
  };

private:
  std::array<double, kinds> spent = {};
  Kind kind_ = Kind::Rest;
  double since = 0;
};

using Spending = ProcessorMeter::Kind;

/// What follows is of this kind, until somebody says otherwise.
inline void spend(Spending kind) {
  if (ProcessorMeter *meter = ProcessorMeter::present)
    meter->enter(kind);
}

/// A block of this kind inside something else.
class SpendingBlock {
public:
  explicit SpendingBlock(Spending kind)
      : before(ProcessorMeter::present ? ProcessorMeter::present->kind()
                                       : kind) {
    spend(kind);
  }
  ~SpendingBlock() { spend(before); }
  SpendingBlock(const SpendingBlock &) = delete;
  SpendingBlock &operator=(const SpendingBlock &) = delete;

private:
  Spending before;
};

} // namespace rubato
