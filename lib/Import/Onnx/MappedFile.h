// A regular file mapped for reading.
#ifndef RUBATO_LIB_IMPORT_ONNX_MAPPEDFILE_H
#define RUBATO_LIB_IMPORT_ONNX_MAPPEDFILE_H

#include <memory>
#include <string>
#include <string_view>

namespace rubato::onnx {

class MappedFile {
public:
  /// Maps `path`; on failure returns null and says why in `problem`. Waits for
  /// nothing: a pipe or a device is refused.
  static std::unique_ptr<MappedFile> open(const std::string &path,
                                          std::string &problem);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {data, size}; }
  const std::string &path() const { return name; }

  /// Bytes that tensors have claimed so far, to notice files whose tensors
  /// all claim the same bytes.
  size_t claimed = 0;

private:
  MappedFile() = default;
  const char *data = nullptr;
  size_t size = 0;
  std::string name;
};

} // namespace rubato::onnx

#endif // RUBATO_LIB_IMPORT_ONNX_MAPPEDFILE_H
