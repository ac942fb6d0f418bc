// A data set of points in the plane, class 1 where x0 > x1, on disk and in
// memory.
#pragma once

#include "data/dataset.h"
#include "data/files.h"
#include "unit/unit.h"

namespace rubato::test {

struct Points {
  explicit Points(int64_t samples = 50) {
    uint32_t state = 1;
    auto random = [&] {
      state = state * 1664525 + 1013904223;
      return float(state >> 8) / float(1 << 24);
    };
    for (int64_t i = 0; i < samples; ++i) {
      x.push_back(random());
      x.push_back(random());
      y.push_back(x[size_t(2 * i)] > x[size_t(2 * i + 1)]);
    }
    std::string count = std::to_string(samples);
    inputs =
        folder.write("x.npy", npy("<f4", "(" + count + ", 2)", bytesOf(x)));
    labels = folder.write("y.npy", npy("|u1", "(" + count + ",)", bytesOf(y)));
  }

  Dataset load(const Unit &unit) const {
    DatasetFiles files;
    files.inputs["x"] = inputs;
    files.labels["y"] = labels;
    Dataset data;
    std::vector<std::string> warnings;
    Status status = loadDataset(unit, files, "", data, warnings);
    if (!status)
      data.samples = -1; // and the test fails soon
    return data;
  }

  Folder folder;
  std::vector<float> x;
  std::vector<uint8_t> y;
  std::string inputs, labels;
};

} // namespace rubato::test
