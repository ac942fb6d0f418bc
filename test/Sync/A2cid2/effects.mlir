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
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %v: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
gsync.train algorithm(#a2cid2.algorithm) learning_rate(5.000000e-02)

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
