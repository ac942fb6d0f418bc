// Passes of the schedule stage.
#ifndef RUBATO_SCHEDULE_PASSES_TD
#define RUBATO_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SchedVerifySegmentsPass
    : Pass<"sched-verify-segments", "::mlir::ModuleOp"> {
  let summary = "Prove that no two accesses of a segment race";
  let description = [{
    A lane runs in order; a wait puts what was recorded before what follows it.
    In every segment:

    * any two accesses to overlapping bytes of the arena, one of them a write,
      are ordered by these rules (buffers may overlap: bytes count, not names);
    * work on another lane than compute comes after what ran before the
      segment, and before the segment's end on compute, so that segments and
      host accesses can follow one another in any order; what is ready is read
      for longer, of which `sched-verify-programs` takes care.

    The module is not changed. A segment without the wait below is refused:

    ```mlir
    sched.launch compute @backward [0, 1] args(@grad) writes(@grad[0, 64])
    %e = sched.record compute
    sched.wait comm, %e
    sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
    ```
  }];
}

def SchedTestRemoveEventsPass
    : Pass<"sched-test-remove-events", "::mlir::ModuleOp"> {
  let summary = "Remove each event in turn and tell whether the proof notices";
  let description = [{
    For every wait of every segment, and for every record together with its
    waits: proves a copy of the segment without it and reports, as a remark,
    *rejected* (the event is needed) or *accepted* (other events imply it).
    Closes with a remark on the module that counts them. The module is not
    changed.

    ```
    remark: rejected without this wait: @backward on compute writes …
    remark: 4 waits, 4 rejected; 4 records, 4 rejected
    ```
  }];
}

def SchedVerifyProgramsPass
    : Pass<"sched-verify-programs", "::mlir::ModuleOp"> {
  let summary = "Prove that nobody touches what something in flight needs";
  let description = [{
    Follows every program of every role over all its paths, round after round:
    init, then each strand until a round brings nothing new, then model and
    drain. Every state that can be reached is looked at: what values hold and
    with whom they share their memory, which futures are under way and who has
    their handles. Branches split a state only where they tell something that
    others ask for again: whether a loop has a body, whether it is in its first
    or its last one.

    * *Values.* Nobody writes to memory that others may hold (`sched.renew`
      comes first), and nobody reads what holds nothing.
    * *Parts that leave.* From a `sched.ready` to the next start on its channel
      nobody writes these bytes, and the value is not renewed, dropped or handed
      over. They are said in order from 0 on, and the start takes the value,
      whole, as its first operand.
    * *Parts that arrive.* Behind an await with `first` nobody reads more than
      has arrived; `sched.arrive` brings the rest in order, all of it in the
      first segment that uses the value.
    * *Futures.* Each is awaited exactly once, or carried in a frame; none is
      overwritten there; no more are under way than the runtime has room for;
      what arrives has the types of what was sent.
    * *Results.* Whoever starts number k + 2 of a channel, or says that parts of
      it are ready, has let go of result k, whose place it takes.
    * *Cells.* A cell is not written while a value of the same part shows it,
      unless its lock was taken for that.

    Relies on `sched-verify-segments`: operations of a segment that touch the
    same bytes happen in the order of the text. The module is not changed.

    ```mlir
    sched.program @worker.round -> i1 {
      %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
      sched.run @accumulate // error: writes @acc, whose memory others may hold
      sched.await %f outs(@sum[0, 64] : f32)
      …
    }
    ```
  }];
}

def SchedTestBreakProgramsPass
    : Pass<"sched-test-break-programs", "::mlir::ModuleOp"> {
  let summary = "Break programs in many ways and tell whether the proof notices";
  let description = [{
    Makes every single change of a list (an await dropped, a renew dropped or
    moved behind its run, a start moved in front of what computes its operand, a
    buffer reused while it is in flight, futures swapped, parts that are ready
    too early or too large, parts that arrive too late or not at all, a frame
    overwritten early) to a copy of the module, and lets
    `sched-verify-segments` and `sched-verify-programs` look at it. A remark for
    each says *rejected*, by which proof and why, *equivalent* and why nobody
    could tell the difference, or *survives*. A remark on the module counts them.
    The module is not changed.

    ```
    remark: drop-await: rejected by programs: 'sched.start' op is neither awaited nor carried …
    remark: drop-await: 1 broken, 1 rejected, 0 equivalent, 0 survive
    remark: 12 broken, 12 rejected, 0 equivalent, 0 survive
    ```
  }];
}

def BuildSchedule : Pass<"build-schedule", "::mlir::ModuleOp"> {
  let summary = "Turns programs of kernel calls into programs over segments";
  let description = [{
    Each part of each role (`@worker.init`, `@worker.compute`, …) becomes a
    `sched.program`, and so do `@gradient` and `@evaluate`, which the runtime
    calls by themselves. Kernel calls between two operations of the host are a
    segment; operations of `gsync` become calls of the runtime; a repeat whose
    number of bodies is known before its first becomes `scf.for`. Cells and what
    loops carry are changed in place where nothing still reads the old value, and
    copied otherwise; kernels that add to what is zero run in a variant that
    starts afresh (`.fresh`). What one segment sees is scratch, which shares
    memory by lifetime; everything else has a place of its own, larger things as
    values.

    Beside the programs stands what only the scheduler knows of the unit: which
    buffers hold cells, batch and results (`sched.cell`, `sched.batch_buffer`,
    `sched.result`), and what the program declares. `describe-unit` completes it.

    All work is on the compute lane, and reductions start whole:
    `overlap-reductions` and `assign-lanes` come next.

    ```mlir
    gsync.strand (%prev: !F) {
      %w = gsync.load @w : !P
      …
      %next = gsync.all_reduce sum on @grads(%acc, %n) : … -> !F
      %got:2 = gsync.await %prev : !F
      gsync.next %go(%next : !F)
    }
    // becomes
    sched.program @worker.round -> i1 {
      %prev = sched.read @worker.carried[0, 8] : i64
      …
      %next = sched.start all_reduce channel(0) root(%c0) ins(@worker.loop[0, 5140] : f32, …)
      sched.await %prev outs(@worker.await[0, 5140] : f32, …)
      sched.write %next, @worker.carried[0, 8] : i64
      sched.return %go : i1
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "the target that the schedule is made for">
  ];
  let dependentDialects = ["::rubato::sched::SchedDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def OverlapReductions : Pass<"overlap-reductions", "::mlir::ModuleOp"> {
  let summary = "Lets reductions run while their operands are computed";
  let description = [{
    Looks at every start of an all-reduce, at what its first operand is computed
    by and what its sum is used for; never at the name of an algorithm.

    *Operands.* Where a segment in front of the start writes the operand last,
    it is cut into buckets in readiness order, and behind the last launch that
    writes to a bucket a `sched.ready` says that it is final. In a loop whose
    number of bodies is known beforehand (`scf.for`) only the last body runs a
    segment that says so. The start stays where it is: it brings counts and
    losses, and with it all members agree that all of it is there. A member
    whose loop has no body simply starts whole.

    *Sums.* Where the first that uses the sum is a segment that certainly runs,
    and uses it index by index, the await goes on with the first bucket
    (`first`), and the segment waits for each further one (`sched.arrive`) in
    front of its part of the launches.

    `rubato.overlap` on starts and awaits says what became of them, or what
    stopped the better form; `rubato compile --explain` prints it. Lanes are
    ordered by `assign-lanes`.

    ```mlir
    sched.segment @backward {
      sched.launch compute @fc2.gradient [0, 1] args(@h, @g) writes(@g[0, 20480])
      sched.launch compute @fc1.gradient [0, 1] args(@x, @g[20480]) writes(@g[20480, 40960])
    }
    // becomes
    sched.segment @backward {
      sched.launch compute @fc2.gradient [0, 1] args(@h, @g) writes(@g[0, 20480])
      sched.ready comm channel(0) bytes(0, 20480) ins(@g[0, 61440] : f32)
      sched.launch compute @fc1.gradient [0, 1] args(@x, @g[20480]) writes(@g[20480, 40960])
      sched.ready comm channel(0) bytes(20480, 61440) ins(@g[0, 61440] : f32)
    }
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "0",
           "a bucket is closed when it holds this many bytes; 0: as the target "
           "likes">,
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "the target that the schedule is made for">
  ];
  let dependentDialects = ["::rubato::sched::SchedDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def AssignLanes : Pass<"assign-lanes", "::mlir::ModuleOp"> {
  let summary = "Orders the lanes of segments by events";
  let description = [{
    Where two operations of a segment touch the same bytes on different lanes,
    and no event orders them yet, the first is recorded and the second's lane
    waits for it. Records stand directly behind what they record, so nobody
    waits for more. What runs on another lane comes after what ran before the
    segment, and ends before the segment does, unless it is a `sched.ready`.
    Events that stood there before are made anew.

    ```mlir
    sched.launch compute @gradient [0, 1] args(@g) writes(@g[0, 64])
    sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 64] : f32)
    // becomes
    sched.launch compute @gradient [0, 1] args(@g) writes(@g[0, 64])
    %e = sched.record compute
    sched.wait comm, %e
    sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 64] : f32)
    ```
  }];
  let dependentDialects = ["::rubato::sched::SchedDialect"];
}

def PlaceNumbers : Pass<"place-numbers", "::mlir::ModuleOp"> {
  let summary = "Puts numbers of the host where the host reaches them";
  let description = [{
    A number (a buffer of 8 bytes at most) that no kernel touches, and none that a
    copy brings to a kernel's, moves to the region *host*, which the host reads
    without waiting for a device. Those that both sides touch lie together at the
    end of the private region, where `numbers` of the arena says, so that a device
    can bring them at once. The private region closes up. A module whose private
    buffers overlap is left as it is.

    ```mlir
    sched.arena private(1024)
    sched.buffer @w private at(0) bytes(512)
    sched.buffer @count private at(512) bytes(8)
    sched.buffer @loss private at(768) bytes(8)
    // becomes, where a segment writes @loss and only the program uses @count
    sched.arena private(768) host(8) numbers[512, 8]
    sched.buffer @w private at(0) bytes(512)
    sched.buffer @count host at(0) bytes(8)
    sched.buffer @loss private at(512) bytes(8)
    ```
  }];
  let dependentDialects = ["::rubato::sched::SchedDialect"];
}

def DescribeUnit : Pass<"describe-unit", "::mlir::ModuleOp"> {
  let summary = "Writes the unit: what the runtime must know of the code";
  let description = [{
    `build-schedule` leaves entries that say what lies where and what a program
    declares. This pass adds what follows from the code, as it is after all
    passes that change it: the bytes of the largest message of a channel, who
    asks a policy, who meets at a rendezvous, which strands take batches by
    cursor and which have rounds that members share, the buckets. It closes with
    the `sched.unit` itself. It may run again after another change.

    ```mlir
    sched.channel @grads collective
    sched.role @worker count(rest) model(@worker.model) {
      sched.strand "round" runs @worker.round
    }
    // becomes
    sched.unit quantum(64) float(f32) evaluate(@evaluate) locks(1)
    sched.channel @grads collective bytes(2678848)
    sched.role @worker count(rest) model(@worker.model) {
      sched.strand "round" runs @worker.round cursor lockstep
    }
    ```
  }];
  let dependentDialects = ["::rubato::sched::SchedDialect"];
}

def SchedVerifyUnitPass : Pass<"sched-verify-unit", "::mlir::ModuleOp"> {
  let summary = "Check that the unit tells the truth about the code";
  let description = [{
    Verifiers check entries by themselves. This pass checks them against the
    code: there is a `sched.unit`; what `describe-unit` writes is what it would
    write now; channels, policies, entries and rendezvous that programs name by
    number exist, and questions have the types of their entries; cells have the
    size of their layouts. The module is not changed.

    ```
    error: 'sched.channel' op must have bytes(5164), its largest message; let rubato-opt --describe-unit write it
    ```
  }];
}

def ConvertSchedToLLVMPass
    : Pass<"convert-sched-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower segments and programs to calls of the runtime's C ABI";
  let description = [{
    A segment `@s` becomes the internal function `@"segment.s"(ctx) -> i32`, a
    program `@p` becomes `@"program.p"(ctx) -> i32`, with a second argument
    `int32_t *go` if it returns an `i1`. Every call that can fail is checked;
    a status other than 0 is returned at once. Kernels, declared accesses and
    the ranges of values are constant globals; there is no mutable global,
    so one unit serves many contexts. Events are numbered over the module.

    Kernels are `llvm.func`s in C form, or declarations, which become such.
    `rubato.events` on the module says how many the unit needs. Nothing of
    `sched` is left.

    ```mlir
    sched.segment @s { %e = sched.record compute  sched.wait comm, %e }
    // becomes
    llvm.func internal @segment.s(%ctx: !llvm.ptr) -> i32 {
      %s0 = llvm.call @rb_segment_begin(%ctx, %info, %replayed)
          : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
      // return %s0 unless it is 0; return 0 if *%replayed is not
      %s1 = llvm.call @rb_record(%ctx, %compute, %0)
          : (!llvm.ptr, i32, i32) -> i32
      // return %s1 unless it is 0
      %s2 = llvm.call @rb_wait(%ctx, %comm, %0)
          : (!llvm.ptr, i32, i32) -> i32
      // return %s2 unless it is 0
      %s3 = llvm.call @rb_segment_end(%ctx) : (!llvm.ptr) -> i32
      // return %s3 unless it is 0, else 0
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def SchedEmitUnitPass : Pass<"sched-emit-unit", "::mlir::ModuleOp"> {
  let summary = "Add the constant `rubato_unit` that the runtime loads";
  let description = [{
    Runs after `convert-sched-to-llvm`. The unit (docs/unit.md) points to the
    manifest, to the external symbol `rubato_weights` and to the programs
    `round`, `gradient` and `evaluate`, null where there is none.

    ```mlir
    llvm.mlir.global external constant @rubato_unit()
        : !llvm.struct<(i32, i32, ptr, i64, ptr, i64, ptr, ptr, ptr)> { … }
    ```
  }];
  let options = [
    Option<"manifest", "manifest", "std::string", /*default=*/"\"{}\"",
           "JSON text of the manifest">,
    Option<"weightsSize", "weights-size", "uint64_t", /*default=*/"0",
           "bytes behind the symbol rubato_weights">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // RUBATO_SCHEDULE_PASSES_TD
