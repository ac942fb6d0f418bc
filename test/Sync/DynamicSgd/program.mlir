// The program of dynamic-sgd, line by line.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"dynamic-sgd">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world elastic(1 to 128)
// CHECK-NEXT: gsync.channel @grads on @world kind(collective)
// The factor on the learning rate, the same on every member.
// CHECK-NEXT: gsync.policy @ramp "dynamic.ramp" replicated with {"base-members" = 0 : i64, length = -1 : i64, "per-ratio" = 8.000000e+00 : f64, rule = "ramp", shrink = "none"} {
// CHECK-NEXT: gsync.entry @factor : (i64) -> (f64, i1)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen : tensor<i64> role(counter)
// CHECK-NEXT: gsync.cell @budget : tensor<i64> role(setting)
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.role @worker on @world {
// CHECK-NEXT: gsync.strand {
// CHECK-NEXT: %[[MEMBERS:.+]], %[[RANK:.+]] = gsync.view @world : i64, i64
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen : tensor<i64>
// As in allreduce: all micro-batches but the last, then the last.
// CHECK-NEXT: %[[QUANTA:.+]] = gsync.quanta : i64
// CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[ZERO1:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[D0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[ZERO2:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[RESULTS:.+]]:4, %[[COUNT:.+]] = gsync.repeat at_least(%[[QUANTA]]) at_most(%[[QUANTA]]) iter(%[[ZERO]], %[[ZERO1]], %[[D0]], %[[ZERO2]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[A:.+]]: i64, %[[A1:.+]]: tensor<6xf32>, %[[A2:.+]]: tensor<i64>, %[[D:.+]]: tensor<i64>, %[[A3:.+]]: tensor<f64>):
// CHECK-NEXT: %[[BATCH:.+]]:4 = gsync.next_batch from(cursor)
// CHECK-NEXT: %[[GRAD:.+]]:4 = func.call @gradient(%[[W]], %[[BATCH]]#0, %[[BATCH]]#1, %[[BATCH]]#2, %[[BATCH]]#3, %[[SEEN]], %[[A1]])
// CHECK-NEXT: %[[V1:.+]] = arith.addi %[[A2]], %[[GRAD]]#1 : tensor<i64>
// CHECK-NEXT: %[[D1:.+]] = arith.addi %[[D]], %[[GRAD]]#2 : tensor<i64>
// CHECK-NEXT: %[[V2:.+]] = arith.addf %[[A3]], %[[GRAD]]#3 : tensor<f64>
// CHECK-NEXT: gsync.yield %[[GRAD]]#0, %[[V1]], %[[D1]], %[[V2]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
// CHECK-NEXT: %[[FUTURE:.+]] = gsync.all_reduce sum on @grads(%[[RESULTS]]#0, %[[RESULTS]]#1, %[[RESULTS]]#2, %[[RESULTS]]#3, %[[STOP]])
// CHECK-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[FUTURE]]
// CHECK-NEXT: %[[HOST:.+]] = tensor.extract %[[SUMS]]#1[] : tensor<i64>
// The vote: nothing has changed before it. Where samples are missing, all skip
// the update, and the same samples come again.
// CHECK-NEXT: %[[ROUND:.+]] = gsync.round_samples : i64
// CHECK-NEXT: %[[OK:.+]] = gsync.commit on @world expect(%[[HOST]], %[[ROUND]]) : i1
// CHECK-NEXT: scf.if %[[OK]] {
// Each question is one applied update; the member count is that of the round.
// CHECK-NEXT: %[[ANSWER:.+]]:2 = gsync.ask @ramp::@factor(%[[MEMBERS]]) : (i64) -> (f64, i1)
// CHECK-NEXT: %[[V5:.+]] = arith.truncf %[[ANSWER]]#0 : f64 to f32
// CHECK-NEXT: %[[SPLAT:.+]] = tensor.splat %[[V5]] : tensor<f32>
// CHECK-NEXT: %[[BASE_LR:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[A4:.+]]: tensor<6xf32>, %[[A5:.+]]: tensor<6xf32>, %[[A6:.+]]: tensor<i64>):
// CHECK-NEXT: %[[ZERO3:.+]] = gsync.zero : tensor<6xf32>
// Momentum starts from zero where the policy says so.
// CHECK-NEXT: %[[V6:.+]] = arith.select %[[ANSWER]]#1, %[[ZERO3]], %[[A5]] : tensor<6xf32>
// CHECK-NEXT: %[[LR:.+]] = func.call @lr(%[[A6]], %[[SUMS]]#1, %[[BASE_LR]], %[[BUDGET]])
// The factor acts on the learning rate only; momentum is never rescaled.
// CHECK-NEXT: %[[V7:.+]] = arith.mulf %[[LR]], %[[SPLAT]] : tensor<f32>
// CHECK-NEXT: %[[STEP:.+]]:2 = func.call @step(%[[A4]], %[[V6]], %[[SUMS]]#0, %[[SUMS]]#2, %[[V7]])
// CHECK-NEXT: %[[V8:.+]] = arith.subf %[[A4]], %[[STEP]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[V9:.+]] = arith.addi %[[A6]], %[[SUMS]]#1 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[V8]], %[[STEP]]#1, %[[V9]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %[[SEEN1:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[HOST1:.+]] = tensor.extract %[[SEEN1]][] : tensor<i64>
// CHECK-NEXT: %[[BUDGET1:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[HOST2:.+]] = tensor.extract %[[BUDGET1]][] : tensor<i64>
// CHECK-NEXT: %[[TEST:.+]] = arith.cmpi slt, %[[HOST1]], %[[HOST2]] : i64
// CHECK-NEXT: %[[HOST3:.+]] = tensor.extract %[[SUMS]]#4[] : tensor<i64>
// CHECK-NEXT: %[[C1:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[TEST1:.+]] = arith.cmpi eq, %[[HOST3]], %[[C1]] : i64
// CHECK-NEXT: %[[V10:.+]] = arith.andi %[[TEST]], %[[TEST1]] : i1
// CHECK-NEXT: gsync.next %[[V10]]
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W1:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: gsync.yield %[[W1]] : tensor<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: gsync.train
