// Reading safetensors. The header is bounded by the blob, so what it can make
// us allocate is bounded by what we were given.
#include "support/safetensors.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

namespace rubato {

using nlohmann::json;

static const struct {
  TensorType type;
  const char *name;
  int64_t bytes;
} typeTable[] = {
    {TensorType::Bool, "BOOL", 1}, {TensorType::U8, "U8", 1},
    {TensorType::I8, "I8", 1},     {TensorType::U16, "U16", 2},
    {TensorType::I16, "I16", 2},   {TensorType::F16, "F16", 2},
    {TensorType::BF16, "BF16", 2}, {TensorType::U32, "U32", 4},
    {TensorType::I32, "I32", 4},   {TensorType::F32, "F32", 4},
    {TensorType::U64, "U64", 8},   {TensorType::I64, "I64", 8},
    {TensorType::F64, "F64", 8},
};

const char *tensorTypeName(TensorType type) {
  return typeTable[static_cast<size_t>(type)].name;
}

int64_t tensorTypeBytes(TensorType type) {
  return typeTable[static_cast<size_t>(type)].bytes;
}

static Status damaged(const std::string &what) {
  return Status::user("safetensors: " + what +
                      "; the data is damaged or of another format");
}

/// A non-negative integer that fits int64_t.
static bool toSize(const json &value, int64_t &size) {
  if (!value.is_number_unsigned() ||
      value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return false;
  size = value.get<int64_t>();
  return true;
}

static Status readEntry(const std::string &name, const json &entry,
                        const char *data, int64_t dataSize, TensorView &view) {
  std::string who = "tensor '" + name + "'";
  if (!entry.is_object())
    return damaged(who + " is not described by an object");
  auto dtype = entry.find("dtype"), shape = entry.find("shape"),
       offsets = entry.find("data_offsets");
  if (dtype == entry.end() || !dtype->is_string() || shape == entry.end() ||
      !shape->is_array() || offsets == entry.end() || !offsets->is_array() ||
      offsets->size() != 2)
    return damaged(who + " lacks dtype, shape or data_offsets");

  const std::string &typeName = dtype->get_ref<const std::string &>();
  auto type = std::find_if(std::begin(typeTable), std::end(typeTable),
                           [&](auto &row) { return typeName == row.name; });
  if (type == std::end(typeTable))
    return damaged(who + " has the unknown dtype '" + typeName + "'");
  view.dtype = type->type;

  int64_t bytes = type->bytes;
  for (const json &extent : *shape) {
    int64_t size = 0;
    if (!toSize(extent, size) || __builtin_mul_overflow(bytes, size, &bytes))
      return damaged(who + " has an impossible shape");
    view.shape.push_back(size);
  }
  int64_t begin = 0, end = 0;
  if (!toSize((*offsets)[0], begin) || !toSize((*offsets)[1], end) ||
      begin > end || end > dataSize)
    return damaged(who + " lies outside the data");
  if (end - begin != bytes)
    return damaged(who + " has " + std::to_string(end - begin) +
                   " bytes, its shape needs " + std::to_string(bytes));
  view.data = data + begin;
  view.size = bytes;
  return Status::ok();
}

static Status readMetadata(const json &entries, TensorMetadata &metadata) {
  if (!entries.is_object())
    return damaged("__metadata__ is not an object");
  for (const auto &[name, value] : entries.items()) {
    if (!value.is_string())
      return damaged("'" + name + "' in __metadata__ is not a text");
    metadata[name] = value.get<std::string>();
  }
  return Status::ok();
}

Status readSafetensors(const void *blob, uint64_t size, TensorMap &tensors,
                       TensorMetadata *metadata) {
  tensors.clear();
  if (metadata)
    metadata->clear();
  constexpr uint64_t headerLimit = 100'000'000; // the format's own limit
  if (!blob || size < 8 || size > static_cast<uint64_t>(INT64_MAX))
    return damaged("no room for a header");
  const auto *bytes = static_cast<const unsigned char *>(blob);
  uint64_t headerSize = 0;
  for (int i = 7; i >= 0; --i)
    headerSize = headerSize << 8 | bytes[i];
  if (headerSize > size - 8 || headerSize > headerLimit)
    return damaged("the header's length " + std::to_string(headerSize) +
                   " does not fit " + std::to_string(size) + " bytes");

  const char *text = reinterpret_cast<const char *>(bytes) + 8;
  json header = json::parse(text, text + headerSize, nullptr,
                            /*allow_exceptions=*/false);
  if (!header.is_object())
    return damaged("the header is not a JSON object");
  const char *data = text + headerSize;
  int64_t dataSize = static_cast<int64_t>(size - 8 - headerSize);

  TensorMap found;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (metadata)
        RB_TRY(readMetadata(entry, *metadata));
      continue;
    }
    RB_TRY(readEntry(name, entry, data, dataSize, found[name]));
  }

  std::vector<const TensorMap::value_type *> order;
  for (const auto &entry : found)
    if (entry.second.size > 0)
      order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](auto *a, auto *b) { return a->second.data < b->second.data; });
  for (size_t i = 1; i < order.size(); ++i) {
    const TensorView &before = order[i - 1]->second;
    if (static_cast<const char *>(before.data) + before.size >
        order[i]->second.data)
      return damaged("tensors '" + order[i - 1]->first + "' and '" +
                     order[i]->first + "' overlap");
  }
  tensors = std::move(found);
  return Status::ok();
}

Status findTensor(const void *blob, uint64_t size, const std::string &name,
                  TensorView &tensor) {
  TensorMap tensors;
  RB_TRY(readSafetensors(blob, size, tensors));
  auto found = tensors.find(name);
  if (found == tensors.end())
    return Status::user("safetensors: there is no tensor '" + name + "'");
  tensor = std::move(found->second);
  return Status::ok();
}

} // namespace rubato
