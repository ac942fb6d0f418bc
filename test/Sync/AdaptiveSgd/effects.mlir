// Upstream passes leave the program what it is: the same questions, batches,
// reductions and changes of cells, in the same order.
// RUN: rubato-opt %s --expand-algorithm --canonicalize --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --cse --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --sccp --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --inline --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --loop-invariant-code-motion --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --symbol-dce --canonicalize --verify-train --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
gsync.train algorithm(#adaptive_sgd.algorithm) learning_rate(5.000000e-02)

// CHECK: func.func private @norm
// CHECK: gsync.init {
// CHECK: gsync.atomic (@wprev)
// CHECK: gsync.strand {
// CHECK: gsync.load @w :
// CHECK: scf.while
// CHECK: gsync.ask @dispatch::@claim
// CHECK: scf.condition
// CHECK: gsync.repeat
// CHECK: gsync.next_batch from(range(
// CHECK: call @gradient
// CHECK: gsync.yield
// CHECK: call @lr
// CHECK: call @step
// CHECK: scf.yield
// CHECK: call @norm
// CHECK-NEXT: gsync.ask @dispatch::@weight
// CHECK: gsync.stop_requested
// CHECK: gsync.all_reduce
// CHECK-NEXT: gsync.await
// CHECK: scf.if
// CHECK-NEXT: gsync.atomic (@w, @seen, @wprev) {
// CHECK: gsync.load @seen
// CHECK: gsync.next
// CHECK: gsync.model
