// rubato-translate: between Rubato's IR and other forms; here the importer.
#include "rubato/Import/Import.h"
#include "rubato/Support/Register.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<int64_t> batch("batch", cl::desc("samples in one micro-batch"),
                              cl::init(0));
static cl::list<std::string>
    dims("dim", cl::desc("size of a symbolic dimension, NAME=SIZE"));
static cl::list<std::string>
    trainOnly("train-only", cl::CommaSeparated,
              cl::desc("tensors to train, names or patterns"));
static cl::list<std::string>
    freeze("freeze", cl::CommaSeparated,
           cl::desc("tensors not to train, names or patterns"));
static cl::opt<rubato::FloatKind>
    floats("float", cl::desc("type of floating-point values"),
           cl::values(clEnumValN(rubato::FloatKind::F32, "f32", "32 bits"),
                      clEnumValN(rubato::FloatKind::F64, "f64", "64 bits")),
           cl::init(rubato::FloatKind::F32));
static cl::opt<std::string>
    weights("weights", cl::desc("safetensors file for the initial values"));

/// Fills the options; false for a `--dim` that is not NAME=SIZE.
static bool readOptions(rubato::ImportOptions &options) {
  options.batch = batch;
  options.floats = floats;
  options.weightsPath = weights;
  options.roles.trainOnly.assign(trainOnly.begin(), trainOnly.end());
  options.roles.freeze.assign(freeze.begin(), freeze.end());
  for (const std::string &each : dims) {
    auto [name, size] = llvm::StringRef(each).rsplit('=');
    if (name.empty() || size.getAsInteger(10, options.dims[name.str()])) {
      llvm::errs() << "error: --dim '" << each << "' is not NAME=SIZE\n";
      return false;
    }
  }
  return true;
}

static OwningOpRef<Operation *> importFile(llvm::SourceMgr &sources,
                                           MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  rubato::ImportOptions options;
  if (!readOptions(options))
    return {};
  std::string name = buffer->getBufferIdentifier().str();
  std::string path = name == "<stdin>" ? "" : name;
  rubato::onnx::Diagnostics diagnostics(name);
  OwningOpRef<Operation *> module;
  if (auto model = rubato::onnx::loadModel(
          std::string_view(buffer->getBuffer()), path, diagnostics))
    module = OwningOpRef<Operation *>(
        rubato::importModel(*context, *model, options, diagnostics).release());
  llvm::errs() << diagnostics.str();
  return module;
}

int main(int argc, char **argv) {
  TranslateToMLIRRegistration import(
      "import-onnx", "Import an ONNX model", importFile,
      [](DialectRegistry &registry) { rubato::registerDialects(registry); });
  return failed(mlirTranslateMain(argc, argv, "Rubato's translation driver\n"));
}
