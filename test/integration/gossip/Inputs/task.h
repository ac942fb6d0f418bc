// The quadratic task with one sample whose gradient a test chooses.
#pragma once

#include "event_ring.h"

namespace rubato::test {

class ChosenGradient {
public:
  explicit ChosenGradient(const Unit &unit)
      : size(unit.flatCount()), row(static_cast<size_t>(size)), zeros(row) {
    data.inputs.emplace_back(array(row), unit.inputs[0], Transform{});
    data.labels.emplace_back(array(zeros), unit.labels[0], Transform{});
    data.samples = 1;
  }

  /// The next gradient of a member is `g` in every coordinate: that of mse is
  /// 2 (x + row) / size.
  void choose(EventRing &ring, int rank, double g) {
    for (int64_t k = 0; k < size; ++k)
      row[static_cast<size_t>(k)] =
          static_cast<float>(g * static_cast<double>(size) / 2 -
                             static_cast<double>(ring.x(rank)[k]));
  }

  Dataset data;

private:
  Array array(const std::vector<float> &values) const {
    Array made;
    made.file = "memory";
    made.type = ElementType::F32;
    made.shape = {1, size};
    made.data = reinterpret_cast<const char *>(values.data());
    return made;
  }

  int64_t size;
  std::vector<float> row, zeros;
};

} // namespace rubato::test
