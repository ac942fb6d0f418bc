// RUN: rubato-opt %s --sched-emit-unit='weights-size=12' -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: llvm.mlir.global private constant @rubato_manifest("{}\00")
// CHECK: llvm.mlir.global external constant @rubato_weights() {{.*}} : !llvm.array<12 x i8>
// CHECK: llvm.mlir.global external constant @rubato_unit() {{.*}} : !llvm.struct<(i32, i32, ptr, i64, ptr, i64, ptr, ptr, ptr, i64)>
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(2 : i64)
// There is no gradient and no table of functions.
// CHECK: %[[GRADIENT:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[EVALUATE:.*]] = llvm.mlir.addressof @program.evaluate
// CHECK: %[[FUNCTIONS:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3]
// CHECK: llvm.insertvalue %[[GRADIENT]], %{{.*}}[6]
// CHECK: llvm.insertvalue %[[EVALUATE]], %{{.*}}[7]
// CHECK: llvm.insertvalue %[[FUNCTIONS]], %{{.*}}[8]
// CHECK: llvm.insertvalue %[[COUNT]], %{{.*}}[9]
llvm.func internal @program.evaluate(%ctx: !llvm.ptr) -> i32 {
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}

// -----

// expected-error @+1 {{the name 'rubato_weights' is reserved for the compiled unit}}
llvm.func @rubato_weights(!llvm.ptr, i64, i64, !llvm.ptr)
