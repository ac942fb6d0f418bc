// The list of algorithms: one line each.
#include "rubato/Sync/Algorithms.h"

#include "AllReduce/AllReduce.h"

#include "llvm/ADT/STLExtras.h"

void rubato::registerAlgorithms(mlir::DialectRegistry &registry) {
  registry.insert<allreduce::AllReduceDialect>();
}

llvm::SmallVector<std::string> rubato::algorithmNames() {
  mlir::DialectRegistry registry;
  registerAlgorithms(registry);
  llvm::SmallVector<std::string> names;
  for (llvm::StringRef dialect : registry.getDialectNames()) {
    if (dialect == "builtin")
      continue; // every registry holds it
    std::string name = dialect.str();
    llvm::replace(name, '_', '-');
    names.push_back(name);
  }
  return names;
}
