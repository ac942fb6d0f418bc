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
    boundary where the runtime may evaluate, checkpoint, resize or stop. Members
    talk over *channels*; communication starts with an operation that gives a
    *future* and ends with `gsync.await`. Stateful decisions are asked of
    *policies*.

    The dialect names no algorithm: `gsync.train` carries a name and options
    that it does not understand, and `expand-algorithm` looks the name up.

    An operation that *blocks* may wait for another member or strand: `await`,
    a central `ask`, `meet`, `collect`, `commit`, `close` and `next`, and nothing
    else. One that *may fail* ends the round early when a member is lost, and
    the round runs again from its boundary: `await`, a central `ask`, `collect`
    and `commit`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Gsync_AlgorithmAttr : AttrDef<Gsync_Dialect, "Algorithm"> {
  let mnemonic = "algorithm";
  let summary = "a synchronisation algorithm by name, with its options";
  let description = [{
    The name is what users type; options that are left out have the values that
    the algorithm says of itself.

    ```mlir
    #gsync.algorithm<"some-sgd">
    #gsync.algorithm<"some-sgd", {steps = 8 : i64}>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"::mlir::DictionaryAttr">:$options);
  let assemblyFormat = "`<` $name (`,` $options^)? `>`";
}

def Gsync_ChannelKind : I32EnumAttr<"ChannelKind", "how members talk", [
    I32EnumAttrCase<"Collective", 0, "collective">,
    I32EnumAttrCase<"Pair", 1, "pair">,
    I32EnumAttrCase<"Mailbox", 2, "mailbox">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_CellRole : I32EnumAttr<"CellRole", "what a cell is for", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"Optimizer", 1, "optimizer">,
    I32EnumAttrCase<"Counter", 2, "counter">,
    I32EnumAttrCase<"Setting", 3, "setting">,
    I32EnumAttrCase<"Frozen", 4, "frozen">,
    I32EnumAttrCase<"State", 5, "state">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_Placement : I32EnumAttr<"Placement", "where a policy lives", [
    I32EnumAttrCase<"Replicated", 0, "replicated">,
    I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Central", 2, "central">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_BatchSource : I32EnumAttr<"BatchSource", "where a batch comes from", [
    I32EnumAttrCase<"Cursor", 0, "cursor">,
    I32EnumAttrCase<"Queue", 1, "queue">,
    I32EnumAttrCase<"Keyed", 2, "keyed">,
    I32EnumAttrCase<"Range", 3, "range">,
    I32EnumAttrCase<"Peek", 4, "peek">,
    I32EnumAttrCase<"Whole", 5, "whole">]> {
  let cppNamespace = "::rubato::gsync";
}

def Gsync_Future : TypeDef<Gsync_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "values that arrive later; consumed exactly once by an await";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` (`>`) : ($types^ `>`)?";
}

def Gsync_Members : TypeDef<Gsync_Dialect, "Members"> {
  let mnemonic = "members";
  let summary = "a set of members of a group";
}

#endif // RUBATO_GSYNC_DIALECT_TD
