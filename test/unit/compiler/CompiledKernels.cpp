// Kernels given as text, compiled by the reference road and loaded.
#include "CompiledKernels.h"

#include "rubato/Kernels/Passes.h"
#include "rubato/Support/Register.h"
#include "rubato/Target/CPU/CodeGen.h"
#include "rubato/Target/CPU/Link.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace mlir;
using namespace rubato::test;

std::unique_ptr<MLIRContext> rubato::test::createContext() {
  DialectRegistry registry;
  registerDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

std::string rubato::test::substitute(std::string text, const std::string &from,
                                     const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

CompiledKernels::CompiledKernels(const std::string &text) {
  std::unique_ptr<MLIRContext> context = createContext();
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, context.get());
  if (module)
    compile(*context, *module);
}

CompiledKernels::CompiledKernels(MLIRContext &context, ModuleOp module) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str() + "\n";
    return success();
  });
  compile(context, module);
}

void CompiledKernels::compile(MLIRContext &context, ModuleOp module) {
  PassManager pm(&context);
  pm.addNestedPass<func::FuncOp>(rubato::createNnToLinalgPass());
  rubato::buildKernelsToLLVMPipeline(pm);
  SmallVector<char> bytes;
  if (failed(pm.run(module)) || failed(emitObject(module, {}, bytes)))
    return;
  object.assign(bytes.begin(), bytes.end());
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("rubato-test", "so", path))
    return void(error = "no temporary file");
  if (succeeded(linkShared({StringRef(object)}, path,
                           [&] { return module.emitError(); }))) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      error = dlerror();
  }
  llvm::sys::fs::remove(path);
}

CompiledKernels::~CompiledKernels() {
  if (library)
    dlclose(library);
}

void CompiledKernels::call(const std::string &name,
                           std::vector<void *> arguments, int64_t lo,
                           int64_t hi) const {
  using Kernel = void (*)(void *const *, int64_t, int64_t);
  auto kernel = reinterpret_cast<Kernel>(dlsym(library, name.c_str()));
  if (!kernel)
    llvm::report_fatal_error(llvm::Twine("no kernel ") + name);
  kernel(arguments.data(), lo, hi);
}

std::vector<std::string> CompiledKernels::undefinedSymbols() const {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "kernels.o"));
  std::vector<std::string> names;
  if (!file) {
    names.push_back(llvm::toString(file.takeError()));
    return names;
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols())
    if (llvm::cantFail(symbol.getFlags()) &
        llvm::object::SymbolRef::SF_Undefined)
      names.push_back(llvm::cantFail(symbol.getName()).str());
  return names;
}
