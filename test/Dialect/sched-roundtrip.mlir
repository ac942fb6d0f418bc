// Every operation prints as it was written, in text and through bytecode.
// RUN: rubato-opt %s | FileCheck %s
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s

// No optimisation drops, merges or moves what is given to a lane.
// RUN: rubato-opt %s --canonicalize --cse --symbol-dce | FileCheck %s

// CHECK: sched.arena private(4096) scratch(1024)
sched.arena private(4096) scratch(1024)
// CHECK: sched.buffer @w private at(0) bytes(2048)
sched.buffer @w private at(0) bytes(2048)
// CHECK: sched.buffer @h private at(1024) bytes(2048)
sched.buffer @h private at(1024) bytes(2048)
// CHECK: sched.buffer @meta private at(3072) bytes(64)
sched.buffer @meta private at(3072) bytes(64)
// CHECK: sched.buffer @t scratch at(512) bytes(64)
sched.buffer @t scratch at(512) bytes(64)
// CHECK: sched.buffer @grad value at(0) bytes(512)
sched.buffer @grad value at(0) bytes(512)
// CHECK: sched.buffer @sum value at(1) bytes(512)
sched.buffer @sum value at(1) bytes(512)

func.func private @fc1.forward(tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
llvm.func @c.form(!llvm.ptr, i64, i64)

// CHECK-LABEL: sched.segment @reduce {
sched.segment @reduce {
  // CHECK-NEXT: sched.launch compute @fc1.forward [0, 1] args(@w, @w[1024], @h) reads(@w[0, 32], @w[1024, 64]) writes(@h[0, 16])
  sched.launch compute @fc1.forward [0, 1] args(@w, @w[1024], @h)
      reads(@w[0, 32], @w[1024, 64]) writes(@h[0, 16])
  // CHECK-NEXT: sched.launch compute @c.form [2, 7]{{$}}
  sched.launch compute @c.form [2, 7]
  // CHECK-NEXT: sched.launch compute @c.form [0, 0] args(@grad) writes(@grad[0, 512]) {note = "first"}
  sched.launch compute @c.form [0, 0] args(@grad) writes(@grad[0, 512]) {note = "first"}
  // CHECK-NEXT: %[[E:.*]] = sched.record compute
  // CHECK-NEXT: sched.record compute
  // CHECK-NEXT: sched.wait comm, %[[E]]
  // CHECK-NEXT: sched.wait comm, %[[E]]
  %e = sched.record compute
  %unused = sched.record compute
  sched.wait comm, %e
  sched.wait comm, %e
  // CHECK-NEXT: sched.ready comm channel(3) bytes(64, 508) ins(@grad[4, 508] : f32)
  sched.ready comm channel(3) bytes(64, 508) ins(@grad[4, 508] : f32)
  // CHECK-NEXT: sched.ready comm channel(0) bytes(0, 4) ins(@grad[0, 512] : f32) done(6.250000e-01) {note = "part"}
  sched.ready comm channel(0) bytes(0, 4) ins(@grad[0, 512] : f32) done(0.625) {note = "part"}
  // CHECK-NEXT: sched.arrive comm outs(@sum[128, 128] : f32) done(2.500000e-01)
  sched.arrive comm outs(@sum[128, 128] : f32) done(0.25)
  // CHECK-NEXT: sched.arrive comm outs(@sum[256, 256] : f64) {note = "rest"}
  sched.arrive comm outs(@sum[256, 256] : f64) {note = "rest"}
  // CHECK-NEXT: %[[D:.*]] = sched.record comm
  // CHECK-NEXT: sched.wait compute, %[[D]]
  %d = sched.record comm
  sched.wait compute, %d
}

// CHECK-LABEL: sched.segment @empty {
sched.segment @empty {}

// CHECK-LABEL: sched.program @round -> i1 {
sched.program @round -> i1 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: %[[M:.*]] = sched.quanta : i64
  %m = sched.quanta : i64
  %n = arith.index_cast %m : i64 to index
  // CHECK: scf.for
  scf.for %i = %zero to %n step %one {
    // CHECK-NEXT: sched.batch cursor ()
    // CHECK-NEXT: sched.run @empty
    sched.batch cursor ()
    sched.run @empty
  }
  // CHECK: %[[Q:.*]] = sched.stop_requested : i64
  // CHECK-NEXT: sched.write %[[Q]], @meta[16, 8] : i64
  %q = sched.stop_requested : i64
  sched.write %q, @meta[16, 8] : i64
  // CHECK-NEXT: sched.run @reduce
  sched.run @reduce
  // CHECK-NEXT: %[[S:.*]] = sched.read @meta[0, 8] : i64
  // CHECK-NEXT: sched.read @sum[4, 4] : f32
  %s = sched.read @meta[0, 8] : i64
  %f = sched.read @sum[4, 4] : f32
  // CHECK-NEXT: %[[W:.*]] = sched.members : i64
  // CHECK-NEXT: %[[R:.*]] = sched.rank : i64
  %w = sched.members : i64
  %r = sched.rank : i64
  // CHECK-NEXT: %[[A:.*]] = arith.addi %[[W]], %[[R]]
  %a = arith.addi %w, %r : i64
  // CHECK-NEXT: %[[GO:.*]] = arith.cmpi slt, %[[S]], %[[A]]
  %go = arith.cmpi slt, %s, %a : i64
  // CHECK-NEXT: sched.return %[[GO]] : i1
  sched.return %go : i1
}

// CHECK-LABEL: sched.program @gradient {
sched.program @gradient {
  // CHECK-NEXT: sched.run @empty
  sched.run @empty
  // CHECK-NEXT: sched.return{{$}}
  sched.return
}

// Attributes outside operations have their full form.
// CHECK: func.func @attributes() attributes {
// CHECK-SAME: place = #sched.place<@w[8]>
// CHECK-SAME: range = #sched.range<@w[8, 16]>
// CHECK-SAME: typed = #sched.typed_range<@w[8, 16] : f64>
func.func @attributes() attributes {
    place = #sched.place<@w[8]>,
    range = #sched.range<@w[8, 16]>, typed = #sched.typed_range<@w[8, 16] : f64>} {
  return
}
