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
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(5.000000e-02)

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
// CHECK-NEXT: gsync.stop_requested
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
