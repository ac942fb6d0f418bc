// Upstream passes leave the program what it is: the same questions, batches,
// reductions and changes of cells, in the same order.
// RUN: rubato-opt %s --expand-algorithm --canonicalize --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --cse --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --sccp --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --inline --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --loop-invariant-code-motion --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --symbol-dce --canonicalize --verify-train --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"adaptive-sgd">) learning_rate(5.000000e-02)

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
