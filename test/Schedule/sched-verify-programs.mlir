// The proof of programs: legal ones, and each rule broken by one thing.
// RUN: rubato-opt %s --sched-verify-programs -split-input-file -verify-diagnostics

// A round that is overlapped on both sides: parts of the operand leave in the last
// body of the loop, parts of the sum arrive in the segment that uses it.
sched.arena private(256)
sched.buffer @w private at(0) bytes(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)
sched.role @worker count(rest) { sched.strand "round" runs @round }
sched.program @round -> i1 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = sched.quanta : i64
  %none = arith.cmpi slt, %n, %one : i64
  scf.if %none {
    sched.clear @acc[0, 64]
  }
  scf.for %i = %zero to %n step %one : i64 {
    %next = arith.addi %i, %one : i64
    %last = arith.cmpi sge, %next, %n : i64
    %first = arith.cmpi eq, %i, %zero : i64
    scf.if %first {
      sched.renew @acc
      sched.run @fresh
    }
    scf.if %last {
      sched.renew @acc keep
      sched.run @backward.last
    } else {
      sched.renew @acc keep
      sched.run @backward
    }
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.drop @acc
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  sched.run @update
  sched.drop @sum
  %go = arith.constant true
  sched.return %go : i1
}
sched.segment @fresh {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
}
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) reads(@acc[0, 32]) writes(@acc[0, 32])
  sched.launch compute @b [0, 1] args(@acc[32]) reads(@acc[32, 32]) writes(@acc[32, 32])
}
sched.segment @backward.last {
  sched.launch compute @a [0, 1] args(@acc) reads(@acc[0, 32]) writes(@acc[0, 32])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(0) bytes(0, 32) ins(@acc[0, 64] : f32)
  sched.launch compute @b [0, 1] args(@acc[32]) reads(@acc[32, 32]) writes(@acc[32, 32])
  %1 = sched.record compute
  sched.wait comm, %1
  sched.ready comm channel(0) bytes(32, 64) ins(@acc[0, 64] : f32)
}
sched.segment @update {
  sched.launch compute @step [0, 8] args(@w, @sum) reads(@sum[0, 32], @w[0, 32]) writes(@w[0, 32])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.arrive comm outs(@sum[32, 32] : f32)
  %1 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @step [8, 16] args(@w, @sum) reads(@sum[32, 32], @w[32, 32]) writes(@w[32, 32])
}

// -----

// A future that is carried: the operand is renewed in the next round, the result
// is dropped before its place is needed, and drain awaits the last one.
sched.arena private(256)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.buffer @drained value at(2) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.role @worker count(rest) init(@init) drain(@drain) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.segment @backward { sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64]) }
sched.segment @use { sched.launch compute @a [0, 1] args(@sum) reads(@sum[0, 64]) }
sched.program @init {
  %zero = arith.constant 0 : i64
  sched.write %zero, @carried[0, 8] : i64
  sched.return
}
sched.program @round -> i1 {
  %zero = arith.constant 0 : i64
  %before = sched.read @carried[0, 8] : i64
  %count = scf.while (%k = %zero) : (i64) -> i64 {
    %done = sched.done %before
    scf.condition(%done) %k : i64
  } do {
  ^bb0(%k: i64):
    %one = arith.constant 1 : i64
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  sched.renew @acc
  sched.run @backward
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %before outs(@sum[0, 64] : f32)
  sched.run @use
  sched.drop @sum
  sched.write %f, @carried[0, 8] : i64
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @drain {
  %before = sched.read @carried[0, 8] : i64
  sched.await %before outs(@drained[0, 64] : f32)
  sched.return
}

// -----

// Values: what was handed over is written without a renew.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  // expected-error @+1 {{writes @acc, whose memory others may hold: renew @acc before this run}}
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  // expected-note @+1 {{shared here}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{run here}}
  sched.run @backward
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Values: on one path only.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  // expected-error @+1 {{writes @acc, whose memory others may hold}}
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
}
sched.program @p {
  %ticket = arith.constant 0 : i64
  %stop = sched.stop_requested : i64
  %stops = arith.cmpi eq, %stop, %ticket : i64
  sched.renew @acc
  scf.if %stops {
    sched.clear @acc[0, 64]
    // expected-note @+1 {{shared here}}
    sched.push channel(0) ticket(%ticket) ins(@acc[0, 64] : f32)
  }
  // expected-note @+1 {{run here}}
  sched.run @backward
  sched.return
}

// -----

// Values: a copy of a whole value is the same memory.
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
sched.buffer @b value at(1) bytes(64)
llvm.func @f(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  // expected-error @+1 {{writes @a, whose memory others may hold}}
  sched.launch compute @f [0, 1] args(@a) writes(@a[0, 64])
}
sched.program @p {
  sched.clear @a[0, 64]
  // expected-note @+1 {{shared here}}
  sched.copy @a[0, 64] to @b[0, 64]
  // expected-note @+1 {{run here}}
  sched.run @s
  sched.return
}

// -----

// Values: what was dropped holds nothing.
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @a[0, 64]
  // expected-note @+1 {{what it held went here}}
  sched.drop @a
  // expected-error @+1 {{reads @a, which holds nothing}}
  sched.push channel(0) ticket(%zero) ins(@a[0, 64] : f32)
  sched.return
}

// -----

// Values: what a round leaves in one is not carried to the next.
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
sched.role @worker count(rest) { sched.strand "round" runs @round }
sched.program @round -> i1 {
  %ticket = arith.constant 0 : i64
  %n = sched.stop_requested : i64
  %stops = arith.cmpi eq, %n, %ticket : i64
  scf.if %stops {
    sched.clear @a[0, 64]
  } else {
    // expected-error @+1 {{reads @a, which holds nothing}}
    sched.push channel(0) ticket(%ticket) ins(@a[0, 64] : f32)
  }
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// Ready: the bytes are written in a later segment, which may renew them or not.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 32) ins(@acc[0, 64] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.renew @acc
  sched.run @backward
  // expected-error @+1 {{renews @acc, whose first 32 bytes others may read: start the reduction on channel 0 first}}
  sched.renew @acc keep
  sched.run @backward
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Ready: the same lane orders the two, but others still read.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 32) ins(@acc[0, 64] : f32)
  // expected-error @+1 {{writes bytes [16, 64) of @acc, of which [0, 32) are ready: nobody may until the reduction on channel 0 has started}}
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[16, 48])
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.renew @acc
  // expected-note @+1 {{run here}}
  sched.run @backward
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Ready: the parts leave a gap.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said here}}
  sched.ready compute channel(0) bytes(0, 16) ins(@acc[0, 64] : f32)
  // expected-error @+1 {{is about bytes from 32 on; [0, 16) of @acc were said so far, and they go in order}}
  sched.ready compute channel(0) bytes(32, 64) ins(@acc[0, 64] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.renew @acc
  // expected-note @+1 {{run here}}
  sched.run @backward
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Ready: the next start takes something else.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @other value at(1) bytes(64)
sched.buffer @sum value at(2) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 64) ins(@acc[0, 64] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @other[0, 64]
  sched.renew @acc
  sched.run @backward
  // expected-error @+1 {{is the next on channel 0, of which bytes of @acc are ready; it must take @acc, whole, as its first operand}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@other[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Ready: a body that is not the last says so.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 64) ins(@acc[0, 64] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = sched.quanta : i64
  sched.clear @acc[0, 64]
  scf.for %i = %zero to %n step %one : i64 {
    // expected-error @+1 {{renews @acc, whose first 64 bytes others may read}}
    sched.renew @acc
    sched.run @backward
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Ready: a path ends without the start.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 64) ins(@acc[0, 64] : f32)
}
sched.program @p {
  sched.renew @acc
  sched.run @backward
  // expected-error @+1 {{ends with @acc, whose first 64 bytes others may read}}
  sched.return
}

// -----

// Ready: an exchange that fails would begin the round again.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.buffer @mine value at(2) bytes(64)
sched.buffer @theirs value at(3) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 64])
  // expected-note @+1 {{said to be final here}}
  sched.ready compute channel(0) bytes(0, 64) ins(@acc[0, 64] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @mine[0, 64]
  sched.renew @acc
  sched.run @backward
  %g = sched.exchange channel(1) with(%zero) tag(%zero) ins(@mine[0, 64] : f32)
  // expected-error @+1 {{can send its round back to its beginning with @acc, whose first 64 bytes others may read}}
  sched.await %g outs(@theirs[0, 64] : f32)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Arrive: more is read than is there.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @use {
  // expected-error @+1 {{reads bytes [16, 48) of @sum, of which only 32 are there: put a sched.arrive in front of it}}
  sched.launch compute @a [0, 1] args(@sum) reads(@sum[16, 32])
  sched.arrive compute outs(@sum[32, 32] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{awaited here, the first bytes only}}
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  sched.run @use
  sched.return
}

// -----

// Arrive: out of order.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.segment @use {
  // expected-error @+1 {{brings bytes from 48 on of @sum, of which 32 are there; they arrive in order}}
  sched.arrive compute outs(@sum[48, 16] : f32)
  sched.arrive compute outs(@sum[32, 16] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{awaited here}}
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  // expected-note @+1 {{run here}}
  sched.run @use
  sched.return
}

// -----

// Arrive: not all of it in the segment that uses it.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.segment @use {
  sched.arrive compute outs(@sum[32, 16] : f32)
}
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{awaited here, the first bytes only}}
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  // expected-error @+1 {{ends when only 48 bytes of @sum are there}}
  sched.run @use
  sched.return
}

// -----

// Arrive: dropped before it is there.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{awaited here, the first bytes only}}
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  // expected-error @+1 {{drops @sum, of which only 32 bytes are there: let all of it arrive first}}
  sched.drop @sum
  sched.return
}

// -----

// Arrive: the next result of the channel comes in between.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.buffer @more value at(2) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  %g = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{awaited here, the first bytes only}}
  sched.await %f outs(@sum[0, 64] : f32) first(32)
  // expected-error @+1 {{comes before all of @sum has arrived from its channel}}
  sched.await %g outs(@more[0, 64] : f32)
  sched.return
}

// -----

// Futures: one path does not await.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  // expected-error @+1 {{is neither awaited nor carried on every path: await its future, or write it to a frame}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  %done = sched.done %f
  scf.if %done {
    sched.await %f outs(@sum[0, 64] : f32)
  }
  // expected-note @+1 {{here its handle is lost}}
  sched.return
}

// -----

// Futures: one path awaits twice.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  %done = sched.done %f
  scf.if %done {
    sched.await %f outs(@sum[0, 64] : f32)
  }
  // expected-error @+1 {{awaits a future again: it has been awaited on this path}}
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Futures: more than the runtime has room for.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  // expected-note @+1 {{the oldest one starts here}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  %g = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-error @+1 {{is one more on channel 0 than the 2 that can be under way: await the oldest first}}
  %h = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  sched.await %f outs(@sum[0, 64] : f32)
  sched.await %g outs(@sum[0, 64] : f32)
  sched.await %h outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Futures: of another start.
sched.arena private(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @n private at(0) bytes(8)
sched.buffer @sum value at(1) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{this future is what it awaits}}
  %g = sched.start all_reduce channel(1) root(%zero) ins(@n[0, 8] : i64)
  // expected-error @+1 {{brings other types than were sent}}
  sched.await %g outs(@sum[0, 64] : f32)
  sched.await %f outs(@n[0, 8] : i64)
  sched.return
}

// -----

// Frames: overwritten while the future is under way.
sched.arena private(64)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.role @worker count(rest) drain(@drain) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.program @round -> i1 {
  %zero = arith.constant 0 : i64
  sched.clear @acc[0, 64]
  // expected-note @+1 {{it starts here}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-error @+1 {{overwrites the future in @carried, which nobody has awaited: await it first}}
  sched.write %f, @carried[0, 8] : i64
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @drain {
  %f = sched.read @carried[0, 8] : i64
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Frames: something may fail behind the write.
sched.arena private(64)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @sum value at(0) bytes(64)
sched.role @worker count(rest) drain(@drain) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.program @round -> i1 {
  %f = sched.read @carried[0, 8] : i64
  sched.await %f outs(@sum[0, 64] : f32)
  sched.drop @sum
  %g = sched.pull channel(0) after(%f)
  // expected-note @+1 {{written here}}
  sched.write %g, @carried[0, 8] : i64
  // expected-error @+1 {{can fail behind what is carried was written: write it last}}
  sched.clear @sum[0, 64]
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @drain {
  %f = sched.read @carried[0, 8] : i64
  sched.await %f outs(@sum[0, 64] : f32)
  sched.return
}

// -----

// Frames: in the end nobody awaits what is carried.
sched.arena private(64)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @sum value at(0) bytes(64)
// expected-note @+1 {{the last program of the role ends here}}
sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.program @round -> i1 {
  %f = sched.read @carried[0, 8] : i64
  sched.await %f outs(@sum[0, 64] : f32)
  // expected-error @+1 {{is carried, and nobody awaits it in the end}}
  %g = sched.pull channel(0) after(%f)
  sched.write %g, @carried[0, 8] : i64
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// Results: the place of one that is still shown is needed, a round later.
sched.arena private(64)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.role @worker count(rest) drain(@drain) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.program @round -> i1 {
  %zero = arith.constant 0 : i64
  %before = sched.read @carried[0, 8] : i64
  sched.clear @acc[0, 64]
  // expected-error @+1 {{needs the place of the result that @sum still shows: drop or renew @sum first}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  // expected-note @+1 {{brought here}}
  sched.await %before outs(@sum[0, 64] : f32)
  sched.write %f, @carried[0, 8] : i64
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @drain {
  %f = sched.read @carried[0, 8] : i64
  sched.await %f outs(@acc[0, 64] : f32)
  sched.return
}

// -----

// Cells: what a value shows changes under its lock only.
sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.buffer @seen value at(0) bytes(64)
sched.program @settled {
  sched.look @w[0, 64] in @seen lock(0)
  sched.lock 0 "w"
  sched.clear @w[0, 64]
  sched.unlock 0
  sched.return
}
sched.program @p {
  // expected-note @+1 {{shown here}}
  sched.look @w[0, 64] in @seen lock(0)
  // expected-error @+1 {{writes @w, which @seen still shows: take lock 0 for it, or drop @seen first}}
  sched.clear @w[32, 16]
  sched.return
}
