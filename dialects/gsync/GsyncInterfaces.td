// What makes an attribute a synchronisation algorithm.
#ifndef RUBATO_GSYNC_INTERFACES_TD
#define RUBATO_GSYNC_INTERFACES_TD

include "mlir/IR/OpBase.td"

def SyncAlgorithm : AttrInterface<"SyncAlgorithm"> {
  let cppNamespace = "::rubato::gsync";
  let description = [{
    An algorithm is an attribute of a dialect of its own (`lib/Sync/<Name>`).
    Its parameters are its options; `expand` replaces `gsync.train` by the
    program. Nothing else in the compiler knows it.
  }];
  let methods = [
    InterfaceMethod<[{
        Writes the program in front of `train` (a gsync.train) and erases it. Fails with a
        diagnostic where the options or the training functions do not fit.
      }],
      "::llvm::LogicalResult", "expand",
      (ins "::mlir::Operation *":$train)>
  ];
}

#endif // RUBATO_GSYNC_INTERFACES_TD
