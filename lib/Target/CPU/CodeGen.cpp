// Object files from modules in the LLVM dialect.
#include "rubato/Target/CPU/CodeGen.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace rubato;

/// The machine that code is made for, or null after an error.
static std::unique_ptr<llvm::TargetMachine>
createMachine(const CodeGenOptions &options, EmitError emitError) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    emitError() << "no code generator for " << triple.str() << ": " << message;
    return nullptr;
  }
  std::string cpu = options.march, features;
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName();
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    SmallVector<std::string> names;
    for (const auto &feature : host)
      names.push_back((feature.second ? "+" : "-") + feature.first().str());
    // The order of a StringMap is no order to depend on.
    llvm::sort(names);
    features = llvm::join(names, ",");
  }
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = llvm::CodeGenOpt::getLevel(options.optimize);
  if (!level) {
    emitError() << "no optimisation level " << options.optimize
                << "; expected 0 to 3";
    return nullptr;
  }
  // Asked without a processor first: LLVM itself prints about an unknown one.
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!subtarget->isCPUStringValid(cpu)) {
    emitError() << "unknown processor '" << cpu
                << "'; expected x86-64-v3, x86-64-v4, native or another name "
                   "that LLVM knows";
    return nullptr;
  }
  subtarget.reset(target->createMCSubtargetInfo(triple, cpu, features));
  if (!subtarget->checkFeatures("+64bit")) {
    emitError() << "processor '" << cpu << "' has no 64-bit mode";
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, targetOptions,
                                  llvm::Reloc::PIC_, std::nullopt, *level));
}

/// Runs LLVM's code generator.
static LogicalResult writeObject(llvm::Module &ir, llvm::TargetMachine &machine,
                                 EmitError emitError,
                                 SmallVectorImpl<char> &object) {
  object.clear();
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return emitError() << "this build of LLVM writes no object files for "
                       << machine.getTargetTriple().str();
  passes.run(ir);
  return success();
}

LogicalResult rubato::emitObject(ModuleOp module, const CodeGenOptions &options,
                                 SmallVectorImpl<char> &object) {
  auto emitError = [&] { return module.emitError(); };
  auto machine = createMachine(options, emitError);
  if (!machine)
    return failure();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, context, "rubato");
  if (!ir)
    return emitError() << "cannot be translated to LLVM IR; is it in the LLVM "
                          "dialect?";
  ir->setTargetTriple(machine->getTargetTriple());
  ir->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *ir)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", machine->getTargetCPU());
      function.addFnAttr("target-features", machine->getTargetFeatureString());
    }
  auto optimize = makeOptimizingTransformer(options.optimize, /*sizeLevel=*/0,
                                            machine.get());
  if (llvm::Error error = optimize(ir.get()))
    return emitError() << "optimisation failed: "
                       << llvm::toString(std::move(error));
  return writeObject(*ir, *machine, emitError, object);
}

LogicalResult rubato::emitDataObject(StringRef bytes, StringRef name,
                                     EmitError emitError,
                                     SmallVectorImpl<char> &object) {
  auto machine = createMachine({}, emitError);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  llvm::Module ir("rubato", context);
  ir.setTargetTriple(machine->getTargetTriple());
  ir.setDataLayout(machine->createDataLayout());
  auto define = [&](const llvm::Twine &symbol, llvm::Constant *value) {
    auto *global = new llvm::GlobalVariable(
        ir, value->getType(), /*isConstant=*/true,
        llvm::GlobalValue::ExternalLinkage, value, symbol);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return global;
  };
  // Bytes, whatever they stand for: a float array costs three times as much.
  llvm::GlobalVariable *data =
      define(name, llvm::ConstantDataArray::getRaw(
                       bytes, bytes.size(), llvm::Type::getInt8Ty(context)));
  data->setAlignment(llvm::Align(64));
  data->setSection("." + name.str());
  define(name + "_size",
         llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), bytes.size()));
  return writeObject(ir, *machine, emitError, object);
}

LogicalResult rubato::emitWeightsObject(StringRef bytes, EmitError emitError,
                                        SmallVectorImpl<char> &object) {
  return emitDataObject(bytes, "rubato_weights", emitError, object);
}
