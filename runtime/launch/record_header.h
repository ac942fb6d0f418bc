// What makes executables and data recognisable in the header of a run log.
#pragma once

#include "data/dataset.h"
#include "unit/unit.h"

#include <nlohmann/json.hpp>

namespace rubato {

using Json = nlohmann::ordered_json;

/// One file of a data set: what it is given by, and a checksum of its elements.
struct DataPrint {
  std::string option, name, file; // "input", "x"
  int64_t samples = 0, bytes = 0;
  std::string checksum;
};

std::vector<DataPrint> printsOf(const Unit &unit, const Dataset &data);

/// Of the manifest and the weights.
std::string unitPrint(const Unit &unit);
/// Of the file that runs: its code is what computes.
Status executablePrint(std::string &print);

/// The transforms that change anything.
Json transformsJson(const DatasetFiles &files);

} // namespace rubato
