// The race proof: legal schedules, and each rule broken by one thing.
// RUN: rubato-opt %s --sched-verify-segments -split-input-file -verify-diagnostics

// Two buckets, the second one's backward overlaps the first one's reduction.
sched.arena private(512) shared(256) result(256)
sched.buffer @w private at(0) bytes(256)
sched.buffer @grad shared at(0) bytes(128)
sched.buffer @sum result at(0) bytes(128)
llvm.func @backward2(!llvm.ptr, i64, i64)
llvm.func @backward1(!llvm.ptr, i64, i64)
llvm.func @step(!llvm.ptr, i64, i64)
sched.segment @overlapped {
  sched.launch compute @backward2 [0, 1] args(@grad) reads(@w[0, 64]) writes(@grad[0, 64])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  %1 = sched.record comm
  sched.launch compute @backward1 [0, 1] args(@grad) reads(@w[64, 64]) writes(@grad[64, 64])
  %2 = sched.record compute
  sched.wait comm, %2
  sched.collective comm all_reduce channel(0) seq(1) future(1) ins(@grad[64, 64] : f32) outs(@sum[64, 64] : f32)
  %3 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64], @w[0, 64]) writes(@w[0, 64])
  sched.wait compute, %3
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[64, 64], @w[64, 64]) writes(@w[64, 64])
}

// -----

// No wait between the producer and the collective.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
llvm.func @backward(!llvm.ptr, i64, i64)
sched.segment @s {
  %start = sched.record compute
  sched.wait comm, %start
  // expected-error @+1 {{@backward on compute writes @grad[0, 32] while all_reduce (channel 0, seq 0) on comm reads @grad[16, 48], and no event orders them: record on compute after @backward and wait on comm before all_reduce (channel 0, seq 0)}}
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[0, 32])
  // expected-note @+1 {{all_reduce (channel 0, seq 0) is here; both touch bytes [16, 32) of the shared region}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[16, 48] : f32) outs(@sum[0, 48] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// The record is one launch too early.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64)
llvm.func @b(!llvm.ptr, i64, i64)
sched.segment @s {
  sched.launch compute @a [0, 1] args(@grad) writes(@grad[0, 32])
  %e = sched.record compute
  // expected-error @+1 {{@b on compute writes @grad[32, 32] while all_reduce}}
  sched.launch compute @b [0, 1] args(@grad) writes(@grad[32, 32])
  sched.wait comm, %e
  // expected-note @+1 {{both touch bytes [32, 64) of the shared region}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// The wait is on the wrong lane: compute waits for itself.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64)
sched.segment @s {
  %0 = sched.record compute
  sched.wait comm, %0
  // expected-error @+1 {{@a on compute writes @grad[0, 32] while}}
  sched.launch compute @a [0, 1] args(@grad) writes(@grad[0, 32])
  %e = sched.record compute
  sched.wait compute, %e
  // expected-note @+1 {{is here}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// A result is used before its collective has been waited for.
sched.arena private(64) shared(64) result(64)
sched.buffer @w private at(0) bytes(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
llvm.func @step(!llvm.ptr, i64, i64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{all_reduce (channel 0, seq 0) on comm writes @sum[0, 64] while @step on compute reads @sum[0, 64], and no event orders them: record on comm after all_reduce (channel 0, seq 0) and wait on compute before @step}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  %d = sched.record comm
  // expected-note @+1 {{@step is here; both touch bytes [0, 64) of the result region}}
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64]) writes(@w[0, 64])
  sched.wait compute, %d
}

// -----

// An operand is overwritten while the collective may still read it.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
llvm.func @clear(!llvm.ptr, i64, i64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{all_reduce (channel 0, seq 0) on comm reads @grad[0, 64] while @clear on compute writes @grad[60, 4]}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  // expected-note @+1 {{both touch bytes [60, 64) of the shared region}}
  sched.launch compute @clear [0, 1] args(@grad) writes(@grad[60, 4])
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// Reading an operand, or touching the bytes beside it, is legal meanwhile.
sched.arena private(64) shared(128) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @next shared at(64) bytes(64)
sched.buffer @sum result at(0) bytes(64)
// The same numbers in another region are other bytes.
sched.buffer @scratch private at(0) bytes(64)
llvm.func @norm(!llvm.ptr, i64, i64)
sched.segment @near_miss {
  %e = sched.record compute
  sched.wait comm, %e
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  sched.launch compute @norm [0, 1] args(@grad) reads(@grad[0, 64]) writes(@next[0, 64], @scratch[0, 64])
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// Two names, the same bytes: the arena is reused.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(48)
sched.buffer @reused shared at(32) bytes(32)
sched.buffer @sum result at(0) bytes(64)
llvm.func @other(!llvm.ptr, i64, i64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{all_reduce (channel 0, seq 0) on comm reads @grad[0, 48] while @other on compute writes @reused[8, 4]}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 48] : f32) outs(@sum[0, 48] : f32)
  // expected-note @+1 {{both touch bytes [40, 44) of the shared region}}
  sched.launch compute @other [0, 1] args(@reused) writes(@reused[8, 4])
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// The comm lane is still busy when the segment ends.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  %d = sched.record comm
  // expected-error @+1 {{all_reduce (channel 0, seq 1) on comm may still run when the segment ends: record on comm after all_reduce (channel 0, seq 1) and wait on compute}}
  sched.collective comm all_reduce channel(0) seq(1) future(1) ins(@grad[32, 32] : f32) outs(@sum[32, 32] : f32)
  sched.wait compute, %d
}

// -----

// Nothing orders the comm lane after the segment that ran before.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{all_reduce (channel 0, seq 0) on comm is not ordered after what ran before the segment: record on compute and wait on comm before all_reduce (channel 0, seq 0)}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 64] : f32) outs(@sum[0, 64] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// Order is transitive: compute to comm to compute needs no direct event.
sched.arena private(64) shared(64) result(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64)
llvm.func @b(!llvm.ptr, i64, i64)
llvm.func @c(!llvm.ptr, i64, i64)
sched.segment @transitive {
  %0 = sched.record compute
  sched.wait comm, %0
  sched.launch comm @a [0, 1] args(@x) writes(@x[0, 64])
  %1 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @b [0, 1] args(@x) writes(@x[0, 64])
  %2 = sched.record compute
  sched.wait comm, %2
  sched.launch comm @c [0, 1] args(@x) writes(@x[0, 64])
  %3 = sched.record comm
  sched.wait compute, %3
}

// -----

// An event orders what came before its record, not what came before the wait.
sched.arena private(64) shared(64) result(64)
sched.buffer @x private at(0) bytes(64)
sched.buffer @y private at(32) bytes(32)
llvm.func @a(!llvm.ptr, i64, i64)
llvm.func @b(!llvm.ptr, i64, i64)
sched.segment @s {
  %0 = sched.record compute
  sched.wait comm, %0
  %1 = sched.record comm
  // expected-error @+1 {{@a on comm writes @x[0, 64] while @b on compute writes @y[0, 8]}}
  sched.launch comm @a [0, 1] args(@x) writes(@x[0, 64])
  sched.wait compute, %1
  // expected-note @+1 {{both touch bytes [32, 40) of the private region}}
  sched.launch compute @b [0, 1] args(@y) writes(@y[0, 8])
  %3 = sched.record comm
  sched.wait compute, %3
}

// -----

// The order of a channel.
sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{all_reduce (channel 0, seq 1) on comm must have seq 0: the collectives of a channel are numbered in order}}
  sched.collective comm all_reduce channel(0) seq(1) future(0) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  // Another channel has an order of its own.
  sched.collective comm all_reduce channel(1) seq(0) future(1) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  // expected-error @+1 {{all_reduce (channel 1, seq 0) on comm must have seq 1}}
  sched.collective comm all_reduce channel(1) seq(0) future(2) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-note @+1 {{the channel's first collective is here}}
  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  %d = sched.record comm
  sched.wait compute, %d
  // expected-error @+1 {{all_reduce (channel 0, seq 1) on compute must be on comm: the collectives of a channel stand on one lane}}
  sched.collective compute all_reduce channel(0) seq(1) future(1) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
}

// -----

sched.arena private(64) shared(64) result(64)
sched.buffer @grad shared at(0) bytes(64)
sched.buffer @sum result at(0) bytes(64)
sched.segment @s {
  // expected-note @+1 {{it is first used here}}
  sched.collective compute all_reduce channel(0) seq(0) future(3) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  // expected-error @+1 {{all_reduce (channel 0, seq 1) on compute reuses future 3: give each collective of a segment its own}}
  sched.collective compute all_reduce channel(0) seq(1) future(3) ins(@grad[0, 32] : f32) outs(@sum[0, 32] : f32)
  // expected-error @+1 {{all_reduce (channel 0, seq 2) on compute writes @sum[0, 32] and @sum[28, 4], which share bytes}}
  sched.collective compute all_reduce channel(0) seq(2) future(4) ins(@grad[0, 32] : f32, @grad[0, 4] : f32) outs(@sum[0, 32] : f32, @sum[28, 4] : f32)
}

// -----

// A segment on one lane, and an empty one.
sched.arena private(64) shared(64) result(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64)
sched.segment @one_lane {
  sched.launch compute @a [0, 1] args(@x) reads(@x[0, 64]) writes(@x[0, 64])
  sched.launch compute @a [0, 1] args(@x) reads(@x[0, 64]) writes(@x[0, 64])
}
sched.segment @empty {}

// -----

// One missing event, many races: the first ones tell the story.
sched.arena private(64) shared(64) result(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64)
llvm.func @b(!llvm.ptr, i64, i64)
// expected-error @+1 {{'sched.segment' op breaks 2 more rules of the same kind}}
sched.segment @many {
  %0 = sched.record compute
  sched.wait comm, %0
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [0, 1] args(@x) writes(@x[0, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [1, 2] args(@x) writes(@x[4, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [2, 3] args(@x) writes(@x[8, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [3, 4] args(@x) writes(@x[12, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [4, 5] args(@x) writes(@x[16, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [5, 6] args(@x) writes(@x[20, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [6, 7] args(@x) writes(@x[24, 4])
  // expected-error @+1 {{@a on compute writes}}
  sched.launch compute @a [7, 8] args(@x) writes(@x[28, 4])
  sched.launch compute @a [8, 9] args(@x) writes(@x[32, 4])
  sched.launch compute @a [9, 10] args(@x) writes(@x[36, 4])
  // expected-note @+1 {{@b is here}}
  sched.launch comm @b [0, 1] args(@x) writes(@x[0, 64])
  %1 = sched.record comm
  sched.wait compute, %1
}

// -----

// Two values never overlap, whatever their numbers; what a segment writes all of
// and then reads needs no old content.
sched.arena private(64) shared(64) result(64)
sched.buffer @a value at(0) bytes(64)
sched.buffer @b value at(1) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64)
sched.segment @apart {
  %0 = sched.record compute
  sched.wait comm, %0
  sched.launch compute @k [0, 1] args(@a) writes(@a[0, 32])
  sched.launch compute @k [0, 1] args(@a) writes(@a[32, 32])
  sched.launch compute @k [0, 1] args(@a) reads(@a[16, 32])
  sched.launch comm @k [0, 1] args(@b) writes(@b[0, 64])
  %1 = sched.record comm
  sched.wait compute, %1
}
sched.program @renewed {
  sched.renew @a
  sched.renew @b
  sched.run @apart
  sched.return
}

// -----

// Others may hold the memory of a value, until it is renewed.
sched.arena private(64) shared(64) result(64)
sched.buffer @a value at(0) bytes(64)
sched.buffer @b value at(1) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64)
sched.segment @both {
  sched.launch compute @k [0, 1] args(@a, @b) reads(@a[0, 64]) writes(@b[0, 64])
}
sched.program @forgotten {
  sched.renew @a
  // expected-error @+1 {{'sched.run' op writes the value @b, which others may hold: put a sched.renew in front of it}}
  sched.run @both
  sched.return
}
sched.program @too_early {
  sched.renew @b
  sched.drop @a
  // expected-error @+1 {{'sched.run' op writes the value @b, which others may hold}}
  sched.run @both
  sched.return
}

// -----

// Written in part, or read before: the rest must stay.
sched.arena private(64) shared(64) result(64)
sched.buffer @a value at(0) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64)
sched.segment @part {
  sched.launch compute @k [0, 1] args(@a) writes(@a[0, 32])
}
sched.segment @added {
  sched.launch compute @k [0, 1] args(@a) reads(@a[0, 64]) writes(@a[0, 64])
}
sched.program @lost {
  sched.renew @a
  // expected-error @+1 {{'sched.run' op needs what the value @a holds: renew it with keep}}
  sched.run @part
  sched.renew @a
  // expected-error @+1 {{'sched.run' op needs what the value @a holds: renew it with keep}}
  sched.run @added
  sched.renew @a keep
  sched.run @added
  sched.return
}
