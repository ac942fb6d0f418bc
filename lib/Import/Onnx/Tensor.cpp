// Constant tensors: inline in two forms, or in a file beside the model.
#include "MappedFile.h"
#include "Reader.h"

#include <charconv>
#include <cstring>
#include <filesystem>

using namespace rubato::onnx;

size_t rubato::onnx::byteSize(DataType type) {
  switch (type) {
  case DataType::UInt8:
  case DataType::Int8:
  case DataType::Bool:
    return 1;
  case DataType::Float:
  case DataType::Int32:
    return 4;
  case DataType::Double:
  case DataType::Int64:
    return 8;
  default:
    return 0;
  }
}

std::string_view rubato::onnx::typeName(DataType type) {
  static constexpr std::string_view names[] = {
      "undefined", "float32", "uint8",     "int8",       "uint16",  "int16",
      "int32",     "int64",   "string",    "bool",       "float16", "float64",
      "uint32",    "uint64",  "complex64", "complex128", "bfloat16"};
  auto index = static_cast<size_t>(type);
  return index < std::size(names) ? names[index] : "an unknown type";
}

std::optional<int64_t>
rubato::onnx::elementCount(const std::vector<int64_t> &dims) {
  // Bytes of any tensor fit 63 bits with room to spare.
  constexpr int64_t limit = int64_t(1) << 48;
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0 || dim > limit)
      return std::nullopt;
    if (dim == 0)
      isEmpty = true;
    else if (count > limit / dim)
      return std::nullopt;
    else
      count *= dim;
  }
  return isEmpty ? 0 : count;
}

template <typename T> static T loadAt(std::string_view data, int64_t index) {
  T value;
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

double Tensor::floatAt(int64_t index) const {
  return type == DataType::Double ? loadAt<double>(data, index)
                                  : loadAt<float>(data, index);
}

int64_t Tensor::intAt(int64_t index) const {
  switch (type) {
  case DataType::Int64:
    return loadAt<int64_t>(data, index);
  case DataType::Int32:
    return loadAt<int32_t>(data, index);
  case DataType::Int8:
    return loadAt<int8_t>(data, index);
  default:
    return loadAt<uint8_t>(data, index);
  }
}

bool Reader::readTensor(proto::Tensor &from, const std::string &where,
                        Tensor &to) {
  to.name = from.name();
  to.type = static_cast<DataType>(from.data_type());
  to.dims.assign(from.dims().begin(), from.dims().end());
  size_t size = byteSize(to.type);
  if (size == 0)
    return diagnostics.unsupported(
        where,
        "has elements of type " + std::string(typeName(to.type)) + " (" +
            std::to_string(from.data_type()) + "), which Rubato does not read",
        "export the model in float32");
  std::optional<int64_t> count = elementCount(to.dims);
  if (!count)
    return diagnostics.error(where, "has a negative or absurdly large shape",
                             "the file is damaged; export the model again");
  size_t bytes = static_cast<size_t>(*count) * size;
  constexpr int inFile = 1; // data_location EXTERNAL
  if (from.data_location() == inFile)
    return readExternal(from, where, bytes, to);
  if (!from.has_raw_data())
    return readTyped(from, where, *count, to);
  if (from.raw_data().size() != bytes)
    return diagnostics.error(where,
                             "has " + std::to_string(from.raw_data().size()) +
                                 " bytes of data, its shape asks for " +
                                 std::to_string(bytes),
                             "the file is damaged; export the model again");
  model.storage.push_back(std::move(*from.mutable_raw_data()));
  to.data = model.storage.back();
  return true;
}

/// Appends `values` as elements of type T; false if one does not fit.
template <typename T, typename Values>
static bool append(const Values &values, std::string &bytes) {
  for (auto value : values) {
    T element = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>)
      if (static_cast<int64_t>(element) != static_cast<int64_t>(value))
        return false;
    bytes.append(reinterpret_cast<const char *>(&element), sizeof(T));
  }
  return true;
}

bool Reader::readTyped(const proto::Tensor &from, const std::string &where,
                       int64_t count, Tensor &to) {
  std::string bytes;
  bool fits = true;
  switch (to.type) {
  case DataType::Float:
    fits = append<float>(from.float_data(), bytes);
    break;
  case DataType::Double:
    fits = append<double>(from.double_data(), bytes);
    break;
  case DataType::Int64:
    fits = append<int64_t>(from.int64_data(), bytes);
    break;
  case DataType::Int32:
    fits = append<int32_t>(from.int32_data(), bytes);
    break;
  case DataType::Int8:
    fits = append<int8_t>(from.int32_data(), bytes);
    break;
  default: // uint8 and bool
    fits = append<uint8_t>(from.int32_data(), bytes);
    break;
  }
  if (!fits)
    return diagnostics.error(where,
                             "has a value that does not fit its type " +
                                 std::string(typeName(to.type)),
                             "the file is damaged; export the model again");
  size_t found = bytes.size() / byteSize(to.type);
  if (found != static_cast<size_t>(count))
    return diagnostics.error(where,
                             "has " + std::to_string(found) +
                                 " values, its shape asks for " +
                                 std::to_string(count),
                             "the file is damaged; export the model again");
  model.storage.push_back(std::move(bytes));
  to.data = model.storage.back();
  return true;
}

MappedFile *Reader::openBeside(const std::string &location,
                               const std::string &where) {
  namespace fs = std::filesystem;
  std::string quoted = "'" + location + "'";
  if (model.path.empty()) {
    diagnostics.error(where,
                      "has its data in the file " + quoted +
                          ", but the model comes from standard input",
                      "give the model as a file beside its data");
    return nullptr;
  }
  fs::path relative(location);
  bool leaves = location.empty() || relative.is_absolute() ||
                location.find('\0') != std::string::npos;
  for (const fs::path &part : relative)
    leaves |= part == "..";
  std::error_code failure;
  fs::path folder = fs::path(model.path).parent_path();
  fs::path real, home;
  if (!leaves) {
    home = fs::canonical(folder.empty() ? "." : folder, failure);
    if (!failure)
      real = fs::canonical(home / relative, failure);
    if (failure) {
      diagnostics.error(where,
                        "has its data in " + quoted +
                            ", which cannot be opened: " + failure.message(),
                        "copy that file into the model's folder");
      return nullptr;
    }
    // Links have been followed: without any, the path is as it was written.
    leaves = real != (home / relative).lexically_normal();
  }
  if (leaves) {
    diagnostics.error(
        where,
        "has its data in " + quoted +
            ", outside the model's folder or behind a link",
        "copy the data into the model's folder and name it without '..' and "
        "without a leading '/'");
    return nullptr;
  }
  for (const std::unique_ptr<MappedFile> &file : model.files)
    if (file->path() == real.string())
      return file.get();
  std::string problem;
  std::unique_ptr<MappedFile> file = MappedFile::open(real.string(), problem);
  if (!file) {
    diagnostics.error(where,
                      "has its data in " + quoted +
                          ", which cannot be read: " + problem,
                      "put a readable file of that name beside the model");
    return nullptr;
  }
  return model.files.emplace_back(std::move(file)).get();
}

bool Reader::readExternal(const proto::Tensor &from, const std::string &where,
                          size_t bytes, Tensor &to) {
  std::string location;
  uint64_t offset = 0, length = bytes;
  for (const proto::Entry &entry : from.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length")
      continue;
    uint64_t &number = entry.key() == "offset" ? offset : length;
    const std::string &text = entry.value();
    auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size())
      return diagnostics.error(where,
                               "has the external " + entry.key() + " '" + text +
                                   "', which is no number of bytes",
                               "the file is damaged; export the model again");
  }
  MappedFile *file = openBeside(location, where);
  if (!file)
    return false;
  if (length != bytes)
    return diagnostics.error(
        where,
        "has " + std::to_string(length) +
            " bytes of external data, its shape asks for " +
            std::to_string(bytes),
        "the file is damaged; export the model again");
  std::string_view all = file->bytes();
  if (offset > all.size() || bytes > all.size() - offset)
    return diagnostics.error(where,
                             "lies at " + std::to_string(offset) + "+" +
                                 std::to_string(bytes) + " of '" + location +
                                 "', which has " + std::to_string(all.size()) +
                                 " bytes",
                             "the data file is cut off or belongs to another "
                             "model; copy it again");
  file->claimed += bytes;
  if (file->claimed / 4 > all.size())
    return diagnostics.error(where,
                             "shares its bytes in '" + location +
                                 "' with too many other tensors",
                             "the file is damaged; export the model again");
  to.data = all.substr(offset, bytes);
  to.external = true;
  return true;
}
