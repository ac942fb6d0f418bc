// The registry of algorithms, made from the folders beside this file.
#include "rubato/Sync/Algorithms.h"

#include "lib/Sync/AlgorithmHeaders.inc"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace rubato;

namespace {
/// What a folder provides.
struct Algorithm {
  const AlgorithmInfo &info;
  BuildProgram build;
};
} // namespace

static llvm::ArrayRef<Algorithm> algorithms() {
  static const Algorithm all[] = {
#define RUBATO_ALGORITHM(name) {name::info(), name::build},
#include "lib/Sync/Algorithms.inc"
#undef RUBATO_ALGORITHM
  };
  return all;
}

llvm::SmallVector<std::string> rubato::algorithmNames() {
  llvm::SmallVector<std::string> names;
  for (const Algorithm &algorithm : algorithms())
    for (const AlgorithmConfiguration &each : algorithm.info.configurations)
      names.push_back(each.name);
  llvm::sort(names);
  return names;
}

NamedAlgorithm rubato::findAlgorithm(llvm::StringRef name) {
  for (const Algorithm &algorithm : algorithms())
    for (const AlgorithmConfiguration &each : algorithm.info.configurations)
      if (each.name == name)
        return {&algorithm.info, &each, algorithm.build};
  return {};
}

std::string rubato::defaultAlgorithm() {
  for (const Algorithm &algorithm : algorithms())
    if (algorithm.info.byDefault)
      return algorithm.info.configurations.front().name;
  return algorithmNames().front();
}

std::string rubato::unknownAlgorithm(llvm::StringRef name) {
  llvm::SmallVector<std::string> names = algorithmNames();
  auto distance = [&](llvm::StringRef each) {
    return std::pair(name.edit_distance(each), each);
  };
  llvm::sort(names, [&](llvm::StringRef a, llvm::StringRef b) {
    return distance(a) < distance(b);
  });
  return ("unknown algorithm '" + name +
          "'; this build has: " + llvm::join(names, ", "))
      .str();
}
