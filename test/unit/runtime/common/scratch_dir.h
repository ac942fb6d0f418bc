// A directory for the files of one test.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>

/// Made under the system's directory for temporary files, removed at the end.
class ScratchDir {
public:
  ScratchDir() {
    std::string name =
        (std::filesystem::temp_directory_path() / "rubato-test-XXXXXX");
    dir = mkdtemp(name.data());
  }
  ~ScratchDir() { std::filesystem::remove_all(dir); }

  std::string file(const std::string &name) const { return dir / name; }
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(dir),
                      std::filesystem::directory_iterator()));
  }

private:
  std::filesystem::path dir;
};

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
