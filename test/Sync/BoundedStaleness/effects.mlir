// Upstream passes leave the program what it is: the same operations on the
// mailbox and the cells, in the same order.
// RUN: rubato-opt %s --expand-algorithm --canonicalize --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --cse --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --sccp --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --inline --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --loop-invariant-code-motion --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --symbol-dce --canonicalize --verify-train --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"bounded-staleness">) learning_rate(5.000000e-02)

// CHECK: gsync.role @worker on @all {
// CHECK: gsync.init {
// CHECK: gsync.pull on @ps
// CHECK: gsync.strand
// CHECK: gsync.await
// CHECK: scf.if
// CHECK: gsync.pull on @ps
// CHECK: } else {
// CHECK: gsync.ready
// CHECK: gsync.repeat until(
// CHECK: gsync.next_batch from(keyed(
// CHECK: call @gradient
// CHECK: call @lr
// CHECK: call @step
// CHECK: gsync.yield
// CHECK: scf.if
// CHECK: gsync.stop_requested
// CHECK-NEXT: gsync.push on @ps
// CHECK: gsync.next
// CHECK: gsync.drain
// CHECK: gsync.await
// CHECK: gsync.role @server on @all device(host) {
// CHECK: gsync.workers
// CHECK: gsync.ask @rule::@start
// CHECK: gsync.grant on @ps
// CHECK: gsync.strand
// CHECK: gsync.collect
// CHECK: gsync.atomic (@w, @seen)
// CHECK: gsync.workers
// CHECK: gsync.stop_requested
// CHECK: gsync.ask @rule::@round
// CHECK: scf.if
// CHECK-NEXT: gsync.grant on @ps
// CHECK: gsync.next
// CHECK: gsync.drain
// CHECK-NEXT: gsync.close on @ps
// CHECK: gsync.model
