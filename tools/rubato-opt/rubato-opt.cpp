// rubato-opt: runs passes on a file, for tests and for people.
#include "rubato/Support/Register.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rubato::registerDialects(registry);
  rubato::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Rubato's modular optimizer driver\n", registry));
}
