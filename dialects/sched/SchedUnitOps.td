// What the runtime must know of a module besides its code: the unit, and what
// it is made of. The manifest (docs/unit.md) is printed from these operations.
#ifndef RUBATO_SCHED_UNIT_OPS_TD
#define RUBATO_SCHED_UNIT_OPS_TD

//===----------------------------------------------------------------------===//
// Enums: their words are those of the manifest
//===----------------------------------------------------------------------===//

def Sched_CellRole : Sched_Enum<"CellRole", "what a cell is for", [
    I32EnumAttrCase<"Parameter", 0, "parameter">,
    I32EnumAttrCase<"Optimizer", 1, "optimizer">,
    I32EnumAttrCase<"Counter", 2, "counter">,
    I32EnumAttrCase<"Setting", 3, "setting">,
    I32EnumAttrCase<"Frozen", 4, "frozen">,
    I32EnumAttrCase<"State", 5, "state">]>;

def Sched_CellInit : Sched_Enum<"CellInit", "what a cell starts as", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"Layout", 1, "layout">,
    I32EnumAttrCase<"Setting", 2, "setting">]>;

def Sched_BatchPart : Sched_Enum<"BatchPart", "a part of a micro-batch", [
    I32EnumAttrCase<"Input", 0, "input">,
    I32EnumAttrCase<"Label", 1, "label">,
    I32EnumAttrCase<"Weights", 2, "weights">,
    I32EnumAttrCase<"Ids", 3, "ids">]>;

def Sched_ResultKind : Sched_Enum<"ResultKind", "what a program leaves", [
    I32EnumAttrCase<"Loss", 0, "loss">,
    I32EnumAttrCase<"Correct", 1, "correct">,
    I32EnumAttrCase<"Valid", 2, "valid">,
    I32EnumAttrCase<"Samples", 3, "samples">,
    I32EnumAttrCase<"Gradient", 4, "gradient">,
    I32EnumAttrCase<"Parameters", 5, "parameters">]>;

def Sched_ChannelKind : Sched_Enum<"ChannelKind", "how members talk", [
    I32EnumAttrCase<"Collective", 0, "collective">,
    I32EnumAttrCase<"Pair", 1, "pair">,
    I32EnumAttrCase<"Mailbox", 2, "mailbox">]>;

def Sched_PolicyPlacement
    : Sched_Enum<"PolicyPlacement", "where a policy lives", [
    I32EnumAttrCase<"Replicated", 0, "replicated">,
    I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Central", 2, "central">]>;

def Sched_FrameKind : Sched_Enum<"FrameKind", "what a strand carries", [
    I32EnumAttrCase<"Tensor", 0, "tensor">,
    I32EnumAttrCase<"Number", 1, "number">,
    I32EnumAttrCase<"Future", 2, "future">]>;

def Sched_SymbolRefs : TypedArrayAttrBase<FlatSymbolRefAttr, "symbols">;
def Sched_Count : ConfinedAttr<I64Attr, [IntMinValue<-1>]>;
class Sched_Positive<Attr base> : ConfinedAttr<base, [IntPositive]>;

/// A declaration of the unit, at the top of the module.
class Sched_UnitEntryOp<string mnemonic, list<Trait> traits = []>
    : Sched_Op<mnemonic, !listconcat(traits, [Sched_TopLevel,
                                              Sched_SymbolUser])>;

//===----------------------------------------------------------------------===//
// The unit as a whole
//===----------------------------------------------------------------------===//

def Sched_UnitOp : Sched_UnitEntryOp<"unit"> {
  let summary = "what an executable runs";
  let description = [{
    Stands once in a module of the schedule stage; `describe-unit` writes it.
    `quantum` is the number of samples of a micro-batch, `float` the type of the
    parameters. `locks` counts the locks that programs name, `commits` says that
    they vote on their rounds. What runs are the roles; `evaluate` looks at the
    present micro-batch alone, and `gradient` adds its gradient to what is there.

    ```mlir
    sched.unit quantum(64) float(f32) gradient(@gradient) evaluate(@evaluate) locks(1)
    ```
  }];
  let arguments = (ins Sched_Positive<I64Attr>:$quantum,
                       TypeAttrOf<AnyTypeOf<[F32, F64]>>:$float_type,
                       FlatSymbolRefAttr:$gradient,
                       FlatSymbolRefAttr:$evaluate,
                       DefaultValuedAttr<Sched_NonNegative<I64Attr>, "0">:
                           $locks,
                       UnitAttr:$commits);
  let assemblyFormat = [{
    `quantum` `(` $quantum `)` `float` `(` $float_type `)`
    `gradient` `(` $gradient `)` `evaluate` `(` $evaluate `)`
    (`locks` `(` $locks^ `)`)?
    (`commits` $commits^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The unit of `module`, or null.
    static UnitOp of(::mlir::Operation *module);
  }];
}

//===----------------------------------------------------------------------===//
// State and data
//===----------------------------------------------------------------------===//

def Sched_CellOp : Sched_UnitEntryOp<"cell"> {
  let summary = "state of a member that outlives a round";
  let description = [{
    It has no symbol of its own but names the buffer that holds it, so cells and
    buffers cannot fight for a name. Parameters and frozen tensors start as
    their `layout` says, settings as the command line says or as their default,
    all others as zero.

    ```mlir
    sched.cell "w" parameter in @w : tensor<669706xf32> layout(@params)
    sched.cell "base-lr" setting in @base_lr : tensor<f32> default(5.000000e-02)
    ```
  }];
  let arguments = (ins StrAttr:$name, Sched_CellRole:$role,
                       FlatSymbolRefAttr:$buffer, TypeAttr:$type,
                       OptionalAttr<FlatSymbolRefAttr>:$layout,
                       OptionalAttr<F64Attr>:$default_value);
  let assemblyFormat = [{
    $name $role `in` $buffer `:` $type (`layout` `(` $layout^ `)`)?
    (`default` `(` $default_value^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the cell holds when a run begins.
    ::rubato::sched::CellInit getInit();
  }];
}

def Sched_BatchBufferOp : Sched_UnitEntryOp<"batch_buffer"> {
  let summary = "a part of a micro-batch, which the runtime fills";
  let description = [{
    The outermost dimension is the quantum. Labels with `classes` lie in
    [0, classes). `weights` is 1 for a sample and 0 for padding, `ids` are
    indices of samples, -1 for padding.

    ```mlir
    sched.batch_buffer input "x" in @batch.x : tensor<64x784xf32>
    sched.batch_buffer label "y" in @batch.y : tensor<64xi64> classes(10)
    ```
  }];
  let arguments = (ins Sched_BatchPart:$part, StrAttr:$name,
                       FlatSymbolRefAttr:$buffer,
                       TypeAttrOf<AnyStaticShapeTensor>:$type,
                       OptionalAttr<Sched_Positive<I64Attr>>:$classes);
  let assemblyFormat = [{
    $part $name `in` $buffer `:` $type (`classes` `(` $classes^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Sched_ResultOp : Sched_UnitEntryOp<"result"> {
  let summary = "what lies where when a program has run";
  let description = [{
    An evaluation leaves the sum of its losses, how many samples it took and how
    many of them were right; a gradient itself, its samples and the sum of their
    losses; the model of a role leaves the flat parameters.

    ```mlir
    sched.result @evaluate loss in @evaluate.loss : tensor<f64>
    sched.result @worker.model parameters in @w : tensor<1285xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Sched_ResultKind:$kind,
                       Sched_PlaceAttr:$place,
                       TypeAttrOf<AnyStaticShapeTensor>:$type);
  let assemblyFormat =
      "$program $kind `in` custom<Place>($place) `:` $type attr-dict";
  let hasVerifier = 1;
}

def Sched_BucketOp : Sched_UnitEntryOp<"bucket"> {
  let summary = "a part of the flat vector that is reduced at once";
  let description = [{
    `[offset, count]` in elements, and the slots that have a part in it: one on a
    border has parts in two.

    ```mlir
    sched.bucket [0, 267776] of ["fc3.bias", "fc3.weight", "fc2.bias", "fc2.weight"]
    sched.bucket [267776, 401930] of ["fc2.weight", "fc1.bias", "fc1.weight"]
    ```
  }];
  let arguments = (ins Sched_NonNegative<I64Attr>:$offset,
                       Sched_Positive<I64Attr>:$count, StrArrayAttr:$slots);
  let assemblyFormat = "` ` `[` $offset `,` $count `]` `of` $slots attr-dict";
}

//===----------------------------------------------------------------------===//
// Who runs what
//===----------------------------------------------------------------------===//

def Sched_RoleOp : Sched_UnitEntryOp<"role", [
    Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "what a member runs";
  let description = [{
    Ranks are given to roles in the order of the text; `count(rest)` takes all
    that are left. `init` runs first, then every strand round after round, then
    `drain`; `model` brings the parameters where they are looked at. `device(host)`:
    it computes on the CPU, whatever the others compute on.

    ```mlir
    sched.role @worker count(rest) init(@worker.init) model(@worker.model) {
      sched.strand "round" runs @worker.round lockstep polls(@grads) carries {
        sched.frame "carried0" future in @worker.carried : [tensor<1285xf32>, tensor<i64>]
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sched_Count:$count,
                       UnitAttr:$on_host,
                       OptionalAttr<FlatSymbolRefAttr>:$init,
                       OptionalAttr<FlatSymbolRefAttr>:$drain,
                       OptionalAttr<FlatSymbolRefAttr>:$model);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `count` `(` custom<Count>($count) `)`
    (`device` `(` `host` $on_host^ `)`)?
    (`init` `(` $init^ `)`)? (`drain` `(` $drain^ `)`)?
    (`model` `(` $model^ `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    auto strands() { return getBody().front().getOps<StrandOp>(); }
    bool takesRest() { return getCountAttr().getInt() < 0; }
    /// Programs of all parts: init, strands, drain, model.
    ::llvm::SmallVector<::mlir::FlatSymbolRefAttr> parts();
  }];
}

def Sched_StrandOp : Sched_Op<"strand", [
    HasParent<"RoleOp">, Sched_SymbolUser, SingleBlock, NoTerminator,
    NoRegionArguments]> {
  let summary = "a thread of control of a role, and what it carries";
  let description = [{
    Its program is one round and says whether there is another. `cursor`: it
    takes batches by the data cursor. `lockstep`: members share its rounds.
    `polls`: channels whose reduction it carries over its boundary and computes
    through until that has arrived.
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$program,
                       UnitAttr:$cursor, UnitAttr:$lockstep,
                       OptionalAttr<Sched_SymbolRefs>:$polls);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $name `runs` $program (`cursor` $cursor^)? (`lockstep` $lockstep^)?
    `` custom<Polls>($polls) (`carries` $body^)? attr-dict
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What it carries, in the order of its program's boundary.
    ::llvm::SmallVector<FrameOp> frames();
  }];
}

def Sched_FrameOp : Sched_Op<"frame", [HasParent<"StrandOp">,
                                       Sched_SymbolUser]> {
  let summary = "memory that a strand carries from round to round";
  let description = [{
    A round reads it first and writes it last. A *tensor* lies there itself; a
    *number* has 8 bytes; of a *future* there is a handle of 8 bytes, and the
    types are those of what it brings.
  }];
  let arguments = (ins StrAttr:$name, Sched_FrameKind:$kind,
                       FlatSymbolRefAttr:$buffer, TypeArrayAttr:$types);
  let assemblyFormat = "$name $kind `in` $buffer `:` $types attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What the numbers in the code stand for: positions in the text
//===----------------------------------------------------------------------===//

def Sched_ChannelOp : Sched_UnitEntryOp<"channel", [Symbol]> {
  let summary = "a way for members to talk";
  let description = [{
    Programs name it by its position among the module's channels. `bytes` is the
    size of its largest message. A mailbox has a `server`, the role of its one
    server; who was restarted `exempt` times in a row may finish, and who is
    more than `ahead` uploads above the slowest waits for it.

    ```mlir
    sched.channel @grads collective bytes(5164)
    sched.channel @ps mailbox server(@server) exempt(2) bytes(5172)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sched_ChannelKind:$kind,
                       OptionalAttr<FlatSymbolRefAttr>:$server,
                       OptionalAttr<Sched_NonNegative<I64Attr>>:$exempt,
                       OptionalAttr<Sched_NonNegative<I64Attr>>:$ahead,
                       OptionalAttr<Sched_NonNegative<I64Attr>>:$bytes);
  let assemblyFormat = [{
    $sym_name $kind (`server` `(` $server^ `)`)? (`exempt` `(` $exempt^ `)`)?
    (`ahead` `(` $ahead^ `)`)? (`bytes` `(` $bytes^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Sched_PolicyOp : Sched_UnitEntryOp<"policy", [
    Symbol, SymbolTable, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a decider with a memory";
  let description = [{
    Programs name policies and their entries by position. `askers` are the roles
    that ask it.

    ```mlir
    sched.policy @match "pairs.matcher" central with {topology = "ring"} askers(@worker) {
      sched.entry @next : () -> (i64, i64, i1)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind,
                       Sched_PolicyPlacement:$placement,
                       OptionalAttr<DictionaryAttr>:$settings,
                       OptionalAttr<Sched_SymbolRefs>:$askers);
  let regions = (region SizedRegion<1>:$entries);
  let assemblyFormat = [{
    $sym_name $kind $placement (`with` $settings^)?
    `` custom<Askers>($askers) $entries attr-dict
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Sched_EntryOp : Sched_Op<"entry", [Symbol, HasParent<"PolicyOp">]> {
  let summary = "a question that a policy answers";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$signature);
  let assemblyFormat = "$sym_name `:` $signature attr-dict";
  let hasVerifier = 1;
}

def Sched_RendezvousOp : Sched_UnitEntryOp<"rendezvous", [Symbol]> {
  let summary = "a place where strands of one member meet";
  let description = [{
    Named by position. `strands` are the programs of those who meet there.

    ```mlir
    sched.rendezvous @turn strands(@worker.compute, @worker.talk)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<Sched_SymbolRefs>:$strands);
  let assemblyFormat = "$sym_name `` custom<Strands>($strands) attr-dict";
}

#endif // RUBATO_SCHED_UNIT_OPS_TD
