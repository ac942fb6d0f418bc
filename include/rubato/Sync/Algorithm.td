// What every algorithm's dialect and attribute are made of.
#ifndef RUBATO_SYNC_ALGORITHM_TD
#define RUBATO_SYNC_ALGORITHM_TD

include "dialects/gsync/GsyncInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

/// The dialect of one algorithm, with nothing in it but its attribute.
class Algorithm_Dialect<string dialect> : Dialect {
  let name = dialect;
  let cppNamespace = "::rubato::" # dialect;
  let useDefaultAttributePrinterParser = 1;
}

/// `#name.algorithm<{…}>`: an algorithm with its options.
class Algorithm_Attr<Dialect dialect> : AttrDef<dialect, "Algorithm", [
    DeclareAttrInterfaceMethods<SyncAlgorithm>]> {
  let mnemonic = "algorithm";
  let parameters = (ins OptionalParameter<"::mlir::DictionaryAttr">:$options);
  let assemblyFormat = "(`<` $options^ `>`)?";
}

#endif // RUBATO_SYNC_ALGORITHM_TD
