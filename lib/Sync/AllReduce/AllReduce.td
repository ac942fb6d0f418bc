// Synchronous data-parallel SGD, as an attribute.
#ifndef RUBATO_SYNC_ALLREDUCE_TD
#define RUBATO_SYNC_ALLREDUCE_TD

include "dialects/gsync/GsyncInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def AllReduce_Dialect : Dialect {
  let name = "allreduce";
  let cppNamespace = "::rubato::allreduce";
  let summary = "Synchronous data-parallel SGD";
  let useDefaultAttributePrinterParser = 1;
}

def AllReduce_AlgorithmAttr : AttrDef<AllReduce_Dialect, "Algorithm", [
    DeclareAttrInterfaceMethods<SyncAlgorithm>]> {
  let mnemonic = "algorithm";
  let summary = "every round sums the gradients of all members";
}

#endif // RUBATO_SYNC_ALLREDUCE_TD
