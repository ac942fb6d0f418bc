#include "launch/record_header.h"

#include "support/checksum.h"

using namespace rubato;

static DataPrint printOf(const char *option, const BatchBuffer &buffer,
                         const Field &field) {
  const Array &array = field.array();
  DataPrint print{option, buffer.name, array.file, array.samples(), 0, {}};
  print.bytes =
      array.samples() * array.elementsPerSample() * elementBytes(array.type);
  // The type is part of what the elements are.
  Checksum checksum;
  std::string shape = elementName(array.type) + (" " + shapeText(array.shape));
  checksum.add(shape.data(), shape.size());
  checksum.add(array.data, static_cast<size_t>(print.bytes));
  print.checksum = checksumText(checksum.value());
  return print;
}

std::vector<DataPrint> rubato::printsOf(const Unit &unit, const Dataset &data) {
  std::vector<DataPrint> prints;
  for (size_t i = 0; i != data.inputs.size(); ++i)
    prints.push_back(printOf("input", unit.inputs[i], data.inputs[i]));
  for (size_t i = 0; i != data.labels.size(); ++i)
    prints.push_back(printOf("label", unit.labels[i], data.labels[i]));
  return prints;
}

std::string rubato::unitPrint(const Unit &unit) {
  Checksum checksum;
  checksum.add(unit.code->manifest, unit.code->manifest_size);
  checksum.add(unit.code->weights, unit.code->weights_size);
  return checksumText(checksum.value());
}

Status rubato::executablePrint(std::string &print) {
  std::shared_ptr<Mapping> file;
  RB_TRY(Mapping::file("/proc/self/exe", file));
  print = checksumText(checksumOf(file->data(), file->size()));
  return Status::ok();
}

static Json numbersOf(const Transform &transform) {
  Json json = {{"mean", transform.mean}, {"std", transform.std}};
  if (transform.scale)
    json["scale"] = *transform.scale;
  return json;
}

Json rubato::transformsJson(const DatasetFiles &files) {
  Json json = Json::object();
  for (const auto &[name, transform] : files.transforms)
    if (!transform.isIdentity())
      json[name] = numbersOf(transform);
  return json;
}
