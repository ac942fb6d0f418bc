#include "data/batch_writer.h"

#include <algorithm>

using namespace rubato;

Share rubato::shareOf(int64_t total, int64_t parts, int64_t part) {
  int64_t begin = total * part / parts;
  return {begin, total * (part + 1) / parts - begin};
}

void BatchWriter::write(const BatchBuffers &to,
                        std::span<const int64_t> rows) const {
  auto count = static_cast<int64_t>(rows.size());
  std::copy(rows.begin(), rows.end(), to.ids);
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
