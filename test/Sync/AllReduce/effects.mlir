// Upstream passes leave the program what it is: the same operations on
// channels, cells and data, in the same order, and every training function.
// RUN: rubato-opt %s --expand-algorithm --canonicalize --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --cse --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --sccp --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --inline --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --symbol-dce --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --remove-dead-values --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --symbol-dce --canonicalize --verify-train --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %v: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
gsync.train algorithm(#allreduce.algorithm) learning_rate(5.000000e-02)

// CHECK: nn.layout @params
// CHECK: func.func @gradient
// CHECK: func.func @evaluate
// CHECK: func.func @step
// CHECK: func.func @lr
// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @grads
// CHECK-NEXT: gsync.cell @w
// CHECK-NEXT: gsync.cell @state0
// CHECK-NEXT: gsync.cell @seen
// CHECK-NEXT: gsync.cell @budget
// CHECK-NEXT: gsync.cell @base_lr
// CHECK: gsync.role @worker on @world {
// CHECK-NEXT: gsync.strand {
// CHECK-DAG: gsync.load @w :
// CHECK-DAG: gsync.load @seen :
// CHECK-DAG: gsync.quanta
// CHECK: gsync.repeat
// CHECK: gsync.next_batch
// CHECK-NEXT: call @gradient
// CHECK: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: gsync.next_batch
// CHECK-NEXT: call @gradient
// CHECK: gsync.stop_requested
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @grads
// CHECK-NEXT: gsync.await %[[F]]
// CHECK: gsync.atomic (@w, @state0, @seen) {
// CHECK: call @lr
// CHECK-NEXT: call @step
// CHECK: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: gsync.load @seen
// CHECK: gsync.next %
// CHECK: gsync.model {
// CHECK-NEXT: gsync.load @w
// CHECK-NEXT: gsync.yield
