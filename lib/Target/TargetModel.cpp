// The targets of this build, by name.
#include "rubato/Target/TargetModel.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace rubato;

static std::vector<std::unique_ptr<TargetModel>> &targets() {
  static std::vector<std::unique_ptr<TargetModel>> all;
  return all;
}

void TargetModel::add(std::unique_ptr<TargetModel> target) {
  targets().push_back(std::move(target));
}

const TargetModel *TargetModel::find(StringRef name) {
  for (const auto &target : targets())
    if (target->name() == name)
      return target.get();
  return nullptr;
}

const TargetModel *TargetModel::findOrReport(StringRef name, Operation *op) {
  const TargetModel *target = find(name);
  if (!target)
    op->emitError("unknown target '")
        << name << "'; this build has: " << names();
  return target;
}

std::string TargetModel::names() {
  return llvm::join(
      llvm::map_range(targets(),
                      [](const auto &target) { return target->name().str(); }),
      ", ");
}
