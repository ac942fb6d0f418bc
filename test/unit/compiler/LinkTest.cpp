// Executables linked in this process, and what is said when that fails.
#include "rubato/Target/CPU/Link.h"
#include "rubato/Target/CPU/Passes.h"
#include "rubato/Target/ExtractKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace {

class Link : public testing::Test {
protected:
  Link()
      : handler(&context, [&](Diagnostic &diagnostic) {
          error += diagnostic.str();
          return success();
        }) {
    context.loadDialect<func::FuncDialect, LLVM::LLVMDialect>();
  }

  /// An object file from text in the LLVM dialect.
  std::string compile(const char *text, rubato::CodeGenOptions options = {}) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    SmallVector<char> bytes;
    if (!module || failed(rubato::emitObject(*module, options, bytes)))
      return {};
    return {bytes.begin(), bytes.end()};
  }

  InFlightDiagnostic emitError() {
    return mlir::emitError(UnknownLoc::get(&context));
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
};

/// Exits with the number of weights plus the first and the last of them.
constexpr const char *kProgram = R"(
  llvm.mlir.global external @rubato_weights() : !llvm.array<3 x i8>
  llvm.mlir.global external @rubato_weights_size() : i64
  llvm.func @main() -> i32 {
    %size = llvm.mlir.addressof @rubato_weights_size : !llvm.ptr
    %data = llvm.mlir.addressof @rubato_weights : !llvm.ptr
    %0 = llvm.load %size : !llvm.ptr -> i64
    %1 = llvm.trunc %0 : i64 to i32
    %2 = llvm.load %data : !llvm.ptr -> i8
    %3 = llvm.getelementptr %data[2] : (!llvm.ptr) -> !llvm.ptr, i8
    %4 = llvm.load %3 : !llvm.ptr -> i8
    %5 = llvm.zext %2 : i8 to i32
    %6 = llvm.zext %4 : i8 to i32
    %7 = llvm.add %1, %5 : i32
    %8 = llvm.add %7, %6 : i32
    llvm.return %8 : i32
  })";

TEST_F(Link, ExecutableWithWeightsRuns) {
  std::string program = compile(kProgram);
  ASSERT_FALSE(program.empty()) << error;
  SmallVector<char> weights;
  ASSERT_TRUE(succeeded(rubato::emitWeightsObject(
      StringRef("\x0a\x00\x14", 3), [&] { return emitError(); }, weights)));
  SmallString<128> path;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("rubato-link-test", "", path));
  StringRef objects[] = {program, StringRef(weights.data(), weights.size())};
  // Twice: the linker must be usable again in the same process.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(succeeded(rubato::linkExecutable(
        objects, RUBATO_LINK_FILES, path, [&] { return emitError(); })))
        << error;
    EXPECT_EQ(llvm::sys::ExecuteAndWait(path, {path}), 3 + 10 + 20);
  }
  llvm::sys::fs::remove(path);
}

TEST_F(Link, KernelsInAModuleOfTheirOwn) {
  auto module = parseSourceString<ModuleOp>(
      "func.func private @k(%x: memref<4xf32>, %lo: index, %hi: index)"
      "    attributes {rubato.kernel} { return }"
      "llvm.func @host() { llvm.return }",
      &context);
  ASSERT_TRUE(module) << error;
  OwningOpRef<ModuleOp> kernels = rubato::extractKernels(*module);
  EXPECT_TRUE(kernels->lookupSymbol<func::FuncOp>("k"));
  EXPECT_FALSE(kernels->lookupSymbol("host"));
  auto declaration = module->lookupSymbol<LLVM::LLVMFuncOp>("k");
  ASSERT_TRUE(declaration);
  EXPECT_TRUE(declaration.isExternal());

  PassManager pm(&context);
  rubato::buildKernelsToLLVMPipeline(pm);
  ASSERT_TRUE(succeeded(pm.run(*kernels))) << error;
  auto definition = kernels->lookupSymbol<LLVM::LLVMFuncOp>("k");
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition.getFunctionType(), declaration.getFunctionType());
}

TEST_F(Link, NamesTheMissingSymbol) {
  std::string program = compile(kProgram);
  EXPECT_TRUE(
      failed(rubato::linkExecutable({StringRef(program)}, RUBATO_LINK_FILES,
                                    "/dev/null", [&] { return emitError(); })));
  EXPECT_NE(error.find("cannot link '/dev/null': undefined symbol: "
                       "rubato_weights"),
            std::string::npos)
      << error;
}

TEST_F(Link, NamesTheMissingFile) {
  EXPECT_TRUE(failed(rubato::linkExecutable({}, "/nowhere", "out",
                                            [&] { return emitError(); })));
  EXPECT_EQ(error, "cannot link 'out': 'Scrt1.o' is missing from '/nowhere'; "
                   "the installation is incomplete");
}

TEST_F(Link, RefusesAnUnknownProcessor) {
  rubato::CodeGenOptions options;
  options.march = "quantum";
  EXPECT_EQ(compile("llvm.func @f() { llvm.return }", options), "");
  EXPECT_NE(error.find("unknown processor 'quantum'"), std::string::npos)
      << error;
}

TEST_F(Link, FilesLieBesideTheCompiler) {
  EXPECT_EQ(rubato::linkFilesDirectory("/opt/rubato/bin/rubato"),
            "/opt/rubato/lib/rubato");
}

} // namespace
