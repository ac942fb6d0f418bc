// What the operations of gsync share.
#ifndef RUBATO_GSYNC_OP_BASE_TD
#define RUBATO_GSYNC_OP_BASE_TD

include "dialects/gsync/GsyncDialect.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Gsync_Op<string mnemonic, list<Trait> traits = []>
    : Op<Gsync_Dialect, mnemonic, traits>;

/// Operations that touch a channel, a cell, a policy, the clock or the data
/// have effects on it, so that no upstream pass merges, drops or reorders them.
def Gsync_Effects : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;
def Gsync_Names : DeclareOpInterfaceMethods<OpAsmOpInterface,
    ["getAsmResultNames"]>;
def Gsync_NamesInside : DeclareOpInterfaceMethods<OpAsmOpInterface,
    ["getAsmResultNames", "getAsmBlockArgumentNames"]>;
def Gsync_ArgumentNames : DeclareOpInterfaceMethods<OpAsmOpInterface,
    ["getAsmBlockArgumentNames"]>;
def Gsync_Symbols : DeclareOpInterfaceMethods<SymbolUserOpInterface>;
def Gsync_SymbolList : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">;
/// A count that a device computes.
def Gsync_Scalar : 0DTensorOf<[I64]>;

#endif // RUBATO_GSYNC_OP_BASE_TD
