// The program of lb-bsp, line by line.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"lb-bsp">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @grads on @world kind(collective)
// Shares are split centrally: who computes how much is known when all have
// asked.
// CHECK-NEXT: gsync.policy @shares "balance.shares" central with {batch = 0 : i64, quantum = 4 : i64, smoothing = 0.69999999999999996 : f64} {
// CHECK-NEXT: gsync.entry @share : (i64, f64) -> (i64, i64)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen : tensor<i64> role(counter)
// CHECK-NEXT: gsync.cell @budget : tensor<i64> role(setting)
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// What a member reports with its next question.
// CHECK-NEXT: gsync.cell @measured_samples : i64 role(state)
// CHECK-NEXT: gsync.cell @measured_seconds : f64 role(state)
// CHECK-NEXT: gsync.role @worker on @world {
// CHECK-NEXT: gsync.strand {
// The rows of this round, as many quanta as they fill.
// CHECK-NEXT: %[[MEASURED_SAMPLES:.+]] = gsync.load @measured_samples : i64
// CHECK-NEXT: %[[MEASURED_SECONDS:.+]] = gsync.load @measured_seconds : f64
// CHECK-NEXT: %[[ANSWER:.+]]:2 = gsync.ask @shares::@share(%[[MEASURED_SAMPLES]], %[[MEASURED_SECONDS]]) : (i64, f64) -> (i64, i64)
// CHECK-NEXT: %[[C:.+]] = arith.constant 4 : i64
// CHECK-NEXT: %[[V:.+]] = arith.subi %[[ANSWER]]#1, %[[ANSWER]]#0 : i64
// CHECK-NEXT: %[[V1:.+]] = arith.ceildivsi %[[V]], %[[C]] : i64
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[ZERO1:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[D0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[ZERO2:.+]] = gsync.zero : tensor<f64>
// Only the computation is timed, not the wait for others.
// CHECK-NEXT: %[[NOW:.+]] = gsync.now : f64
// CHECK-NEXT: %[[RESULTS:.+]]:4, %[[COUNT:.+]] = gsync.repeat at_least(%[[V1]]) at_most(%[[V1]]) iter(%[[ZERO]], %[[ZERO1]], %[[D0]], %[[ZERO2]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[A:.+]]: i64, %[[A1:.+]]: tensor<6xf32>, %[[A2:.+]]: tensor<i64>, %[[D:.+]]: tensor<i64>, %[[A3:.+]]: tensor<f64>):
// CHECK-NEXT: %[[V2:.+]] = arith.muli %[[A]], %[[C]] : i64
// CHECK-NEXT: %[[V3:.+]] = arith.addi %[[ANSWER]]#0, %[[V2]] : i64
// CHECK-NEXT: %[[V4:.+]] = arith.addi %[[V3]], %[[C]] : i64
// The last quantum may be a part of one.
// CHECK-NEXT: %[[V5:.+]] = arith.minsi %[[V4]], %[[ANSWER]]#1 : i64
// CHECK-NEXT: %[[BATCH:.+]]:4 = gsync.next_batch from(range(%[[V3]], %[[V5]]))
// CHECK-NEXT: %[[GRAD:.+]]:4 = func.call @gradient(%[[W]], %[[BATCH]]#0, %[[BATCH]]#1, %[[BATCH]]#2, %[[BATCH]]#3, %[[SEEN]], %[[A1]])
// CHECK-NEXT: %[[V6:.+]] = arith.addi %[[A2]], %[[GRAD]]#1 : tensor<i64>
// CHECK-NEXT: %[[D1:.+]] = arith.addi %[[D]], %[[GRAD]]#2 : tensor<i64>
// CHECK-NEXT: %[[V7:.+]] = arith.addf %[[A3]], %[[GRAD]]#3 : tensor<f64>
// CHECK-NEXT: gsync.yield %[[GRAD]]#0, %[[V6]], %[[D1]], %[[V7]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// CHECK-NEXT: %[[NOW1:.+]] = gsync.now : f64
// CHECK-NEXT: %[[V8:.+]] = arith.subf %[[NOW1]], %[[NOW]] : f64
// The trip count was a local fact; the reduction is reached by all.
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
// CHECK-NEXT: %[[FUTURE:.+]] = gsync.all_reduce sum on @grads(%[[RESULTS]]#0, %[[RESULTS]]#1, %[[RESULTS]]#2, %[[RESULTS]]#3, %[[STOP]])
// CHECK-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[FUTURE]]
// CHECK-NEXT: %[[BASE_LR:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[A4:.+]]: tensor<6xf32>, %[[A5:.+]]: tensor<6xf32>, %[[A6:.+]]: tensor<i64>):
// CHECK-NEXT: %[[LR:.+]] = func.call @lr(%[[A6]], %[[SUMS]]#1, %[[BASE_LR]], %[[BUDGET]])
// CHECK-NEXT: %[[STEP:.+]]:2 = func.call @step(%[[A4]], %[[A5]], %[[SUMS]]#0, %[[SUMS]]#2, %[[LR]])
// CHECK-NEXT: %[[V9:.+]] = arith.subf %[[A4]], %[[STEP]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[V10:.+]] = arith.addi %[[A6]], %[[SUMS]]#1 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[V9]], %[[STEP]]#1, %[[V10]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// Measurements change behind the last operation that may fail.
// CHECK-NEXT: gsync.atomic (@measured_samples, @measured_seconds) {
// CHECK-NEXT: ^bb0(%[[A7:.+]]: i64, %[[A8:.+]]: f64):
// CHECK-NEXT: gsync.yield cells(%[[V]], %[[V8]] : i64, f64)
// CHECK-NEXT: }
// CHECK-NEXT: %[[SEEN1:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[HOST:.+]] = tensor.extract %[[SEEN1]][] : tensor<i64>
// CHECK-NEXT: %[[BUDGET1:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[HOST1:.+]] = tensor.extract %[[BUDGET1]][] : tensor<i64>
// CHECK-NEXT: %[[TEST:.+]] = arith.cmpi slt, %[[HOST]], %[[HOST1]] : i64
// CHECK-NEXT: %[[HOST2:.+]] = tensor.extract %[[SUMS]]#4[] : tensor<i64>
// CHECK-NEXT: %[[C1:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[TEST1:.+]] = arith.cmpi eq, %[[HOST2]], %[[C1]] : i64
// CHECK-NEXT: %[[V11:.+]] = arith.andi %[[TEST]], %[[TEST1]] : i1
// CHECK-NEXT: gsync.next %[[V11]]
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W1:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: gsync.yield %[[W1]] : tensor<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: gsync.train
