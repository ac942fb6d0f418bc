// Reads stored parameters: a safetensors file with one tensor per slot.
#include "tools/rubato-interp/StoredCells.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Support/Stage.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace rubato::interp {

namespace {

/// Header and data of a safetensors file.
struct Tensors {
  std::unique_ptr<llvm::MemoryBuffer> file;
  llvm::json::Object header;
  StringRef data;

  /// The bytes of a tensor, or nothing.
  StringRef bytes(StringRef name, size_t size) const;
};

} // namespace

StringRef Tensors::bytes(StringRef name, size_t size) const {
  const llvm::json::Object *entry = header.getObject(name);
  const llvm::json::Array *range =
      entry ? entry->getArray("data_offsets") : nullptr;
  if (!range || range->size() != 2)
    return {};
  std::optional<int64_t> from = (*range)[0].getAsInteger(),
                         to = (*range)[1].getAsInteger();
  if (!from || !to || *from < 0 || *to < *from || *to > int64_t(data.size()) ||
      size_t(*to - *from) != size)
    return {};
  return data.slice(*from, *to);
}

static std::optional<Tensors> open(ModuleOp module, StringRef path) {
  auto name = module->getAttrOfType<StringAttr>(kWeightsAttr);
  if (!name)
    return std::nullopt;
  llvm::SmallString<256> place(name.getValue());
  if (llvm::sys::path::is_relative(place)) {
    place = llvm::sys::path::parent_path(path);
    llvm::sys::path::append(place, name.getValue());
  }
  auto buffer = llvm::MemoryBuffer::getFile(place, false, false);
  if (!buffer || (*buffer)->getBufferSize() < 8)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer();
  uint64_t size = llvm::support::endian::read64le(bytes.data());
  if (size > bytes.size() - 8)
    return std::nullopt;
  auto header = llvm::json::parse(bytes.substr(8, size));
  if (!header) {
    llvm::consumeError(header.takeError());
    return std::nullopt;
  }
  auto *object = header->getAsObject();
  if (!object)
    return std::nullopt;
  return Tensors{std::move(*buffer), std::move(*object),
                 bytes.drop_front(8 + size)};
}

std::map<std::string, Value> storedCells(ModuleOp module, StringRef path) {
  std::map<std::string, Value> result;
  std::optional<Tensors> tensors = open(module, path);
  if (!tensors)
    return result;
  for (auto cell : module.getOps<gsync::CellOp>()) {
    auto type = dyn_cast<RankedTensorType>(cell.getType());
    if (!cell.getLayout() || !type || !type.getElementType().isF32() ||
        !type.hasStaticShape())
      continue;
    auto layout = SymbolTable::lookupNearestSymbolFrom<nn::LayoutOp>(
        cell, cell.getLayoutAttr());
    if (!layout || layout.getSize() != type.getNumElements())
      continue;
    bool whole = true;
    Value value = Value::build<float>(type, [&](MutableArrayRef<float> out) {
      std::fill(out.begin(), out.end(), 0.0f);
      for (nn::SlotAttr slot : layout.slots()) {
        int64_t count = slot.getType().getNumElements();
        StringRef bytes = tensors->bytes(slot.getName(), count * sizeof(float));
        if (bytes.empty() && count)
          whole = false;
        else
          memcpy(out.data() + slot.getOffset(), bytes.data(), bytes.size());
      }
    });
    if (whole)
      result[cell.getSymName().str()] = value;
  }
  return result;
}

} // namespace rubato::interp
