// Declarations of a program: groups, channels, policies, cells, roles.
#ifndef RUBATO_GSYNC_PROGRAM_OPS_TD
#define RUBATO_GSYNC_PROGRAM_OPS_TD

include "dialects/gsync/GsyncOpBase.td"

def Gsync_TrainOp : Gsync_Op<"train", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "train the module's model by an algorithm";
  let description = [{
    The only gsync operation before the algorithm is expanded. `learning_rate`
    is the default of the run-time setting.

    ```mlir
    gsync.train algorithm(#gsync.algorithm<"some-sgd">) learning_rate(5.000000e-02)
    ```
  }];
  let arguments = (ins Gsync_AlgorithmAttr:$algorithm, F64Attr:$learning_rate);
  let assemblyFormat = "`algorithm` `(` qualified($algorithm) `)` `learning_rate` `(` $learning_rate `)` attr-dict";
}

def Gsync_GroupOp : Gsync_Op<"group", [
    Symbol, HasParent<"::mlir::ModuleOp">, Gsync_Symbols]> {
  let summary = "a set of members, fixed within a round";
  let description = [{
    Without `roles` every member runs the group's only role. An `elastic` group
    may gain and lose members between rounds.

    ```mlir
    gsync.group @world
    gsync.group @world elastic(1 to 128)
    gsync.group @all roles(@server = 1, @worker = rest)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max,
                       OptionalAttr<Gsync_SymbolList>:$roles,
                       OptionalAttr<DenseI64ArrayAttr>:$counts);
  let assemblyFormat = [{
    $sym_name (`elastic` `(` $min^ `to` $max `)`)?
    (`roles` `` custom<RoleCounts>($roles, $counts)^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name), [{
    build($_builder, $_state, name, {}, {}, {}, {});
  }]>];
  let hasVerifier = 1;
}

def Gsync_ChannelOp : Gsync_Op<"channel", [
    Symbol, HasParent<"::mlir::ModuleOp">, Gsync_Symbols]> {
  let summary = "a way for the members of a group to talk";
  let description = [{
    * `collective`: all members together; the operations have one order, the
      same on every member.
    * `pair`: a symmetric exchange of two, matched by a tag.
    * `mailbox`: many workers and the one member of the `server` role. The
      server's end keeps a ledger of which worker holds which version and
      ticket. A worker that was restarted `exempt` times in a row may finish,
      however stale: nobody starves, but the bound is soft. A worker whose
      accepted uploads are more than `ahead` above those of the slowest gets no
      model until the slowest has caught up, left or died.

    ```mlir
    gsync.channel @grads on @world kind(collective)
    gsync.channel @ps on @all kind(mailbox) server(@server) exempt(2)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$group,
                       Gsync_ChannelKind:$kind,
                       OptionalAttr<FlatSymbolRefAttr>:$server,
                       OptionalAttr<I64Attr>:$exempt,
                       OptionalAttr<I64Attr>:$ahead);
  let assemblyFormat = [{
    $sym_name `on` $group `kind` `(` $kind `)` (`server` `(` $server^ `)`)?
    (`exempt` `(` $exempt^ `)`)? (`ahead` `(` $ahead^ `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::llvm::StringRef":$group, "::rubato::gsync::ChannelKind":$kind), [{
    build($_builder, $_state, name, group, kind,
          ::mlir::FlatSymbolRefAttr(), ::mlir::IntegerAttr(),
          ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

def Gsync_RendezvousOp : Gsync_Op<"rendezvous", [
    Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a place where two strands of one member meet";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let assemblyFormat = "$sym_name attr-dict";
}

def Gsync_PolicyOp : Gsync_Op<"policy", [
    Symbol, SymbolTable, HasParent<"::mlir::ModuleOp">, NoTerminator,
    SingleBlock, NoRegionArguments]> {
  let summary = "a decider with a memory, asked by programs";
  let description = [{
    `kind` names the state machine that answers. A `replicated` one has a copy
    on every member and is asked the same everywhere; a `local` one belongs to
    a member; a `central` one to the group: asking it may block and may fail.
    Time and randomness are never its own: time is an argument, randomness a
    function of (seed, policy, member, call number).

    ```mlir
    gsync.policy @match "pairs.matcher" central with {topology = "ring"} {
      gsync.entry @next : () -> (i64, i64, i1)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind,
                       Gsync_Placement:$placement,
                       OptionalAttr<DictionaryAttr>:$settings);
  let regions = (region SizedRegion<1>:$entries);
  let assemblyFormat = [{
    $sym_name $kind $placement (`with` $settings^)? $entries attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Gsync_EntryOp : Gsync_Op<"entry", [Symbol, HasParent<"PolicyOp">]> {
  let summary = "a question that a policy answers";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$signature);
  let assemblyFormat = "$sym_name `:` $signature attr-dict";
  let hasVerifier = 1;
}

def Gsync_CellOp : Gsync_Op<"cell", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "state of a member that outlives a round";
  let description = [{
    Read by `gsync.load`, changed by `gsync.atomic`, touched by nothing else.
    Cells start at zero, parameters and frozen tensors at their stored values
    (`layout` names their slots), settings at what the command line gives or
    at their default.

    ```mlir
    gsync.cell @w : tensor<669706xf32> role(parameter) layout(@params)
    gsync.cell @seen : tensor<i64> role(counter)
    gsync.cell @last : f64 role(state)
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       Gsync_CellRole:$role,
                       OptionalAttr<FlatSymbolRefAttr>:$layout,
                       OptionalAttr<F64Attr>:$default_value);
  let assemblyFormat = [{
    $sym_name `:` $type `role` `(` $role `)` (`layout` `(` $layout^ `)`)?
    (`default` `(` $default_value^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Gsync_RoleOp : Gsync_Op<"role", [
    Symbol, HasParent<"::mlir::ModuleOp">, Gsync_Symbols, IsolatedFromAbove,
    NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "what a member runs: strands, and what its model is";
  let description = [{
    Holds, in this order, at most one `gsync.init`, one or more `gsync.strand`s,
    at most one `gsync.drain` and at most one `gsync.model`. `device(host)` pins
    the role to the CPU.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$group,
                       UnitAttr:$on_host);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` $group (`device` `(` `host` $on_host^ `)`)? $body attr-dict
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
      "::llvm::StringRef":$group), [{
    build($_builder, $_state, name, group, /*on_host=*/false);
  }]>];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The part of this kind, or null.
    template <typename Op> Op part() {
      auto ops = getBody().front().template getOps<Op>();
      return ops.empty() ? Op() : *ops.begin();
    }
    auto strands() { return getBody().front().getOps<StrandOp>(); }
    /// The types that the strands carry from round to round, strand by strand.
    ::llvm::SmallVector<::mlir::Type> carriedTypes();
  }];
}

class Gsync_PartOp<string mnemonic, list<Trait> traits = []>
    : Gsync_Op<mnemonic, !listconcat(traits, [
          HasParent<"RoleOp">, IsolatedFromAbove, SingleBlock])> {
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
}

def Gsync_InitOp : Gsync_PartOp<"init", [NoRegionArguments]> {
  let summary = "runs once, before the strands; yields what they carry first";
  let assemblyFormat = "$body attr-dict";
}

def Gsync_StrandOp : Gsync_PartOp<"strand", [Gsync_ArgumentNames]> {
  let summary = "one round of a thread of control; ends in gsync.next";
  let description = [{
    The arguments are what the round before carried. A strand with siblings has
    a name.

    ```mlir
    gsync.strand @talk (%prev: !gsync.future<tensor<i64>>) {
      …
      gsync.next %go (%next : !gsync.future<tensor<i64>>)
    }
    ```
  }];
  let arguments = (ins OptionalAttr<SymbolNameAttr>:$label);
  let assemblyFormat = "($label^)? custom<RoundBody>($body) attr-dict";
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::StringAttr());
  }]>];
}

def Gsync_DrainOp : Gsync_PartOp<"drain", [Gsync_ArgumentNames]> {
  let summary = "runs once, when all strands have ended, on what they carried";
  let assemblyFormat = "custom<RoundBody>($body) attr-dict";
}

def Gsync_ModelOp : Gsync_PartOp<"model", [NoRegionArguments]> {
  let summary = "what is evaluated and exported; yields the flat parameters";
  let description = [{
    Runs at agreed boundaries, on every member, so it may use a collective
    channel. It must not change cells.
  }];
  let assemblyFormat = "$body attr-dict";
}

def Gsync_NextOp : Gsync_Op<"next", [Terminator, HasParent<"StrandOp">]> {
  let summary = "ends the round; false ends the strand";
  let description = [{
    The only boundary. What is carried becomes the arguments of the next round
    or, where `go` is false, of the drain.
  }];
  let arguments = (ins I1:$go, Variadic<AnyType>:$carried);
  let assemblyFormat = "$go (`(` $carried^ `:` type($carried) `)`)? attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$go), [{
    build($_builder, $_state, go, ::mlir::ValueRange());
  }]>];
}

#endif // RUBATO_GSYNC_PROGRAM_OPS_TD
