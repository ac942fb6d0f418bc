// The list of algorithms, made from the folders beside this file.
#include "rubato/Sync/Algorithms.h"

#include "lib/Sync/AlgorithmHeaders.inc"

#include "llvm/ADT/STLExtras.h"

using namespace rubato;

void rubato::registerAlgorithms(mlir::DialectRegistry &registry) {
#define RUBATO_ALGORITHM(dialect, Dialect) registry.insert<dialect::Dialect>();
#include "lib/Sync/Algorithms.inc"
#undef RUBATO_ALGORITHM
}

llvm::ArrayRef<const AlgorithmInfo *> rubato::algorithms() {
  static const AlgorithmInfo *const all[] = {
#define RUBATO_ALGORITHM(dialect, Dialect) &dialect::info(),
#include "lib/Sync/Algorithms.inc"
#undef RUBATO_ALGORITHM
  };
  return all;
}

llvm::SmallVector<std::string> rubato::algorithmNames() {
  llvm::SmallVector<std::string> names;
  for (const AlgorithmInfo *info : algorithms())
    for (const AlgorithmConfiguration &configuration : info->configurations)
      names.push_back(configuration.name);
  llvm::sort(names);
  return names;
}

NamedAlgorithm rubato::findAlgorithm(llvm::StringRef name) {
  for (const AlgorithmInfo *info : algorithms())
    for (const AlgorithmConfiguration &configuration : info->configurations)
      if (configuration.name == name)
        return {info, &configuration};
  return {};
}

std::string rubato::defaultAlgorithm() {
  for (const AlgorithmInfo *info : algorithms())
    if (info->byDefault)
      return info->configurations.front().name;
  return algorithmNames().front();
}
