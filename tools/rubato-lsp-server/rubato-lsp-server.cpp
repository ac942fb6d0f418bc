// rubato-lsp-server: editor support for files in our dialects.
#include "rubato/Support/Register.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rubato::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
