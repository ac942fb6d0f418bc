// The sched dialect: overlapped segments over a static arena.
#ifndef RUBATO_SCHED_DIALECT_TD
#define RUBATO_SCHED_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Sched_Dialect : Dialect {
  let name = "sched";
  let cppNamespace = "::rubato::sched";
  let summary = "Static segments of launches and events, and the programs that run them";
  let description = [{
    `sched` is what a round looks like when every decision has been made: which
    bytes a value lives in (*arena*, *buffers*), which kernel runs on which
    *lane*, which *events* order the lanes. A *segment* is straight-line and
    static, so it can be proved free of races; a *program* is the host code of
    a round and runs segments. README.md beside this file says what is proved
    and what is not.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Enums: the values are those of the runtime's C ABI
//===----------------------------------------------------------------------===//

class Sched_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::rubato::sched";
}

def Sched_Region : Sched_Enum<"ArenaRegion", "a part of the arena", [
    I32EnumAttrCase<"Private", 0, "private">,
    I32EnumAttrCase<"Scratch", 1, "scratch">,
    I32EnumAttrCase<"Host", 2, "host">,
    I32EnumAttrCase<"Value", 3, "value">]>;

def Sched_Lane : Sched_Enum<"Lane", "a sequence of work that runs in order", [
    I32EnumAttrCase<"Compute", 0, "compute">,
    I32EnumAttrCase<"Comm", 1, "comm">]>;

//===----------------------------------------------------------------------===//
// Attributes: where in a buffer
//===----------------------------------------------------------------------===//

class Sched_Attr<string name, string attrMnemonic>
    : AttrDef<Sched_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Sched_PlaceAttr : Sched_Attr<"Place", "place"> {
  let summary = "an address: a byte offset in a buffer";
  let description = [{Inside operations it prints as `@w[1024]`, or `@w` for
    the buffer's first byte.}];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer,
                        "int64_t":$offset);
  let assemblyFormat = "`<` $buffer `[` $offset `]` `>`";
}

def Sched_RangeAttr : Sched_Attr<"Range", "range"> {
  let summary = "bytes [offset, offset + size) of a buffer";
  let description = [{Inside operations it prints as `@w[offset, size]`.}];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer,
                        "int64_t":$offset, "int64_t":$size);
  let assemblyFormat = "`<` $buffer `[` $offset `,` $size `]` `>`";
}

def Sched_TypedRangeAttr : Sched_Attr<"TypedRange", "typed_range"> {
  let summary = "a range and the type of the elements it holds";
  let description = [{An operand of a collective: a whole number of f32, f64 or
    i64. Inside operations it prints as `@w[offset, size] : f32`.}];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer,
                        "int64_t":$offset, "int64_t":$size,
                        "::mlir::Type":$type);
  let assemblyFormat =
      "`<` $buffer `[` $offset `,` $size `]` `:` $type `>`";
  let extraClassDeclaration = [{
    /// The bytes alone.
    RangeAttr getRange() const;
    /// Elements in the range.
    int64_t getCount() const;
  }];
}

class Sched_ArrayOf<Attr element, string text>
    : TypedArrayAttrBase<element, text>;
def Sched_Places : Sched_ArrayOf<Sched_PlaceAttr, "addresses">;
def Sched_Ranges : Sched_ArrayOf<Sched_RangeAttr, "byte ranges">;
def Sched_TypedRanges : Sched_ArrayOf<Sched_TypedRangeAttr, "typed ranges">;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Sched_EventType : TypeDef<Sched_Dialect, "Event"> {
  let mnemonic = "event";
  let summary = "a point in the work of a lane";
}

#endif // RUBATO_SCHED_DIALECT_TD
