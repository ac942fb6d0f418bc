// Names of the stages.
#include "rubato/Support/Stage.h"

#include "llvm/ADT/STLExtras.h"

static constexpr llvm::StringLiteral kNames[] = {
    "import", "train", "sync", "kernels", "schedule", "llvm", "obj", "exe"};

llvm::StringRef rubato::stageName(Stage stage) {
  return kNames[static_cast<int>(stage)];
}

std::optional<rubato::Stage> rubato::parseStage(llvm::StringRef name) {
  const auto *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return static_cast<Stage>(found - std::begin(kNames));
}
