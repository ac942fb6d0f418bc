// Upstream passes leave the program what it is: the same operations on
// channels, policies, cells and the clock, in the same order. The timed
// gradients of the start stay, although nobody reads them.
// RUN: rubato-opt %s --expand-algorithm --canonicalize | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --cse | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --sccp | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --inline | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --loop-invariant-code-motion | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --symbol-dce --canonicalize --verify-train | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"a2cid2">) learning_rate(5.000000e-02)

// CHECK: func.func private @mix
// CHECK: math.expm1
// CHECK: gsync.init {
// CHECK: gsync.broadcast
// CHECK: gsync.await
// CHECK: gsync.ask @match::@constants
// CHECK: gsync.repeat
// CHECK: gsync.now
// CHECK-NEXT: gsync.next_batch from(peek)
// CHECK-NEXT: call @gradient
// CHECK: gsync.atomic
// CHECK: gsync.now
// CHECK: gsync.strand @compute {
// CHECK: gsync.now
// CHECK: gsync.view
// CHECK: gsync.ask @match::@constants
// CHECK: gsync.load @w
// CHECK: gsync.next_batch from(queue)
// CHECK: call @gradient
// CHECK: gsync.stop_requested
// CHECK: gsync.ask @match::@report
// CHECK: gsync.atomic
// CHECK: gsync.now
// CHECK-NEXT: call @mix
// CHECK: call @lr
// CHECK: call @step
// CHECK: gsync.meet @turn
// CHECK: gsync.atomic
// CHECK: gsync.now
// CHECK: gsync.next
// CHECK: gsync.strand @gossip {
// CHECK: gsync.ask @match::@next
// CHECK: gsync.atomic
// CHECK: gsync.now
// CHECK-NEXT: call @mix
// CHECK: gsync.exchange
// CHECK-NEXT: gsync.await
// CHECK-NEXT: gsync.atomic
// CHECK: gsync.now
// CHECK-NEXT: call @mix
// CHECK: gsync.ask @quota::@averaged
// CHECK: gsync.meet @turn
// CHECK: gsync.next
// CHECK: gsync.drain {
// CHECK: gsync.all_reduce
// CHECK-NEXT: gsync.await
// CHECK: gsync.atomic
// CHECK: gsync.model {
// CHECK: gsync.all_reduce
// CHECK-NEXT: gsync.await
