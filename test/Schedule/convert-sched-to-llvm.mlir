// RUN: rubato-opt %s --convert-sched-to-llvm | FileCheck %s --implicit-check-not=sched.
// Nothing in a unit is mutable.
// RUN: rubato-opt %s --convert-sched-to-llvm | FileCheck %s --check-prefix=CONST
// RUN: rubato-opt %s --convert-sched-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// CHECK: module attributes {rubato.events = 3 : i64}

// CONST-COUNT-12: llvm.mlir.global private unnamed_addr constant
// CONST-NOT: llvm.mlir.global

// IR-DAG: @info.first = private unnamed_addr constant { ptr, ptr, i64, i64 } { ptr @name.first, ptr @touched.first, i64 2, i64 3 }
// The values whose addresses the launches have, by their regions.
// IR-DAG: @touched.first = private unnamed_addr constant [2 x i32] [i32 3, i32 4]
// IR-DAG: @info.second = private unnamed_addr constant { ptr, ptr, i64, i64 } { ptr @name.second, ptr null, i64 0, i64 0 }
// IR-DAG: @name.first = private unnamed_addr constant [6 x i8] c"first\00"
// IR-DAG: @kernel.fc1.forward = private unnamed_addr constant { ptr, ptr, ptr, i64, i64, i64, i64, ptr } { ptr @name.fc1.forward, ptr @fc1.forward, ptr null, i64 3, i64 1, i64 0, i64 1, ptr null }
// A range that is read and written is one access of both modes.
// IR-DAG: @accesses.first.0 = private unnamed_addr constant [3 x { i32, i32, i64, i64 }] [{ i32, i32, i64, i64 } { i32 0, i32 1, i64 100, i64 16 }, { i32, i32, i64, i64 } { i32 0, i32 3, i64 208, i64 32 }, { i32, i32, i64, i64 } { i32 1, i32 2, i64 0, i64 8 }]
// Operands count elements, 64 bytes of f32 in value 1.
// IR-DAG: @operand.second.2 = private unnamed_addr constant [1 x { i32, i32, i64, i64 }] [{ i32, i32, i64, i64 } { i32 4, i32 0, i64 0, i64 16 }]
// IR-DAG: @operand.second.3 = private unnamed_addr constant [1 x { i32, i32, i64, i64 }] [{ i32, i32, i64, i64 } { i32 3, i32 1, i64 16, i64 6 }]

sched.arena private(8589934592) scratch(128)
sched.buffer @x private at(100) bytes(100)
sched.buffer @h private at(200) bytes(64)
sched.buffer @far private at(4294967296) bytes(64)
sched.buffer @out scratch at(0) bytes(64)
sched.buffer @meta private at(4294967360) bytes(64)
sched.buffer @v value at(0) bytes(64)
sched.buffer @grad value at(1) bytes(64)

// Declared kernels take their C form; the tensors are gone.
// CHECK: llvm.func @fc1.forward(!llvm.ptr, i64, i64, !llvm.ptr)
func.func private @fc1.forward(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {rubato.kernel}
// CHECK: llvm.func @defined(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) {
llvm.func @defined(%args: !llvm.ptr, %lo: i64, %hi: i64, %workspace: !llvm.ptr) {
  llvm.return
}

// CHECK-LABEL: llvm.func internal @segment.first(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr) -> i32 {
// One array for the largest launch.
// CHECK: %[[MOST:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: %[[ARGS:.*]] = llvm.alloca %[[MOST]] x !llvm.ptr
// CHECK: %[[INFO:.*]] = llvm.mlir.addressof @info.first
// CHECK: %[[REPLAYED:.*]] = llvm.alloca %{{.*}} x i32
// CHECK: %[[S:.*]] = llvm.call @rb_segment_begin(%[[CTX]], %[[INFO]], %[[REPLAYED]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[BAD:.*]] = llvm.icmp "ne" %[[S]], %[[ZERO]]
// CHECK: llvm.cond_br %[[BAD]], ^[[FAIL:.*]](%[[S]] : i32), ^[[NEXT:.*]]
// CHECK: ^[[NEXT]]:
// What the device has done again by itself is not done a second time.
// CHECK: %[[AGAIN:.*]] = llvm.load %[[REPLAYED]]
// CHECK: %[[DONE:.*]] = llvm.icmp "ne" %[[AGAIN]]
// CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.cond_br %[[DONE]], ^[[FAIL]](%[[OK]] : i32), ^[[LINE:.*]]
// CHECK: ^[[LINE]]:
// CHECK: %[[REGIONS:.*]] = llvm.call @rb_regions(%[[CTX]])
// CHECK: llvm.getelementptr %[[REGIONS]][0]
// CHECK: %[[PRIVATE:.*]] = llvm.load
// CHECK-NOT: llvm.getelementptr %[[REGIONS]][1]
// CHECK: %[[AT:.*]] = llvm.mlir.constant(104 : i64)
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %[[PRIVATE]][%[[AT]]] {{.*}}, i8
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK: llvm.store %[[ADDRESS]], %[[SLOT]]
// Offsets are 64 bits wide.
// CHECK: llvm.mlir.constant(4294967300 : i64)
// CHECK: llvm.getelementptr %[[ARGS]][2]
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @kernel.fc1.forward
// CHECK: %[[ACCESSES:.*]] = llvm.mlir.addressof @accesses.first.0
// CHECK: %[[LANE:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[LO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[HI:.*]] = llvm.mlir.constant(7 : i64)
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: llvm.call @rb_launch(%[[CTX]], %[[LANE]], %[[KERNEL]], %[[ARGS]], %[[LO]], %[[HI]], %[[ACCESSES]], %[[COUNT]])
// CHECK: llvm.cond_br {{.*}}, ^[[FAIL]](
// A launch without arguments or accesses passes null.
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @rb_launch({{.*}}, {{.*}}, {{.*}}, %[[NULL]],
// CHECK: llvm.call @rb_launch(
// CHECK: ^[[FAIL]](%[[STATUS:.*]]: i32):
// CHECK: llvm.return %[[STATUS]]
sched.segment @first {
  sched.launch compute @fc1.forward [2, 7] args(@x[4], @h, @far[4]) reads(@x[0, 16], @h[8, 32]) writes(@h[8, 32], @out[0, 8])
  sched.launch comm @defined [0, 1]
  sched.launch compute @defined [0, 1] args(@v[4], @grad)
  %e = sched.record compute
}

// Events are numbered over the module.
// CHECK-LABEL: llvm.func internal @segment.second(
// CHECK-NOT: rb_regions
// CHECK: %[[E1:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @rb_record({{.*}}, {{.*}}, %[[E1]])
// CHECK: %[[COMM:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[W1:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @rb_wait({{.*}}, %[[COMM]], %[[W1]])
// Whose operand, from where and to where, and how much of the work is done.
// CHECK: %[[OPERAND:.*]] = llvm.mlir.addressof @operand.second.2
// CHECK: %[[LANE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[CHANNEL:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[FROM:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[TO:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(2.500000e-01 : f64)
// CHECK: llvm.call @rb_ready(%{{.*}}, %[[LANE]], %[[CHANNEL]], %[[OPERAND]], %[[FROM]], %[[TO]], %[[DONE]]) : (!llvm.ptr, i32, i32, !llvm.ptr, i64, i64, f64) -> i32
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.icmp "ne"
// CHECK-NEXT: llvm.cond_br
// Where nobody says: all of it here, nothing where something arrives.
// CHECK: llvm.mlir.addressof @operand.second.3
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(1.000000e+00 : f64)
// CHECK: llvm.call @rb_ready({{.*}}, %[[DONE]])
// Of what arrives, the value and how much of it is there then.
// CHECK: %[[LANE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[VALUE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(48 : i64)
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(0.000000e+00 : f64)
// CHECK: llvm.call @rb_arrive(%{{.*}}, %[[LANE]], %[[VALUE]], %[[BYTES]], %[[DONE]]) : (!llvm.ptr, i32, i32, i64, f64) -> i32
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.icmp "ne"
// CHECK-NEXT: llvm.cond_br
// CHECK: %[[DONE:.*]] = llvm.mlir.constant(7.500000e-01 : f64)
// CHECK: llvm.call @rb_arrive({{.*}}, %[[DONE]])
// CHECK: %[[E2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @rb_record({{.*}}, {{.*}}, %[[E2]])
// CHECK: %[[W2:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @rb_wait({{.*}}, {{.*}}, %[[W2]])
sched.segment @second {
  %e = sched.record compute
  sched.wait comm, %e
  sched.ready comm channel(3) bytes(8, 64) ins(@grad[0, 64] : f32) done(0.25)
  sched.ready comm channel(0) bytes(0, 48) ins(@v[16, 48] : f64)
  sched.arrive comm outs(@v[16, 32] : f32)
  sched.arrive comm outs(@v[48, 16] : f32) done(0.75)
  %d = sched.record comm
  sched.wait compute, %d
}

// CHECK-LABEL: llvm.func internal @program.round(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[GO:.*]]: !llvm.ptr) -> i32 {
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[M:.*]] = llvm.call @rb_members(%[[CTX]])
// CHECK: %[[R:.*]] = llvm.call @rb_rank(%[[CTX]])
// CHECK: %[[FIRST:.*]] = llvm.icmp "slt" %[[R]], %[[M]]
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: %[[S:.*]] = llvm.call @segment.first(%[[CTX]])
// CHECK: llvm.cond_br %{{.*}}, ^[[FAIL:.*]](%[[S]] : i32)
// CHECK: %[[S:.*]] = llvm.call @rb_read(%[[CTX]], %{{.*}}, %{{.*}}, %[[SLOT]], %{{.*}})
// CHECK: llvm.cond_br %{{.*}}, ^[[FAIL]](%[[S]] : i32)
// CHECK: llvm.load %[[SLOT]] : !llvm.ptr -> f64
// CHECK: %[[WIDE:.*]] = llvm.zext %{{.*}} : i1 to i32
// CHECK: llvm.store %[[WIDE]], %[[GO]]
sched.program @round -> i1 {
  %m = sched.members : i64
  %r = sched.rank : i64
  %first = arith.cmpi slt, %r, %m : i64
  scf.if %first {
    sched.run @first
  }
  %loss = sched.read @meta[8, 8] : f64
  %zero = arith.constant 0.0 : f64
  %go = arith.cmpf ogt, %loss, %zero : f64
  sched.return %go : i1
}

// Blocks, and a program that cannot fail and needs no stack.
// CHECK-LABEL: llvm.func internal @program.evaluate(
// CHECK-SAME: %{{.*}}: !llvm.ptr) -> i32 {
// CHECK-NOT: alloca
// CHECK: llvm.br ^[[LOOP:.*]](%{{.*}} : i64)
// CHECK: ^[[LOOP]](%{{.*}}: i64):
// CHECK: llvm.cond_br
sched.program @evaluate {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.br ^loop(%zero : index)
^loop(%i: index):
  %next = arith.addi %i, %one : index
  %q = sched.quanta : i64
  %n = arith.index_cast %q : i64 to index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next : index), ^end
^end:
  sched.return
}
