#include "data/dataset.h"

#include "support/dtype.h"

#include <algorithm>
#include <cstring>

using namespace rubato;

Field::Field(Array array, const BatchBuffer &buffer, const Transform &transform)
    : array_(std::move(array)) {
  int64_t elements = array_.elementsPerSample();
  size_t channels =
      std::max({size_t{1}, transform.mean.size(), transform.std.size()});
  auto pick = [](const std::vector<double> &values, size_t i,
                 double otherwise) {
    return values.empty() ? otherwise : values[values.size() == 1 ? 0 : i];
  };
  for (size_t i = 0; i < channels; ++i)
    factors.push_back({transform.scale.value_or(1), pick(transform.mean, i, 0),
                       pick(transform.std, i, 1)});
  sampleBytes = elements * elementBytes(array_.type);
  rowBytes = elements * elementBytes(buffer.dtype);
  run = elements / static_cast<int64_t>(channels);
  runBytes = run * elementBytes(array_.type);
  runRowBytes = run * elementBytes(buffer.dtype);
  convert = converter(array_.type, buffer.dtype, transform.isIdentity());
}

void Field::copySample(int64_t index, char *buffer, int64_t row) const {
  const char *from = array_.data + index * sampleBytes;
  char *to = buffer + row * rowBytes;
  for (const Factors &f : factors) {
    convert(from, to, run, f);
    from += runBytes;
    to += runRowBytes;
  }
}

void Field::prefetchSample(int64_t index) const {
  // Beyond the first lines the processor itself sees where the reads go.
  constexpr int64_t line = 64, most = 1024;
  const char *from = array_.data + index * sampleBytes;
  for (int64_t at = 0; at < std::min(sampleBytes, most); at += line)
    __builtin_prefetch(from + at);
}

void Field::clearRow(char *buffer, int64_t row) const {
  std::memset(buffer + row * rowBytes, 0, static_cast<size_t>(rowBytes));
}

namespace {

std::vector<int64_t> sampleShape(const std::vector<int64_t> &shape) {
  return {shape.begin() + (shape.empty() ? 0 : 1), shape.end()};
}

int64_t product(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Whether the file's samples fit the buffer, by count of elements: 28x28
/// goes into 784.
Status checkShape(const Array &array, const BatchBuffer &buffer,
                  const std::string &what) {
  std::vector<int64_t> want = sampleShape(buffer.shape);
  if (array.elementsPerSample() == product(want))
    return Status::ok();
  return Status::user(array.file + ": a sample has shape " +
                      shapeText(sampleShape(array.shape)) + ", but " + what +
                      " '" + buffer.name + "' of the model takes " +
                      shapeText(want) + " (" + std::to_string(product(want)) +
                      " elements); give a file with that many per sample");
}

Status checkTransform(const Transform &transform, const BatchBuffer &buffer) {
  std::string place = "'" + buffer.name + "'";
  if (!transform.isIdentity() && buffer.dtype == RB_I64)
    return {ErrorCode::Usage, "--scale, --mean and --std do not apply to " +
                                  place + ", which holds integers"};
  std::vector<int64_t> shape = sampleShape(buffer.shape);
  int64_t channels = shape.empty() ? 1 : shape[0];
  for (auto [flag, values] :
       {std::pair<const char *, const std::vector<double> *>{"--mean",
                                                             &transform.mean},
        {"--std", &transform.std}}) {
    auto count = static_cast<int64_t>(values->size());
    if (count > 1 && count != channels)
      return {ErrorCode::Usage,
              std::string(flag) + " of " + place + " has " +
                  std::to_string(count) + " values; give one, or one for " +
                  "each of the " + std::to_string(channels) + " channels"};
  }
  for (double value : transform.std)
    if (!(value > 0))
      return {ErrorCode::Usage, "--std of " + place + " must be above 0"};
  return Status::ok();
}

template <class T> Status checkClasses(const Array &array, int64_t classes) {
  int64_t perSample = array.elementsPerSample();
  int64_t count = array.samples() * perSample;
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, array.data + i * sizeof(T), sizeof(T));
    if (value < 0 || static_cast<int64_t>(value) >= classes)
      return Status::user(array.file + ": label " + std::to_string(value) +
                          " at index " + std::to_string(i / perSample) +
                          " lies outside [0, " + std::to_string(classes) +
                          "); the model has " + std::to_string(classes) +
                          " classes, numbered from 0");
  }
  return Status::ok();
}

Status checkLabels(const Array &array, const BatchBuffer &buffer) {
  if (buffer.dtype != RB_I64)
    return Status::ok();
  if (!isInteger(array.type))
    return Status::user(array.file + ": label '" + buffer.name +
                        "' must be integers, the file holds " +
                        elementName(array.type) +
                        "; save it with array.astype('int64')");
  if (buffer.classes <= 0)
    return Status::ok();
  switch (array.type) {
  case ElementType::U8:
    return checkClasses<uint8_t>(array, buffer.classes);
  case ElementType::I8:
    return checkClasses<int8_t>(array, buffer.classes);
  case ElementType::I16:
    return checkClasses<int16_t>(array, buffer.classes);
  case ElementType::I32:
    return checkClasses<int32_t>(array, buffer.classes);
  default:
    return checkClasses<int64_t>(array, buffer.classes);
  }
}

Status checkNames(const std::map<std::string, std::string> &files,
                  const std::vector<BatchBuffer> &buffers,
                  const std::string &flag) {
  std::string known;
  for (const BatchBuffer &buffer : buffers)
    known += (known.empty() ? "'" : ", '") + buffer.name + "'";
  for (const auto &[name, file] : files) {
    bool found = false;
    for (const BatchBuffer &buffer : buffers)
      found |= buffer.name == name;
    if (!found)
      return {ErrorCode::Usage, "--" + flag + " " + name + "=" + file +
                                    ": the model has no '" + name +
                                    "' there; it has " + known};
  }
  for (const BatchBuffer &buffer : buffers)
    if (!files.count(buffer.name))
      return {ErrorCode::Usage, "no file for '" + buffer.name + "'; give --" +
                                    flag + " " + buffer.name + "=FILE"};
  return Status::ok();
}

} // namespace

Status rubato::loadDataset(const Unit &unit, const DatasetFiles &files,
                           const std::string &flag, Dataset &dataset,
                           std::vector<std::string> &warnings) {
  RB_TRY(checkNames(files.inputs, unit.inputs, flag + "input"));
  RB_TRY(checkNames(files.labels, unit.labels, flag + "label"));
  dataset = {};
  std::string first; // whose count the others must match
  auto add = [&](const std::map<std::string, std::string> &paths,
                 const BatchBuffer &buffer, bool label) -> Status {
    Array array;
    RB_TRY(loadArray(paths.at(buffer.name), array));
    RB_TRY(checkShape(array, buffer, label ? "label" : "input"));
    auto given = files.transforms.find(buffer.name);
    Transform transform =
        given == files.transforms.end() ? Transform() : given->second;
    RB_TRY(checkTransform(transform, buffer));
    if (label)
      RB_TRY(checkLabels(array, buffer));
    else if (buffer.dtype == RB_I64 && !isInteger(array.type))
      return Status::user(array.file + ": input '" + buffer.name +
                          "' must be integers, the file holds " +
                          elementName(array.type));
    if (!label && buffer.dtype != RB_I64 && isInteger(array.type) &&
        !transform.scale)
      warnings.push_back(array.file + ": input '" + buffer.name +
                         "' holds integers (" + elementName(array.type) +
                         ") and goes in unscaled; --scale " + buffer.name +
                         "=1/255 is usual for pixels, --scale " + buffer.name +
                         "=1 silences this");
    if (first.empty()) {
      first = array.file;
      dataset.samples = array.samples();
    } else if (array.samples() != dataset.samples) {
      return Status::user(array.file + ": has " +
                          std::to_string(array.samples()) + " samples, but " +
                          first + " has " + std::to_string(dataset.samples) +
                          "; inputs and labels must agree");
    }
    (label ? dataset.labels : dataset.inputs)
        .emplace_back(std::move(array), buffer, transform);
    return Status::ok();
  };
  for (const BatchBuffer &buffer : unit.inputs)
    RB_TRY(add(files.inputs, buffer, false));
  for (const BatchBuffer &buffer : unit.labels)
    RB_TRY(add(files.labels, buffer, true));
  return Status::ok();
}
