// The manifest of a compiled unit, as JSON.
#include "rubato/Schedule/Manifest.h"

#include "PrintUnit.h"

#include "dialects/nn/Nn.h"
#include "dialects/sched/Sched.h"
#include "rubato/Support/Stage.h"

#include "runtime/abi/rubato_abi.h"

using namespace mlir;
using namespace rubato;
namespace json = llvm::json;

std::string rubato::buildManifest(ModuleOp module,
                                  const ManifestExtras &extras) {
  json::Object manifest = printUnit(module);
  manifest["abi"] = RUBATO_ABI_VERSION;
  manifest["producer"] = extras.producer;
  manifest["model"] = module.getSymName().value_or("model");
  if (auto options = module->getAttrOfType<DictionaryAttr>(kOptionsAttr))
    manifest["options"] = toJson(options);
  else
    manifest["options"] = json::Object();
  if (auto arena = sched::ArenaOp::of(module)) {
    manifest["regions"] =
        json::Object{{"private", static_cast<int64_t>(arena.getPrivateBytes())},
                     {"scratch", static_cast<int64_t>(arena.getScratchBytes())},
                     {"host", static_cast<int64_t>(arena.getHostBytes())}};
    if (auto numbers = arena.getNumbers())
      manifest["numbers"] =
          json::Object{{"offset", (*numbers)[0]}, {"bytes", (*numbers)[1]}};
  }
  manifest["events"] = extras.events;

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
