// Operations of the sched dialect.
#ifndef RUBATO_SCHED_OPS_TD
#define RUBATO_SCHED_OPS_TD

include "dialects/sched/SchedDialect.td"
include "dialects/sched/SchedInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sched_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sched_Dialect, mnemonic, traits>;

def Sched_SymbolUser : DeclareOpInterfaceMethods<SymbolUserOpInterface>;
def Sched_TopLevel : HasParent<"::mlir::ModuleOp">;

/// Host operations sit in a program, at any depth of its control flow.
def Sched_InProgram : NativeOpTrait<"InProgram"> {
  let cppNamespace = "::rubato::sched";
}

def Sched_IsFact : NativeOpTrait<"IsFact"> {
  let cppNamespace = "::rubato::sched";
}

def Sched_Scalar : AnyTypeOf<[I64, F32, F64]>;
class Sched_NonNegative<Attr base> : ConfinedAttr<base, [IntNonNegative]>;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Sched_ArenaOp : Sched_Op<"arena", [Sched_TopLevel, Sched_SymbolUser]> {
  let summary = "the bytes a unit needs, region by region";
  let description = [{
    Stands once in a module that has buffers. The regions are those of the C
    ABI: *private* belongs to one member, *scratch* to one strand and holds
    nothing across a call that others notice; *host* holds numbers of one member
    that no kernel touches. Values have memory of their own. `numbers`: where in
    the private region those lie that kernels and the host touch, and how many
    bytes.

    ```mlir
    sched.arena private(9000000) scratch(2678912) host(120) numbers[8999936, 64]
    ```
  }];
  let arguments = (ins Sched_NonNegative<I64Attr>:$private_bytes,
                       DefaultValuedAttr<Sched_NonNegative<I64Attr>, "0">:
                           $scratch_bytes,
                       DefaultValuedAttr<Sched_NonNegative<I64Attr>, "0">:
                           $host_bytes,
                       OptionalAttr<DenseI64ArrayAttr>:$numbers);
  let assemblyFormat = [{
    `private` `(` $private_bytes `)` (`scratch` `(` $scratch_bytes^ `)`)?
    (`host` `(` $host_bytes^ `)`)? (`numbers` `` $numbers^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "int64_t":$privateBytes, "int64_t":$scratchBytes), [{
      build($_builder, $_state, privateBytes, scratchBytes, /*host_bytes=*/0,
            /*numbers=*/::mlir::DenseI64ArrayAttr());
    }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Size of one region.
    int64_t getBytes(::rubato::sched::ArenaRegion region);
    /// The arena of `module`, or null.
    static ArenaOp of(::mlir::Operation *module);
  }];
}

def Sched_BufferOp
    : Sched_Op<"buffer", [Sched_TopLevel, Symbol, Sched_SymbolUser]> {
  let summary = "a named range of a region";
  let description = [{
    Buffers of one region may overlap: the arena is reused by what is not live
    at the same time. The race proof therefore looks at bytes, not at names.

    A *value* has memory of its own that can be exchanged for another while a
    program runs (see `sched.renew`). It is no range of the arena: `at` is its
    number, and it never overlaps another.

    ```mlir
    sched.buffer @w private at(0) bytes(2678824)
    sched.buffer @received value at(0) bytes(2678824)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sched_Region:$region,
                       Sched_NonNegative<I64Attr>:$offset,
                       ConfinedAttr<I64Attr, [IntPositive]>:$bytes);
  let assemblyFormat = [{
    $sym_name $region `at` `(` $offset `)` `bytes` `(` $bytes `)` attr-dict
  }];
  let extraClassDeclaration = [{
    bool isValue() { return getRegion() == ArenaRegion::Value; }
    /// The region by the ABI's number, of which each value is one, and where
    /// in it the buffer begins.
    int64_t getRegionNumber() {
      return int64_t(getRegion()) + (isValue() ? getOffset() : 0);
    }
    int64_t getStart() { return isValue() ? 0 : getOffset(); }
  }];
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

def Sched_SegmentOp : Sched_Op<"segment", [
    Sched_TopLevel, Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
    NoRegionArguments]> {
  let summary = "a straight line of work on lanes";
  let description = [{
    Its operations are given to their lanes in the order of the text. A lane
    runs what it is given in order; two lanes are ordered by events only.
    There is no control flow, so all of it is known to the compiler:
    `sched-verify-segments` proves that no two accesses race.

    ```mlir
    sched.segment @round {
      sched.launch compute @fc2.backward [0, 1] args(@h1, @grad)
          reads(@h1[0, 131072]) writes(@grad[0, 20480])
      %e = sched.record compute
      sched.wait comm, %e
      sched.ready comm channel(0) bytes(0, 20480) ins(@grad[0, 40960] : f32)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The straight line of operations.
    ::mlir::Block *getLine() { return &getBody().front(); }
  }];
}

class Sched_LaneOp<string mnemonic, list<string> methods,
                   list<Trait> traits = []>
    : Sched_Op<mnemonic, !listconcat(traits, [
          HasParent<"SegmentOp">,
          DeclareOpInterfaceMethods<LaneOpInterface, methods>])>;

def Sched_LaunchOp : Sched_LaneOp<"launch", ["getAccesses", "getLabel"],
                                  [Sched_SymbolUser]> {
  let summary = "gives a kernel to a lane";
  let description = [{
    Runs the part [lo, hi) of the kernel's outermost independent dimension.
    `args` are the addresses of the kernel's operands and results, in its
    order. `reads` and `writes` declare every byte the launch may touch; a
    range may stand in both.

    ```mlir
    sched.launch compute @fc1.forward [0, 1] args(@x, @w[1024], @h1)
        reads(@x[0, 200704], @w[1024, 1605632]) writes(@h1[0, 131072])
    ```
  }];
  let arguments = (ins Sched_Lane:$lane, FlatSymbolRefAttr:$kernel,
                       Sched_NonNegative<I64Attr>:$lo,
                       Sched_NonNegative<I64Attr>:$hi,
                       Sched_Places:$args, Sched_Ranges:$reads,
                       Sched_Ranges:$writes);
  let assemblyFormat = [{
    $lane $kernel ` ` `[` $lo `,` $hi `]` `` custom<Args>($args)
    `` custom<Reads>($reads) `` custom<Writes>($writes) attr-dict
  }];
  let hasVerifier = 1;
}

def Sched_ReadyOp : Sched_LaneOp<"ready", ["getAccesses", "getLabel"],
                                 [Sched_SymbolUser]> {
  let summary = "says that a part of the next reduction's operand is final";
  let description = [{
    Bytes [from, to) of a value are final, which is, whole, the first operand of
    this strand's next `sched.start all_reduce` on the channel. Who carries the
    reduction may begin with them. Nothing else changes: the start stands where
    it stood, brings the other operands and says that all of it is there. So a
    path on which no segment said so still starts the same reduction, and
    members need not agree on how early they were. `done` is the share of the
    segment's work in front of it, by which a simulation divides time.

    ```mlir
    sched.ready comm channel(0) bytes(0, 20480) ins(@grad[0, 40960] : f32) done(6.200000e-01)
    ```
  }];
  let arguments = (ins Sched_Lane:$lane, Sched_NonNegative<I32Attr>:$channel,
                       Sched_NonNegative<I64Attr>:$from,
                       Sched_NonNegative<I64Attr>:$to, Sched_TypedRanges:$ins,
                       OptionalAttr<F64Attr>:$done);
  let builders = [
    OpBuilder<(ins "Lane":$lane, "uint32_t":$channel, "uint64_t":$from,
                   "uint64_t":$to, "::mlir::ArrayAttr":$ins), [{
      build($_builder, $_state, lane, channel, from, to, ins,
            ::mlir::FloatAttr());
    }]>];
  let assemblyFormat = [{
    $lane `channel` `(` $channel `)` `bytes` `(` $from `,` $to `)`
    `` custom<Ins>($ins) (`done` `(` $done^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operand, whole.
    ::rubato::sched::TypedRangeAttr getOperandRange() {
      return ::mlir::cast<::rubato::sched::TypedRangeAttr>(getIns()[0]);
    }
  }];
}

def Sched_ArriveOp : Sched_LaneOp<"arrive", ["getAccesses", "getLabel"],
                                  [Sched_SymbolUser]> {
  let summary = "holds a lane back until more of a reduction has arrived";
  let description = [{
    A `sched.await` with `first` brings a value of which only the first bytes
    are there. On its lane this operation ends when those of `outs` are there
    too. They are brought in order, so all in front of them are as well. `done`
    is the share of the segment's work in front of it.

    ```mlir
    sched.await %f outs(@sum[0, 40960] : f32) first(20480)
    // and in the segment that runs next
    sched.arrive comm outs(@sum[20480, 20480] : f32)
    ```
  }];
  let arguments = (ins Sched_Lane:$lane, Sched_TypedRanges:$outs,
                       OptionalAttr<F64Attr>:$done);
  let builders = [
    OpBuilder<(ins "Lane":$lane, "::mlir::ArrayAttr":$outs), [{
      build($_builder, $_state, lane, outs, ::mlir::FloatAttr());
    }]>];
  let assemblyFormat =
      "$lane `` custom<Outs>($outs) (`done` `(` $done^ `)`)? attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What arrives.
    ::rubato::sched::TypedRangeAttr getArriving() {
      return ::mlir::cast<::rubato::sched::TypedRangeAttr>(getOuts()[0]);
    }
  }];
}

def Sched_RecordOp : Sched_LaneOp<"record", []> {
  let summary = "an event that is reached when the lane's work so far is done";
  let arguments = (ins Sched_Lane:$lane);
  let results = (outs Sched_EventType:$event);
  let assemblyFormat = "$lane attr-dict";
}

def Sched_WaitOp : Sched_LaneOp<"wait", []> {
  let summary = "holds a lane back until an event is reached";
  let arguments = (ins Sched_Lane:$lane, Sched_EventType:$event);
  let assemblyFormat = "$lane `,` $event attr-dict";
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

def Sched_ProgramOp : Sched_Op<"program", [
    Sched_TopLevel, Symbol, IsolatedFromAbove, NoRegionArguments]> {
  let summary = "the host code of a round, of a gradient or of an evaluation";
  let description = [{
    Ordinary `arith`, `cf` and `scf` code that runs segments. It is the
    runtime that calls it; nothing else does. A fallible operation that fails
    ends the program with its status. The `i1` of a round says whether there
    is another one.

    ```mlir
    sched.program @round -> i1 {
      sched.batch cursor
      sched.run @accumulate
      %stop = sched.stop_requested : i64
      sched.write %stop, @meta[16, 8] : i64
      %go = arith.constant true
      sched.return %go : i1
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<TypeAttrOf<I1>>:$result);
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat =
      "$sym_name (`->` $result^)? attr-dict-with-keyword $body";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "bool":$hasGo)>];
}

def Sched_ReturnOp : Sched_Op<"return", [
    HasParent<"ProgramOp">, Terminator, Pure, ReturnLike]> {
  let summary = "ends a program";
  let arguments = (ins Optional<I1>:$go);
  let assemblyFormat = "($go^ `:` type($go))? attr-dict";
  let builders = [
    OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value()); }]>];
  let hasVerifier = 1;
}

class Sched_HostOp<string mnemonic, list<Trait> traits = []>
    : Sched_Op<mnemonic, !listconcat(traits, [Sched_InProgram])>;

/// A number that the runtime knows. The call of the C ABI has the operation's
/// name, so a row of runtime/abi/calls.def is all the lowering needs.
class Sched_FactOp<string mnemonic, string text, list<Trait> traits = []>
    : Sched_HostOp<mnemonic, !listconcat(traits, [Sched_IsFact])> {
  let summary = text;
  let results = (outs I64:$value);
  let assemblyFormat = "`:` type($value) attr-dict";
}

def Sched_QuantaOp
    : Sched_FactOp<"quanta", "micro-batches of this member in the round",
                   [Pure]>;
def Sched_MembersOp
    : Sched_FactOp<"members", "how many members the group has", [Pure]>;
def Sched_RankOp
    : Sched_FactOp<"rank", "which member of the group this is", [Pure]>;
def Sched_StopRequestedOp
    : Sched_FactOp<"stop_requested", "1 if this member was asked to stop">;

def Sched_RunOp : Sched_HostOp<"run", [Sched_SymbolUser]> {
  let summary = "runs a segment (fallible)";
  let arguments = (ins FlatSymbolRefAttr:$segment);
  let assemblyFormat = "$segment attr-dict";
}

def Sched_ReadOp : Sched_HostOp<"read", [Sched_SymbolUser]> {
  let summary = "reads a scalar of the arena on the host (fallible)";
  let description = [{
    Happens after everything given to the compute lane.

    ```mlir
    %seen = sched.read @seen[0, 8] : i64
    ```
  }];
  let arguments = (ins Sched_RangeAttr:$range);
  let results = (outs Sched_Scalar:$value);
  let assemblyFormat = "custom<Range>($range) `:` type($value) attr-dict";
}

def Sched_WriteOp : Sched_HostOp<"write", [Sched_SymbolUser]> {
  let summary = "writes a scalar of the arena from the host (fallible)";
  let description = [{
    Happens after everything given to the compute lane.

    ```mlir
    sched.write %stop, @meta[16, 8] : i64
    ```
  }];
  let arguments = (ins Sched_Scalar:$value, Sched_RangeAttr:$range);
  let assemblyFormat =
      "$value `,` custom<Range>($range) `:` type($value) attr-dict";
}

include "dialects/sched/SchedProgramOps.td"
include "dialects/sched/SchedUnitOps.td"

#endif // RUBATO_SCHED_OPS_TD
