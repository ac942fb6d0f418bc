// The gsync dialect: programs of distributed gradient synchronisation.
#ifndef RUBATO_GSYNC_DIALECT_TD
#define RUBATO_GSYNC_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Gsync_Dialect : Dialect {
  let name = "gsync";
  let cppNamespace = "::rubato::gsync";
  let summary = "Programs of distributed gradient synchronisation";
  let description = [{
    A *group* is a set of members; a *role* is what a member runs: strands over
    shared *cells*. The body of a strand is one round; `gsync.next` is the only
    boundary where the runtime may evaluate, checkpoint or stop. Members talk
    over *channels*; communication starts with an operation that gives a
    *future* and ends with `gsync.await`.

    The dialect names no algorithm: `gsync.train` carries an attribute that
    implements the `SyncAlgorithm` interface, and that attribute writes the
    program.
  }];
  let useDefaultTypePrinterParser = 1;
}

def Gsync_ChannelKind : I32EnumAttr<"ChannelKind", "how members talk", [
    I32EnumAttrCase<"Collective", 0, "collective">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_CellRole : I32EnumAttr<"CellRole", "what a cell is for", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"Optimizer", 1, "optimizer">,
    I32EnumAttrCase<"Counter", 2, "counter">,
    I32EnumAttrCase<"Setting", 3, "setting">,
    I32EnumAttrCase<"Frozen", 4, "frozen">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_Future : TypeDef<Gsync_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "values that arrive later; consumed exactly once by an await";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

#endif // RUBATO_GSYNC_DIALECT_TD
