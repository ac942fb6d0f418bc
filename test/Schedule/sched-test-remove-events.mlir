// Every needed event is noticed when it is missing; a redundant one is told.
// RUN: rubato-opt %s --sched-verify-segments -o /dev/null
// RUN: rubato-opt %s --sched-test-remove-events -o %t.mlir 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: rubato-opt %s | diff - %t.mlir

sched.arena private(512)
sched.buffer @w private at(0) bytes(256)
sched.buffer @grad value at(0) bytes(128)
sched.buffer @sum value at(1) bytes(128)
llvm.func @backward(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @step(!llvm.ptr, i64, i64, !llvm.ptr)

// Waits first, then records.
// CHECK: remark: rejected without this wait: ready (channel 0, bytes 0 to 64) on comm is not ordered after
// CHECK: remark: rejected without this wait: @backward on compute writes @grad[64, 64]
// CHECK: remark: rejected without this wait: arrive (@sum) on comm writes @sum[0, 64] while @step on compute reads @sum[0, 64]
// CHECK: remark: rejected without this wait: arrive (@sum) on comm writes @sum[64, 64]
// CHECK: remark: accepted without this wait: other events imply it
// CHECK: remark: rejected without this record and its waits: ready (channel 0, bytes 0 to 64) on comm is not ordered after
// CHECK: remark: rejected without this record and its waits: arrive (@sum) on comm writes @sum[0, 64]
// CHECK: remark: rejected without this record and its waits: @backward on compute writes @grad[64, 64]
// CHECK: remark: rejected without this record and its waits: arrive (@sum) on comm writes @sum[64, 64]
// CHECK: remark: accepted without this record and its waits: other events imply it
// CHECK: remark: rejected without this wait: {{.*}} is not ordered after what ran before the segment
// CHECK: remark: rejected without this wait: {{.*}} may still run when the segment ends
// CHECK: remark: rejected without this record
// CHECK: remark: rejected without this record
// What is ready needs nobody who waits for it.
// CHECK: remark: rejected without this wait: ready (channel 0, bytes 0 to 64) on comm is not ordered after
// CHECK: remark: accepted without this wait: other events imply it
// CHECK: remark: rejected without this record
// CHECK: remark: accepted without this record
// CHECK: remark: 9 waits, 7 rejected; 9 records, 7 rejected
sched.segment @round {
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[0, 64])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 128] : f32)
  sched.arrive comm outs(@sum[0, 64] : f32)
  %1 = sched.record comm
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[64, 64])
  %2 = sched.record compute
  sched.wait comm, %2
  sched.ready comm channel(0) bytes(64, 128) ins(@grad[0, 128] : f32)
  sched.arrive comm outs(@sum[64, 64] : f32)
  %3 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[0, 64]) writes(@w[0, 64])
  sched.wait compute, %3
  sched.launch compute @step [0, 16] args(@w, @sum) reads(@sum[64, 64]) writes(@w[64, 64])
  %4 = sched.record comm
  sched.wait compute, %4
}

sched.segment @tail {
  %0 = sched.record compute
  sched.wait comm, %0
  sched.launch comm @step [0, 1] args(@w, @sum) reads(@sum[0, 64]) writes(@w[0, 64])
  %1 = sched.record comm
  sched.wait compute, %1
}

sched.segment @handed_over {
  sched.launch compute @backward [0, 1] args(@grad) writes(@grad[0, 64])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(0) bytes(0, 64) ins(@grad[0, 128] : f32)
  %1 = sched.record comm
  sched.wait compute, %1
}
