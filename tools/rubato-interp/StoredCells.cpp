// Reads stored parameters: a safetensors file with one tensor per slot.
#include "tools/rubato-interp/StoredCells.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Support/Stage.h"
#include "rubato/Support/Weights.h"
#include "support/safetensors.h"

using namespace mlir;

namespace rubato::interp {

/// Element `i` of a stored tensor, which is not aligned in any way.
template <typename T> static T elementAt(const TensorView &tensor, size_t i) {
  T value;
  memcpy(&value, static_cast<const char *>(tensor.data) + i * sizeof(T),
         sizeof(T));
  return value;
}

/// Copies what is stored for a slot, in the type of its cell.
template <typename T>
static LogicalResult copySlot(gsync::CellOp cell, nn::SlotAttr slot,
                              const TensorMap &tensors,
                              MutableArrayRef<T> out) {
  auto found = tensors.find(slot.getName().str());
  if (found == tensors.end())
    return cell.emitError("the weights file has no tensor '")
           << slot.getName() << "'; compile again from the ONNX model";
  const TensorView &tensor = found->second;
  bool isSingle = tensor.dtype == TensorType::F32;
  if (tensor.count() != slot.getType().getNumElements() ||
      (!isSingle && tensor.dtype != TensorType::F64))
    return cell.emitError("tensor '")
           << slot.getName() << "' of the weights file is " << tensor.count()
           << " elements of " << tensorTypeName(tensor.dtype)
           << ", its slot is " << slot.getType()
           << "; compile again from the ONNX model";
  T *to = out.data() + slot.getOffset();
  for (size_t i = 0, count = tensor.count(); i != count; ++i)
    to[i] = T(isSingle ? elementAt<float>(tensor, i)
                       : elementAt<double>(tensor, i));
  return success();
}

static FailureOr<Value> storedValue(gsync::CellOp cell, nn::LayoutOp layout,
                                    const TensorMap &tensors) {
  return withElement(*elementOf(cell.getType()), [&](auto zero) {
    using T = decltype(zero);
    LogicalResult result = success();
    Value value = Value::build<T>(cell.getType(), [&](MutableArrayRef<T> out) {
      std::fill(out.begin(), out.end(), T(0));
      for (nn::SlotAttr slot : layout.slots())
        if (succeeded(result))
          result = copySlot<T>(cell, slot, tensors, out);
    });
    return failed(result) ? FailureOr<Value>() : FailureOr<Value>(value);
  });
}

FailureOr<std::map<std::string, Value>> storedCells(ModuleOp module,
                                                    StringRef directory) {
  std::map<std::string, Value> result;
  if (!module->hasAttr(kWeightsAttr))
    return result;
  auto file = openWeights(module, directory);
  if (failed(file))
    return failure();
  TensorMap tensors;
  if (Status status = readSafetensors((*file)->getBufferStart(),
                                      (*file)->getBufferSize(), tensors);
      !status)
    return module.emitError("weights: ") << status.message();
  for (auto cell : module.getOps<gsync::CellOp>()) {
    if (!cell.getLayout() || !whyUnsupported(cell.getType()).empty())
      continue; // Machine::start says why
    auto layout = SymbolTable::lookupNearestSymbolFrom<nn::LayoutOp>(
        cell, cell.getLayoutAttr());
    if (!layout ||
        layout.getSize() != cast<ShapedType>(cell.getType()).getNumElements())
      return cell.emitError("is not as large as its layout");
    auto value = storedValue(cell, layout, tensors);
    if (failed(value))
      return failure();
    result[cell.getSymName().str()] = *value;
  }
  return result;
}

} // namespace rubato::interp
