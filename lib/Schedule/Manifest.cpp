// Attributes to JSON: the manifest of a compiled unit.
#include "rubato/Schedule/Manifest.h"

#include "UnitDescription.h"

#include "dialects/nn/Nn.h"
#include "dialects/sched/Sched.h"
#include "rubato/Support/Stage.h"

#include "runtime/abi/rubato_abi.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace rubato;
namespace json = llvm::json;

static json::Value toJson(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().getValue()] = toJson(entry.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    json::Array list;
    for (Attribute element : array)
      list.push_back(toJson(element));
    return list;
  }
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.getValue();
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return nullptr;
}

std::string rubato::buildManifest(ModuleOp module,
                                  const ManifestExtras &extras) {
  auto unit = module->getAttrOfType<DictionaryAttr>(kUnitAttr);
  json::Object manifest = std::move(*toJson(unit).getAsObject());
  manifest["abi"] = RUBATO_ABI_VERSION;
  manifest["producer"] = extras.producer;
  manifest["model"] = module.getSymName().value_or("model");
  if (auto options = module->getAttrOfType<DictionaryAttr>(kOptionsAttr))
    manifest["options"] = toJson(options);
  else
    manifest["options"] = json::Object();
  if (auto arena = sched::ArenaOp::of(module))
    manifest["regions"] = json::Object{
        {"private", static_cast<int64_t>(arena.getPrivateBytes())},
        {"shared", static_cast<int64_t>(arena.getSharedBytes())},
        {"result", static_cast<int64_t>(arena.getResultBytes())},
        {"scratch", static_cast<int64_t>(arena.getScratchBytes())}};
  manifest["events"] = extras.events;
  manifest["futures"] = extras.futures;

  // Frozen slots are told from the trained ones by their role.
  json::Array slots;
  for (auto layout : module.getOps<nn::LayoutOp>())
    for (nn::SlotAttr slot : layout.slots())
      slots.push_back(
          json::Object{{"name", slot.getName()},
                       {"shape", json::Array(slot.getType().getShape())},
                       {"offset", slot.getOffset()},
                       {"role", nn::stringifyRole(slot.getRole())}});
  manifest["layout"] = std::move(slots);

  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << json::Value(std::move(manifest));
  return text;
}
