// The race proof: legal schedules, and each rule broken by one thing.
// RUN: rubato-opt %s --sched-verify-segments -split-input-file -verify-diagnostics

// Two buckets: the second one's backward runs while the first one is reduced.
// What is ready may be read beyond the end of the segment.
sched.arena private(512)
sched.buffer @w private at(0) bytes(256)
sched.buffer @grad value at(0) bytes(128)
sched.buffer @sum value at(1) bytes(128)
llvm.func @backward2(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @backward1(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @operand {
  sched.launch compute @backward2 [0, 1] args(@grad) reads(@w[0, 64]) writes(@grad[0, 64])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 128] : f32)
  sched.launch compute @backward1 [0, 1] args(@grad) reads(@w[64, 64]) writes(@grad[64, 64])
  %1 = sched.record compute
  sched.wait comm, %1
  sched.ready comm channel(0) bytes(64, 128) ins(@grad[0, 128] : f32)
}
// The step of the first bucket runs while the second one arrives.
sched.segment @sum_used {
  %0 = sched.record compute
  sched.wait comm, %0
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64], @w[0, 64]) writes(@w[0, 64])
  sched.arrive comm outs(@sum[64, 64] : f32)
  %1 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @step [16, 32] args(@w, @sum) reads(@sum[64, 64], @w[64, 64]) writes(@w[64, 64])
}

// -----

// No wait between the producer and the part that is handed over.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
llvm.func @backward(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %start = sched.record compute
  sched.wait comm, %start
  // expected-error @+1 {{@backward on compute writes @grad[0, 32] while ready (channel 0, bytes 16 to 64) on comm reads @grad[16, 48], and no event orders them: record on compute after @backward and wait on comm before ready (channel 0, bytes 16 to 64)}}
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[0, 32])
  // expected-note @+1 {{ready (channel 0, bytes 16 to 64) is here; both touch bytes [16, 32) of the value region}}
  sched.ready comm channel(0) bytes(16, 64) ins(@grad[0, 64] : f32)
}

// -----

// The part counts from the beginning of the operand, not of the value.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
llvm.func @backward(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %start = sched.record compute
  sched.wait comm, %start
  // expected-error @+1 {{@backward on compute writes @grad[44, 8] while ready (channel 2, bytes 16 to 32) on comm reads @grad[32, 16]}}
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[44, 8])
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[16, 16])
  // expected-note @+1 {{both touch bytes [44, 48) of the value region}}
  sched.ready comm channel(2) bytes(16, 32) ins(@grad[16, 48] : f32)
}

// -----

// The record is one launch too early.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  sched.launch compute @a [0, 1] args(@grad) writes(@grad[0, 32])
  %e = sched.record compute
  // expected-error @+1 {{@b on compute writes @grad[32, 32] while ready}}
  sched.launch compute @b [0, 1] args(@grad) writes(@grad[32, 32])
  sched.wait comm, %e
  // expected-note @+1 {{both touch bytes [32, 64) of the value region}}
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
}

// -----

// The wait is on the wrong lane: compute waits for itself.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %0 = sched.record compute
  sched.wait comm, %0
  // expected-error @+1 {{@a on compute writes @grad[0, 32] while}}
  sched.launch compute @a [0, 1] args(@grad) writes(@grad[0, 32])
  %e = sched.record compute
  sched.wait compute, %e
  // expected-note @+1 {{is here}}
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
}

// -----

// A sum is used before its arrival has been waited for.
sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{arrive (@sum) on comm writes @sum[16, 48] while @step on compute reads @sum[0, 64], and no event orders them: record on comm after arrive (@sum) and wait on compute before @step}}
  sched.arrive comm outs(@sum[16, 48] : f32)
  %d = sched.record comm
  // expected-note @+1 {{@step is here; both touch bytes [16, 64) of the value region}}
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64]) writes(@w[0, 64])
  sched.wait compute, %d
}

// -----

// A sum arrives in what is still read.
sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{@step on compute reads @sum[0, 64] while arrive (@sum) on comm writes @sum[16, 48]}}
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64]) writes(@w[0, 64])
  // expected-note @+1 {{arrive (@sum) is here}}
  sched.arrive comm outs(@sum[16, 48] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// What was handed over is overwritten while others may still read it.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
llvm.func @clear(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{ready (channel 0, bytes 0 to 64) on comm reads @grad[0, 64] while @clear on compute writes @grad[60, 4]}}
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
  // expected-note @+1 {{both touch bytes [60, 64) of the value region}}
  sched.launch compute @clear [0, 1] args(@grad) writes(@grad[60, 4])
}

// -----

// Reading what was handed over, or touching the bytes beside it, is legal
// meanwhile.
sched.arena private(128) scratch(64)
sched.buffer @grad value at(0) bytes(64)
sched.buffer @next value at(1) bytes(64)
// The same numbers in another region are other bytes.
sched.buffer @other private at(0) bytes(64)
sched.buffer @scratch scratch at(0) bytes(64)
llvm.func @norm(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @near_miss {
  %e = sched.record compute
  sched.wait comm, %e
  sched.ready comm channel(0) bytes(0, 32) ins(@grad[0, 64] : f32)
  sched.launch compute @norm [0, 1] args(@grad) reads(@grad[0, 32]) writes(@grad[32, 32], @next[0, 64], @other[0, 64], @scratch[0, 64])
}
sched.segment @near_arrival {
  %e = sched.record compute
  sched.wait comm, %e
  sched.arrive comm outs(@grad[32, 32] : f32)
  sched.launch compute @norm [0, 1] args(@grad) reads(@grad[0, 32]) writes(@next[0, 64], @other[0, 64], @scratch[0, 64])
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// Two names, the same bytes: the arena is reused.
sched.arena private(64)
sched.buffer @grad private at(0) bytes(48)
sched.buffer @reused private at(32) bytes(32)
llvm.func @send(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @other(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{@send on comm reads @grad[0, 48] while @other on compute writes @reused[8, 4]}}
  sched.launch comm @send [0, 1] args(@grad) reads(@grad[0, 48])
  // expected-note @+1 {{both touch bytes [40, 44) of the private region}}
  sched.launch compute @other [0, 1] args(@reused) writes(@reused[8, 4])
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// The comm lane is still busy when the segment ends.
sched.arena private(64)
sched.buffer @sum value at(0) bytes(64)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  sched.arrive comm outs(@sum[0, 32] : f32)
  %d = sched.record comm
  // expected-error @+1 {{arrive (@sum) on comm may still run when the segment ends: record on comm after arrive (@sum) and wait on compute}}
  sched.arrive comm outs(@sum[32, 32] : f32)
  sched.wait compute, %d
}

// -----

// What is ready behind it does not excuse what must end.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @send(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {
  %e = sched.record compute
  sched.wait comm, %e
  // expected-error @+1 {{@send on comm may still run when the segment ends: record on comm after @send and wait on compute}}
  sched.launch comm @send [0, 1] args(@x) reads(@x[0, 64])
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
}
// To join what must end is enough.
sched.segment @joined {
  %e = sched.record compute
  sched.wait comm, %e
  sched.launch comm @send [0, 1] args(@x) reads(@x[0, 64])
  %d = sched.record comm
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
  sched.wait compute, %d
}

// -----

// Nothing orders the comm lane after the segment that ran before.
sched.arena private(64)
sched.buffer @grad value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.segment @handed_over {
  // expected-error @+1 {{ready (channel 0, bytes 0 to 64) on comm is not ordered after what ran before the segment: record on compute and wait on comm before ready (channel 0, bytes 0 to 64)}}
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 64] : f32)
}
sched.segment @brought {
  // expected-error @+1 {{arrive (@sum) on comm is not ordered after what ran before the segment: record on compute and wait on comm before arrive (@sum)}}
  sched.arrive comm outs(@sum[32, 32] : f32)
  %d = sched.record comm
  sched.wait compute, %d
}

// -----

// Order is transitive: compute to comm to compute needs no direct event.
sched.arena private(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @c(!llvm.ptr, i64, i64, !llvm.ptr)
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
sched.arena private(64)
sched.buffer @x private at(0) bytes(64)
sched.buffer @y private at(32) bytes(32)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
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

// A segment on one lane, and an empty one.
sched.arena private(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @one_lane {
  sched.launch compute @a [0, 1] args(@x) reads(@x[0, 64]) writes(@x[0, 64])
  sched.launch compute @a [0, 1] args(@x) reads(@x[0, 64]) writes(@x[0, 64])
}
sched.buffer @v value at(0) bytes(64)
sched.segment @reduced_on_compute {
  sched.launch compute @a [0, 1] args(@v) writes(@v[0, 64])
  sched.ready compute channel(0) bytes(0, 64) ins(@v[0, 64] : f32)
  sched.arrive compute outs(@v[32, 32] : f32)
  sched.launch compute @a [0, 1] args(@v) reads(@v[0, 64])
}
sched.segment @empty {}

// -----

// One missing event, many races: the first ones tell the story.
sched.arena private(64)
sched.buffer @x private at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
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
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
sched.buffer @b value at(1) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64, !llvm.ptr)
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
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
sched.buffer @b value at(1) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64, !llvm.ptr)
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
sched.arena private(64)
sched.buffer @a value at(0) bytes(64)
llvm.func @k(!llvm.ptr, i64, i64, !llvm.ptr)
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
