#include "support/read_file.h"

#include <cstdio>

bool rubato::readFile(const std::string &path, std::string &text) {
  text.clear();
  std::FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return false;
  char buffer[1 << 14];
  while (size_t size = std::fread(buffer, 1, sizeof buffer, file))
    text.append(buffer, size);
  bool good = !std::ferror(file);
  std::fclose(file);
  return good;
}
