// The sync stage: the distributed algorithm as a readable program.
#ifndef RUBATO_SYNC_PASSES_TD
#define RUBATO_SYNC_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseAlgorithm : Pass<"choose-algorithm", "::mlir::ModuleOp"> {
  let summary = "Adds gsync.train with the algorithm of a given name";
  let description = [{
    The name is looked up in the registry of algorithms, and the attribute gets
    the value of every option. A name may stand for a configuration of an
    algorithm of another name.

    After: `gsync.train algorithm(#gsync.algorithm<"some-sgd", {…}>) learning_rate(5.0e-02)`
  }];
  let options = [
    Option<"algorithm", "algorithm", "std::string", "",
           "name of the synchronisation algorithm; empty: the default one">,
    ListOption<"given", "options", "std::string",
               "options of the algorithm, name=value">,
    Option<"learningRate", "lr", "double", "0.01", "default learning rate">
  ];
  let dependentDialects = ["::rubato::gsync::GsyncDialect"];
}

def ExpandAlgorithm : Pass<"expand-algorithm", "::mlir::ModuleOp"> {
  let summary = "Replaces gsync.train by the program of its algorithm";
  let description = [{
    Looks up the name, checks the options, and calls what the algorithm's folder
    registers: the dialect, this pass and the driver know no algorithm by name.
    Options that are left out have the values of the configuration.

    Before: `gsync.train algorithm(#gsync.algorithm<"some-sgd", {…}>) …`
    After: `gsync.group`, `gsync.channel`, `gsync.cell`s and a `gsync.role`.
  }];
  let dependentDialects = ["::rubato::gsync::GsyncDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def GsyncVerifyFutures : Pass<"gsync-verify-futures", "::mlir::ModuleOp"> {
  let summary = "Every future is consumed exactly once on every path";
  let description = [{
    A future is made by a collective, `gsync.exchange`, `gsync.pull` or
    `gsync.ready`, or comes as an argument of a strand, a drain or a function.
    It is consumed by `gsync.await`, by being carried in `gsync.next`, yielded
    from `scf.if` or `gsync.init`, passed to or returned from a function.
    `gsync.done` and the `until` of `gsync.repeat` only look at it, and only
    before it is consumed.

    A role whose strands carry a future has a drain that consumes the last one.
    Both sides of an `scf.if` consume the same futures. Loops neither consume a
    future from outside nor carry one: upstream canonicalisation drops what a
    loop only passes on.

    Wrong: the future is lost where `%late` is false.
    ```mlir
    %f = gsync.all_reduce sum on @grads (%g) : …
    scf.if %late { gsync.await %f : !gsync.future<tensor<8xf32>> }
    ```
  }];
}

def GsyncVerifyUniformity
    : Pass<"gsync-verify-uniformity", "::mlir::ModuleOp"> {
  let summary = "Members start the same collectives in the same order";
  let description = [{
    A value is *uniform* when it is the same on every member that is in the same
    round, else *local*. Uniform are constants, settings, the number of members
    (where members share their rounds), `gsync.quanta`, `gsync.round_samples`, `gsync.data_samples`, `gsync.commit`, what collectives give
    (`gsync.reduce_scatter` excepted), answers of replicated policies, cells
    that all members change equally, and what is computed from these. Local are
    `gsync.done`, `gsync.now`, the rank, batches, `gsync.stop_requested`, how
    often a `gsync.repeat` ran, answers of local and central policies, what
    comes by exchange, mailbox or from another strand, and what is chosen by a
    local condition.

    Collectives, `gsync.commit` and questions to replicated policies stand under
    no local condition, in no loop that members run differently often, in one
    strand per channel, and in strands that end by a uniform decision. No
    collective stands in a `gsync.repeat`. Calls to helpers are looked into.

    Wrong: a member whose poll is late skips the reduction.
    ```mlir
    %late = gsync.done %prev : !gsync.future<tensor<i64>>
    scf.if %late { %f = gsync.all_reduce sum on @grads (%g) : … }
    ```
  }];
}

def GsyncVerifyCells : Pass<"gsync-verify-cells", "::mlir::ModuleOp"> {
  let summary = "Cells are changed by their owners, and no change is lost";
  let description = [{
    A cell belongs to one role; settings may be read by all. A model changes
    nothing, takes no batch and asks nobody. Where two strands change a cell,
    its new value is computed from the atomic's argument and not only from a
    snapshot that was taken before. An atomic does not wait, behind no call.

    Wrong, where another strand changes `@x` too:
    ```mlir
    %x = gsync.load @x : tensor<8xf32>
    %y = arith.addf %x, %d : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%now: tensor<8xf32>):
      gsync.yield cells(%y : tensor<8xf32>)
    }
    ```
  }];
  let options = [
    Option<"printLocks", "print-locks", "bool", "false",
           "say in remarks which cells of a role share a lock">
  ];
}

def GsyncVerifyChannels : Pass<"gsync-verify-channels", "::mlir::ModuleOp"> {
  let summary = "Nobody waits for what nobody sends";
  let description = [{
    * Every role of a group is run by somebody; a collective channel belongs to
      a group of one role.
    * A mailbox has one server, `= 1` in its group. The server grants a first
      model in its init, grants behind every collect on paths that go on, and
      closes in its drain. Every other role of the group pulls.
    * A role uses channels, views and votes of its own group only.
    * At most one exchange and one pull of a strand are on their way on a channel.
    * A batch with `acked_by` is followed by a reduction on that channel, on every
      path.
    * Exactly two strands of one role meet at a rendezvous.
    * A strand that reserves samples by cursor in an elastic group votes behind
      them, under no condition.

    A channel that nobody uses and a question that nobody asks are warnings.
  }];
}

def GsyncVerifyFailure : Pass<"gsync-verify-failure", "::mlir::ModuleOp"> {
  let summary = "Warns where cells change before something that may fail";
  let description = [{
    A round in which an await, a central question, a collect or a commit fails
    runs again from its boundary, but cells are not rolled back. An atomic of a
    strand in front of such an operation is a warning unless it says
    `repeatable`. Inits and drains are not looked at.

    ```mlir
    gsync.atomic (@seen) { … }            // warning: would count twice
    %g = gsync.await %f : …
    ```
  }];
}

def GsyncPrintCommunication
    : Pass<"gsync-print-communication", "::mlir::ModuleOp"> {
  let summary = "Prints the operations on channels, cells and data, in order";
  let description = [{
    One line per operation that does more than compute, indented by the control
    flow it stands in, with the names it touches; helpers inlined. Two programs
    with the same text communicate alike, so this shows whether a pass changed
    communication. Reads alone (`gsync.load`, `gsync.view`) are left out.

    ```
    gsync.role @worker @world
      gsync.strand
        gsync.next_batch cursor
        gsync.all_reduce @grads of 4
        gsync.await
        gsync.atomic [@w, @seen]
        gsync.next carries 0
    ```
  }];
}

def VerifySync : Pass<"verify-sync", "::mlir::ModuleOp"> {
  let summary = "States the contract of the sync stage";
  let description = [{
    No `gsync.train` is left, a role exists and one of them has a model; stored
    cells have the length of their layout; and the rules of
    `gsync-verify-futures`, `gsync-verify-uniformity`, `gsync-verify-cells`,
    `gsync-verify-channels` and `gsync-verify-failure` hold.
  }];
}

def GsyncTestMutate : Pass<"gsync-test-mutate", "::mlir::ModuleOp"> {
  let summary = "Breaks a program on purpose, for tests of verifiers";
  let description = [{
    Applies one mutation (`kind`) at one place (`site`, counted in the order of
    the file) and says where in a remark. A kind that does not exist, or a site
    beyond the last, is an error that says what there is.

    Before: `%s:2 = gsync.await %f : !F`
    After `kind=drop-await`: the future is lost, `%s#0` and `%s#1` are zeros.
  }];
  let options = [
    Option<"kind", "kind", "std::string", "", "what to break">,
    Option<"site", "site", "unsigned", "0", "where, from 0">
  ];
  let dependentDialects = ["::rubato::gsync::GsyncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // RUBATO_SYNC_PASSES_TD
