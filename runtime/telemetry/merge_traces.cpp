#include "telemetry/merge_traces.h"

#include "support/atomic_file.h"
#include "support/read_file.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace rubato;

std::string rubato::tracePart(const std::string &path, int members, int rank) {
  return members == 1 ? path : path + ".rank" + std::to_string(rank);
}

Status rubato::mergeTraces(const std::string &path, int members, bool wanted) {
  nlohmann::json all;
  Status status;
  for (int rank = 0; rank < members; ++rank) {
    std::string part = tracePart(path, members, rank);
    if (wanted && status) {
      std::string text;
      bool isRead = readFile(part, text);
      auto json = nlohmann::json::parse(text, nullptr, false);
      if (!isRead || !json.is_object() || !json["traceEvents"].is_array())
        status = Status::user(part + ": the trace of a worker is not whole");
      else if (rank == 0)
        all = std::move(json);
      else
        for (auto &event : json["traceEvents"])
          all["traceEvents"].push_back(std::move(event));
    }
    unlink(part.c_str());
  }
  if (!wanted || !status)
    return status;
  std::string text =
      all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return writeFileAtomically(path, {{text.data(), text.size()}});
}
