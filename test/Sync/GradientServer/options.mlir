// What the options of dc-asgd and ssp change, and what they may be.
// RUN: rubato-opt %s --choose-algorithm="algorithm=dc-asgd options=adaptive=false options=lambda=0.5 options=batches=3" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=CONSTANT
// RUN: rubato-opt %s --choose-algorithm="algorithm=dc-asgd options=lambda=0" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=PLAIN,FREE
// RUN: rubato-opt %s --choose-algorithm="algorithm=ssp" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=PLAIN,HELD
// RUN: rubato-opt %s --choose-algorithm="algorithm=dc-asgd options=slack=0 options=decay=0.5 options=epsilon=0.25" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=BOTH
// RUN: not rubato-opt %s --choose-algorithm="algorithm=dc-asgd options=batches=0" 2>&1 | FileCheck %s --check-prefix=BATCHES
// RUN: not rubato-opt %s --choose-algorithm="algorithm=dc-asgd options=epsilon=0" 2>&1 | FileCheck %s --check-prefix=EPSILON
// RUN: not rubato-opt %s --choose-algorithm="algorithm=ssp options=slack=-2" 2>&1 | FileCheck %s --check-prefix=SLACK

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }

// CONSTANT-NOT: gsync.cell @mean_square
// CONSTANT: gsync.role @worker
// CONSTANT: arith.constant 3 : i64
// CONSTANT: gsync.role @server
// CONSTANT: gsync.collect
// CONSTANT: arith.constant 5.000000e-01 : f64
// CONSTANT: %[[FACTOR:.+]] = tensor.splat
// CONSTANT-NOT: math.sqrt
// CONSTANT: %[[CHANGE:.+]] = arith.mulf
// CONSTANT: arith.mulf %[[FACTOR]],

// Nothing is corrected: the model does not travel back.
// FREE: gsync.channel @ps on @all kind(mailbox) server(@server){{$}}
// HELD: gsync.channel @ps on @all kind(mailbox) server(@server) ahead(3)
// PLAIN-NOT: @mean_square
// PLAIN: gsync.push on @ps(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) ticket({{.*}}) : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<i64>
// PLAIN: %[[U:.+]]:4, %{{.+}} = gsync.collect
// PLAIN: gsync.atomic (@w, @state0, @seen)
// PLAIN: func.call @step(%{{.+}}, %{{.+}}, %[[U]]#0, %[[U]]#2,

// BOTH: gsync.channel @ps on @all kind(mailbox) server(@server) ahead(0)
// BOTH: gsync.cell @mean_square
// BOTH: gsync.atomic (@mean_square)
// BOTH: arith.constant 5.000000e-01 : f64
// BOTH: arith.constant 2.500000e-01 : f64
// BOTH: math.sqrt

// BATCHES: error: option 'batches' of dc-asgd must be a whole number, at least 1, at most 1e+06, not '0'
// EPSILON: error: option 'epsilon' of dc-asgd must be a number, at least 1e-30, at most 1, not '0'
// SLACK: error: option 'slack' of ssp must be a whole number, at least -1, not '-2'
