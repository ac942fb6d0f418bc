#include "support/part.h"

#include <cstring>

namespace rubato {

Status bytesOnHost(const Part &part, std::vector<char> &copy,
                   const char *&bytes) {
  bytes = dataOf(part);
  if (!part.lane)
    return Status::ok();
  copy.resize(static_cast<size_t>(bytesOf(part)));
  Lane::Ticket ticket = part.lane->fetch(copy.data(), bytes, bytesOf(part));
  bytes = copy.data();
  return part.lane->waitFor(ticket);
}

Status numberIn(const Part &part, int64_t &number) {
  if (!part.lane) {
    std::memcpy(&number, dataOf(part), sizeof number);
    return Status::ok();
  }
  return part.lane->waitFor(
      part.lane->fetch(&number, dataOf(part), sizeof number));
}

} // namespace rubato
