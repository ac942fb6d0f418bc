// RUN: rubato-opt %s --convert-sched-to-llvm | FileCheck %s

// What a device is told of a kernel, field by field (rb_kernel): its name, its form
// for the unit's own vectors and none for wider ones, how many arguments it has, its
// units, its workspace, its cost, and no form for another device.

// CHECK-LABEL: llvm.mlir.global private unnamed_addr constant @kernel.softmax()
// CHECK: %[[NAME:.*]] = llvm.mlir.addressof @name.softmax
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @softmax
// CHECK: %[[WIDE:.*]] = llvm.mlir.zero
// CHECK: %[[ARGS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[SPLIT:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: %[[WORKSPACE:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: %[[COST:.*]] = llvm.mlir.constant(4096 : i64)
// CHECK: %[[DEVICE:.*]] = llvm.mlir.zero
// CHECK: llvm.insertvalue %[[NAME]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[BASE]], %{{.*}}[1]
// CHECK: llvm.insertvalue %[[WIDE]], %{{.*}}[2]
// CHECK: llvm.insertvalue %[[ARGS]], %{{.*}}[3]
// CHECK: llvm.insertvalue %[[SPLIT]], %{{.*}}[4]
// CHECK: llvm.insertvalue %[[WORKSPACE]], %{{.*}}[5]
// CHECK: llvm.insertvalue %[[COST]], %{{.*}}[6]
// CHECK: llvm.insertvalue %[[DEVICE]], %{{.*}}[7]
sched.arena private(128)
sched.buffer @x private at(0) bytes(64)
sched.buffer @y private at(64) bytes(64)
llvm.func @softmax(!llvm.ptr, i64, i64, !llvm.ptr) attributes {rubato.kernel = #nn.kernel<rows, split = 128, workspace = 64>, rubato.cost = 4096 : i64}
sched.segment @s {
  sched.launch compute @softmax [0, 1] args(@x, @y) reads(@x[0, 64]) writes(@y[0, 64])
}
