// Options as a module attribute, and back.
#include "rubato/Driver/CompileOptions.h"

#include "rubato/Support/Stage.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

namespace {

Attribute toAttribute(Builder &b, const std::string &value) {
  return b.getStringAttr(value);
}
Attribute toAttribute(Builder &b, double value) {
  return b.getF64FloatAttr(value);
}
Attribute toAttribute(Builder &b, int64_t value) {
  return b.getI64IntegerAttr(value);
}
Attribute toAttribute(Builder &b, bool value) { return b.getBoolAttr(value); }
Attribute toAttribute(Builder &b, const std::vector<std::string> &value) {
  return b.getStrArrayAttr(SmallVector<StringRef>(value.begin(), value.end()));
}

void fromAttribute(Attribute attribute, std::string &value) {
  if (auto string = dyn_cast<StringAttr>(attribute))
    value = string.str();
}
void fromAttribute(Attribute attribute, double &value) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    value = number.getValueAsDouble();
}
void fromAttribute(Attribute attribute, int64_t &value) {
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    value = number.getInt();
}
void fromAttribute(Attribute attribute, bool &value) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    value = boolean.getValue();
}
void fromAttribute(Attribute attribute, std::vector<std::string> &value) {
  value.clear();
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    for (auto string : list.getAsRange<StringAttr>())
      value.push_back(string.str());
}

/// A value as a user writes it, without its type.
std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

} // namespace

void CompileOptions::record(ModuleOp module) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  visit([&](StringRef name, auto &field, StringRef) {
    entries.push_back(b.getNamedAttr(name, toAttribute(b, field)));
  });
  module->setAttr(kOptionsAttr, b.getDictionaryAttr(entries));
}

LogicalResult CompileOptions::restore(ModuleOp module,
                                      ArrayRef<std::string> given) {
  Builder b(module.getContext());
  auto recorded = module->getAttrOfType<DictionaryAttr>(kOptionsAttr);
  if (!recorded)
    return module.emitError("holds no ")
           << kOptionsAttr << "; it was not written by `rubato compile`";
  LogicalResult result = success();
  visit([&](StringRef name, auto &field, StringRef) {
    Attribute was = recorded.get(name);
    if (!was)
      return;
    Attribute now = toAttribute(b, field);
    if (llvm::is_contained(given, name) && now != was) {
      result = module.emitError("--")
               << name << " is " << textOf(now)
               << " here but the file was compiled with " << textOf(was)
               << "; leave the option out or start from the "
               << "ONNX model";
      return;
    }
    fromAttribute(was, field);
  });
  return result;
}
