// Lanes are ordered by as few events as it takes, each where it holds nobody up for
// longer than needed.
// RUN: rubato-opt %s --assign-lanes | FileCheck %s
// What comes out is proved, and every event is needed.
// RUN: rubato-opt %s --assign-lanes --sched-verify-segments -o /dev/null
// RUN: rubato-opt %s --assign-lanes --sched-test-remove-events -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVENTS --implicit-check-not=accepted
// EVENTS: 17 waits, 17 rejected; 17 records, 17 rejected
// Once more changes nothing.
// RUN: rubato-opt %s --assign-lanes -o %t.once.mlir
// RUN: rubato-opt %t.once.mlir --assign-lanes -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir

sched.arena private(512) scratch(256)
sched.buffer @w private at(0) bytes(256)
sched.buffer @x private at(256) bytes(64)
sched.buffer @reused private at(288) bytes(64)
sched.buffer @t scratch at(0) bytes(64)
sched.buffer @g value at(0) bytes(128)
sched.buffer @sum value at(1) bytes(128)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @b(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @c(!llvm.ptr, i64, i64, !llvm.ptr)

// CHECK-LABEL: sched.segment @one_lane {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:  }
sched.segment @one_lane {
  sched.launch compute @a [0, 1] args(@x) writes(@x[0, 64])
  sched.launch compute @b [0, 1] args(@x) reads(@x[0, 64])
}
// CHECK-LABEL: sched.segment @empty {
// CHECK-NEXT:  }
sched.segment @empty {}

// The record stands directly behind what must be done, not in front of who waits.
// CHECK-LABEL: sched.segment @directly {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:  }
sched.segment @directly {
  sched.launch compute @a [0, 1] args(@g) writes(@g[0, 128])
  sched.launch compute @b [0, 1] args(@g) reads(@g[0, 128]) writes(@x[0, 64])
  sched.launch compute @c [0, 1] args(@x) writes(@x[0, 64])
  sched.ready comm channel(0) bytes(0, 128) ins(@g[0, 128] : f32)
}

// The last of several is enough, and one wait for what a lane has seen.
// CHECK-LABEL: sched.segment @latest {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 128)
// CHECK-NEXT:    sched.ready comm channel(1) bytes(0, 64)
// CHECK-NEXT:  }
sched.segment @latest {
  sched.launch compute @a [0, 1] args(@g) writes(@g[0, 64])
  sched.launch compute @b [0, 1] args(@g) writes(@g[64, 64])
  sched.launch compute @c [0, 1] args(@x) writes(@x[0, 64])
  sched.ready comm channel(0) bytes(0, 128) ins(@g[0, 128] : f32)
  sched.ready comm channel(1) bytes(0, 64) ins(@g[0, 128] : f32)
}

// Parts of an operand that leave one after the other.
// CHECK-LABEL: sched.segment @parts {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 64)
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    %[[F:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[F]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(64, 128)
// CHECK-NEXT:  }
sched.segment @parts {
  sched.launch compute @a [0, 1] args(@g) writes(@g[0, 64])
  sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 128] : f32)
  sched.launch compute @b [0, 1] args(@g) writes(@g[64, 64])
  sched.ready comm channel(0) bytes(64, 128) ins(@g[0, 128] : f32)
}

// Nothing runs ahead of what ran before the segment, though nothing in it is
// touched; only the first on the lane needs that.
// CHECK-LABEL: sched.segment @ahead {
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 64)
// CHECK-NEXT:    sched.ready comm channel(0) bytes(64, 128)
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:  }
sched.segment @ahead {
  sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 128] : f32)
  sched.ready comm channel(0) bytes(64, 128) ins(@g[0, 128] : f32)
  sched.launch compute @a [0, 1] args(@x) writes(@x[0, 64])
}

// Parts of a sum: who reads one waits for it, who reads another does not.
// CHECK-LABEL: sched.segment @sums {
// CHECK-NEXT:    %[[S:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[S]]
// CHECK-NEXT:    sched.arrive comm outs(@sum[64, 32] : f32)
// CHECK-NEXT:    %[[E:.*]] = sched.record comm
// CHECK-NEXT:    sched.arrive comm outs(@sum[96, 32] : f32)
// CHECK-NEXT:    %[[F:.*]] = sched.record comm
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    sched.wait compute, %[[E]]
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    sched.wait compute, %[[F]]
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:  }
sched.segment @sums {
  sched.arrive comm outs(@sum[64, 32] : f32)
  sched.arrive comm outs(@sum[96, 32] : f32)
  sched.launch compute @a [0, 1] args(@sum) reads(@sum[0, 64]) writes(@w[0, 64])
  sched.launch compute @b [0, 1] args(@sum) reads(@sum[64, 32]) writes(@w[64, 32])
  sched.launch compute @c [0, 1] args(@sum) reads(@sum[96, 32]) writes(@w[96, 32])
  sched.launch compute @b [0, 1] args(@sum) reads(@sum[64, 64])
}

// Order is transitive: what came with an event needs none of its own.
// CHECK-LABEL: sched.segment @transitive {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.launch comm @b
// CHECK-NEXT:    %[[F:.*]] = sched.record comm
// CHECK-NEXT:    sched.wait compute, %[[F]]
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:    %[[H:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[H]]
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:  }
sched.segment @transitive {
  sched.launch compute @a [0, 1] args(@x) writes(@x[0, 64], @g[0, 64])
  sched.launch comm @b [0, 1] args(@x) reads(@x[0, 64]) writes(@w[0, 64])
  sched.launch compute @c [0, 1] args(@w) reads(@w[0, 64]) writes(@g[64, 64])
  sched.ready comm channel(0) bytes(64, 128) ins(@g[0, 128] : f32)
  sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 128] : f32)
}

// Bytes count, not names; reading beside reading is no reason.
// CHECK-LABEL: sched.segment @bytes {
// CHECK-NEXT:    %[[S:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[S]]
// CHECK-NEXT:    sched.launch comm @a
// CHECK-NEXT:    %[[E:.*]] = sched.record comm
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    sched.wait compute, %[[E]]
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:  }
sched.segment @bytes {
  sched.launch comm @a [0, 1] args(@x) reads(@x[0, 64])
  sched.launch compute @b [0, 1] args(@x) reads(@x[0, 64]) writes(@reused[32, 32], @t[0, 64], @sum[0, 64])
  sched.launch compute @c [0, 1] args(@reused) writes(@reused[0, 4])
}

// What nobody in the segment uses still ends before it does; what is ready may go
// on.
// CHECK-LABEL: sched.segment @ends {
// CHECK-NEXT:    %[[S:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[S]]
// CHECK-NEXT:    sched.launch comm @a
// CHECK-NEXT:    sched.arrive comm
// CHECK-NEXT:    %[[E:.*]] = sched.record comm
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    sched.wait compute, %[[E]]
// CHECK-NEXT:  }
sched.segment @ends {
  sched.launch comm @a [0, 1] args(@x) reads(@x[0, 64])
  sched.arrive comm outs(@sum[64, 64] : f32)
  sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 128] : f32)
  sched.launch compute @b [0, 1] args(@w) writes(@w[0, 64])
}

// Events that stood there are made anew: needless ones go, late ones come early,
// missing ones are added.
// CHECK-LABEL: sched.segment @anew {
// CHECK-NEXT:    sched.launch compute @a
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.launch compute @b
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:    sched.launch compute @c
// CHECK-NEXT:    %[[F:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[F]]
// CHECK-NEXT:    sched.ready comm
// CHECK-NEXT:  }
sched.segment @anew {
  %0 = sched.record compute
  sched.wait comm, %0
  sched.launch compute @a [0, 1] args(@g) writes(@g[0, 64])
  sched.launch compute @b [0, 1] args(@x) writes(@x[0, 64])
  %1 = sched.record compute
  sched.wait comm, %1
  sched.wait comm, %1
  sched.ready comm channel(0) bytes(0, 64) ins(@g[0, 128] : f32)
  %2 = sched.record comm
  sched.wait compute, %2
  sched.launch compute @c [0, 1] args(@g) writes(@g[64, 64])
  sched.ready comm channel(0) bytes(64, 128) ins(@g[0, 128] : f32)
}
