// A text file that is written line by line, through a large buffer.
#pragma once

#include "support/status.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace rubato {

/// Does nothing until opened.
class TextFile {
public:
  TextFile() = default;
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;
  ~TextFile() {
    if (file)
      std::fclose(file);
  }

  /// `flag` names the option in messages.
  Status open(const char *flag, const std::string &path) {
    place = std::string(flag) + " " + path;
    file = std::fopen(path.c_str(), "we");
    if (!file)
      return Status::user(place +
                          ": cannot be written: " + std::strerror(errno));
    std::setvbuf(file, nullptr, _IOFBF, 1 << 16);
    return Status::ok();
  }
  void write(std::string_view text) {
    if (file)
      std::fwrite(text.data(), 1, text.size(), file);
  }
  /// Says whether everything arrived.
  Status close() {
    if (!file)
      return Status::ok();
    bool failed = std::ferror(file) != 0;
    failed |= std::fclose(file) != 0;
    file = nullptr;
    return failed ? Status::user(place + ": is incomplete; is the disk full?")
                  : Status::ok();
  }

private:
  std::FILE *file = nullptr;
  std::string place;
};

} // namespace rubato
