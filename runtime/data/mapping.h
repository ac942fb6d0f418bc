// Memory that holds a data set: a mapped file, or anonymous pages that forked
// workers share. Either way every worker of a job reads the same copy.
#pragma once

#include "support/status.h"

#include <cstddef>
#include <memory>
#include <string>

namespace rubato {

class Mapping {
public:
  /// Maps a regular file, read-only.
  static Status file(const std::string &path, std::shared_ptr<Mapping> &to);

  /// Zeroed pages, shared with processes forked later. `purpose` is named in
  /// the error.
  static Status anonymous(size_t size, const std::string &purpose,
                          std::shared_ptr<Mapping> &to);

  Mapping(char *data, size_t size) : data_(data), size_(size) {}
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping();

  char *data() const { return data_; }
  size_t size() const { return size_; }

private:
  char *data_;
  size_t size_;
};

} // namespace rubato
