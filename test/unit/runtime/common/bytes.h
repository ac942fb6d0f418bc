// Numbers as the bytes that hold them.
#pragma once

#include <string>
#include <vector>

namespace rubato::test {

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

} // namespace rubato::test
