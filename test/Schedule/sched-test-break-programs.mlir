// Every single change to a small program is noticed, or told to change nothing.
// RUN: rubato-opt %s --sched-verify-segments --sched-verify-programs -o /dev/null
// RUN: rubato-opt %s --sched-test-break-programs -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not=survives
// RUN: rubato-opt %s | diff - %t.mlir

sched.arena private(256)
sched.buffer @carried private at(0) bytes(8)
sched.buffer @n private at(64) bytes(8)
sched.buffer @w private at(128) bytes(64)
sched.buffer @acc value at(0) bytes(64)
sched.buffer @sum value at(1) bytes(64)
sched.buffer @last value at(2) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)
sched.role @worker count(rest) drain(@drain) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" future in @carried : [tensor<16xf32>]
  }
}
sched.program @round -> i1 {
  %zero = arith.constant 0 : i64
  %before = sched.read @carried[0, 8] : i64
  sched.renew @acc
  sched.run @backward
  %f = sched.start all_reduce channel(0) root(%zero) ins(@acc[0, 64] : f32)
  %g = sched.start all_reduce channel(1) root(%zero) ins(@acc[0, 64] : f32)
  %h = sched.start all_reduce channel(2) root(%zero) ins(@n[0, 8] : i64)
  %i = sched.start all_reduce channel(3) root(%zero) ins(@n[0, 8] : i64)
  sched.await %h outs(@n[0, 8] : i64)
  sched.await %i outs(@n[0, 8] : i64)
  sched.await %g outs(@sum[0, 64] : f32) first(32)
  sched.run @update
  sched.drop @sum
  sched.await %before outs(@last[0, 64] : f32)
  sched.run @use
  sched.drop @last
  sched.write %f, @carried[0, 8] : i64
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @drain {
  %before = sched.read @carried[0, 8] : i64
  sched.await %before outs(@last[0, 64] : f32)
  sched.return
}
sched.segment @backward {
  sched.launch compute @a [0, 1] args(@acc) writes(@acc[0, 32])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(0) bytes(0, 32) ins(@acc[0, 64] : f32)
  sched.launch compute @b [0, 1] args(@acc[32]) writes(@acc[32, 32])
  sched.launch compute @b [0, 1] args(@w) writes(@w[0, 64])
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
sched.segment @use {
  sched.launch compute @step [0, 16] args(@w, @last) reads(@last[0, 64], @w[0, 64]) writes(@w[0, 64])
}

// CHECK-DAG: remark: drop-renew: rejected by programs: 'sched.launch' op writes @acc, which has no memory
// CHECK-DAG: remark: late-renew: rejected by programs: 'sched.launch' op writes @acc, which has no memory
// CHECK-DAG: remark: early-start: rejected by programs: 'sched.start' op reads @acc, which holds nothing
// CHECK-DAG: remark: reuse-buffer: rejected by programs: 'sched.launch' op writes @acc, whose memory others may hold
// CHECK-DAG: remark: swap-starts: rejected by programs: 'sched.await' op brings other types than were sent
// CHECK-DAG: remark: swap-starts: equivalent: both bring the same types
// CHECK-DAG: remark: drop-await: rejected by programs: 'sched.start' op is neither awaited nor carried
// CHECK-DAG: remark: drop-await: rejected by programs: 'sched.start' op is carried, and nobody awaits it in the end
// CHECK-DAG: remark: write-result: rejected by programs: 'sched.launch' op writes @sum, whose memory others may hold
// CHECK-DAG: remark: early-frame: rejected by programs: 'sched.start' op can fail behind
// CHECK-DAG: remark: raise-first: rejected by programs: 'sched.arrive' op brings bytes from 32 on of @sum, of which 36 are there
// CHECK-DAG: remark: lower-first: rejected by programs: 'sched.launch' op reads bytes [0, 32) of @sum, of which only 28 are there
// CHECK-DAG: remark: early-ready: rejected by programs: 'sched.launch' op writes bytes [0, 32) of @acc, of which [0, 32) are ready
// CHECK-DAG: remark: early-ready: equivalent: the launch that it now precedes writes none of it
// CHECK-DAG: remark: wide-ready: rejected by programs: 'sched.launch' op writes bytes [32, 64) of @acc, of which [0, 64) are ready
// CHECK-DAG: remark: write-ready: rejected by programs: 'sched.launch' op writes bytes [0, 64) of @acc, of which [0, 32) are ready
// CHECK-DAG: remark: drop-arrive: rejected by programs: 'sched.launch' op reads bytes [32, 64) of @sum, of which only 32 are there
// CHECK-DAG: remark: late-arrive: rejected by programs: 'sched.launch' op reads bytes [32, 64) of @sum, of which only 32 are there
// CHECK: remark: drop-renew: 1 broken, 1 rejected, 0 equivalent, 0 survive
// CHECK: remark: 25 broken, 23 rejected, 2 equivalent, 0 survive
