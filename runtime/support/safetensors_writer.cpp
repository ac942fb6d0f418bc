// Writing safetensors: names in order, data without gaps, header padded so
// that the data starts at a multiple of 8.
#include "support/atomic_file.h"
#include "support/safetensors.h"

#include <array>
#include <nlohmann/json.hpp>

namespace rubato {

using nlohmann::json;

Status writeSafetensors(const std::string &path, const TensorMap &tensors,
                        const TensorMetadata &metadata) {
  json header = json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  std::vector<FilePart> parts(2);
  int64_t end = 0;
  for (const auto &[name, tensor] : tensors) {
    int64_t bytes = tensorTypeBytes(tensor.dtype);
    bool fits = name != "__metadata__";
    for (int64_t extent : tensor.shape)
      fits =
          fits && extent >= 0 && !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!fits || bytes != tensor.size)
      return Status(ErrorCode::Internal,
                    "cannot write '" + path + "': tensor '" + name +
                        "' does not have the size of its shape");
    header[name] = {{"dtype", tensorTypeName(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", {end, end + bytes}}};
    end += bytes;
    parts.push_back({tensor.data, static_cast<size_t>(bytes)});
  }
  // Names may hold any bytes; replacing bad UTF-8 keeps dump from throwing.
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::array<unsigned char, 8> length;
  for (size_t i = 0; i < 8; ++i)
    length[i] = static_cast<unsigned char>(uint64_t(text.size()) >> (8 * i));
  parts[0] = {length.data(), length.size()};
  parts[1] = {text.data(), text.size()};
  return writeFileAtomically(path, parts);
}

} // namespace rubato
