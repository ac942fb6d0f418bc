// The sync stage: the distributed algorithm as a readable program.
#ifndef RUBATO_SYNC_PASSES_TD
#define RUBATO_SYNC_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseAlgorithm : Pass<"choose-algorithm", "::mlir::ModuleOp"> {
  let summary = "Adds gsync.train with the algorithm of a given name";
  let description = [{
    The name `some-sgd` becomes the attribute `#some_sgd.algorithm<{…}>` of the
    dialect that the algorithm's folder registers, with the value of every
    option. A name may stand for a configuration of an algorithm of another
    name.

    After: `gsync.train algorithm(#some_sgd.algorithm<{…}>) learning_rate(5.0e-02)`
  }];
  let options = [
    Option<"algorithm", "algorithm", "std::string", "",
           "name of the synchronisation algorithm; empty: the default one">,
    ListOption<"given", "options", "std::string",
               "options of the algorithm, name=value">,
    Option<"learningRate", "lr", "double", "0.01", "default learning rate">
  ];
  let dependentDialects = ["::rubato::gsync::GsyncDialect"];
}

def ExpandAlgorithm : Pass<"expand-algorithm", "::mlir::ModuleOp"> {
  let summary = "Replaces gsync.train by the program of its algorithm";
  let description = [{
    Calls the `SyncAlgorithm` interface of the attribute: the dialect, this
    pass and the driver know no algorithm by name.

    Before: `gsync.train algorithm(#some_sgd.algorithm<{…}>) …`
    After: `gsync.group`, `gsync.channel`, `gsync.cell`s and a `gsync.role`.
  }];
  let dependentDialects = ["::rubato::gsync::GsyncDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifySync : Pass<"verify-sync", "::mlir::ModuleOp"> {
  let summary = "States the contract of the sync stage";
  let description = [{
    No `gsync.train` is left and a role exists; stored cells have the length of
    their layout; every future is awaited exactly once; collectives stand in a
    strand's body, under no condition.
  }];
}

def GsyncTestMutate : Pass<"gsync-test-mutate", "::mlir::ModuleOp"> {
  let summary = "Breaks a program on purpose, for tests of verifiers";
  let description = [{
    Applies one mutation (`kind`) at one place (`site`, counted in the order of
    the file) and says where in a remark. A kind that does not exist, or a site
    beyond the last, is an error that says what there is.

    Before: `%s:2 = gsync.await %f : !F`
    After `kind=drop-await`: the future is lost, `%s#0` and `%s#1` are zeros.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "", "what to break">,
    Option<"site", "site", "unsigned", "0", "where, from 0">
  ];
  let dependentDialects = ["::rubato::gsync::GsyncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // RUBATO_SYNC_PASSES_TD
