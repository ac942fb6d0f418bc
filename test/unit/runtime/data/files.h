// Test files: a folder that goes away, and the bytes of IDX, npy and gzip.
#pragma once

#include "../common/bytes.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

namespace rubato::test {

/// A fresh folder, removed at the end of the scope.
class Folder {
public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "rubato-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string file(const std::string &name) const { return path + "/" + name; }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  std::string read(const std::string &name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path;
};

inline std::string idx(uint8_t type, const std::vector<uint32_t> &shape,
                       const std::string &data) {
  std::string bytes = {'\0', '\0', static_cast<char>(type),
                       static_cast<char>(shape.size())};
  for (uint32_t extent : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(extent >> shift);
  return bytes + data;
}

inline std::string npyDict(const std::string &dict, const std::string &data,
                           int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i));
  return bytes + dict + data;
}

inline std::string npy(const std::string &descr, const std::string &shape,
                       const std::string &data, int version = 1) {
  return npyDict("{'descr': '" + descr + "', 'fortran_order': False, " +
                     "'shape': " + shape + ", }   \n",
                 data, version);
}

inline std::string gzip(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

} // namespace rubato::test
