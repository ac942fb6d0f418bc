// The program of local-sgd, line by line.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"local-sgd">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @average on @world kind(collective)
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen : tensor<i64> role(counter)
// CHECK-NEXT: gsync.cell @budget : tensor<i64> role(setting)
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.role @worker on @world {
// CHECK-NEXT: gsync.strand {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: %[[STATE0:.+]] = gsync.load @state0 : tensor<6xf32>
// Local steps start from @w, with this member's own optimizer state.
// CHECK-NEXT: %[[MEMBERS:.+]], %[[RANK:.+]] = gsync.view @world : i64, i64
// CHECK-NEXT: %[[TENSOR:.+]] = tensor.from_elements %[[MEMBERS]] : tensor<i64>
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[ZERO1:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[D0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[ZERO2:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[C:.+]] = arith.constant 8 : i64
// The same number of steps on every member.
// CHECK-NEXT: %[[RESULTS:.+]]:4, %[[COUNT:.+]] = gsync.repeat at_least(%[[C]]) at_most(%[[C]]) iter(%[[W]], %[[STATE0]], %[[ZERO1]], %[[ZERO2]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>, tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[A:.+]]: i64, %[[A1:.+]]: tensor<6xf32>, %[[A2:.+]]: tensor<6xf32>, %[[A3:.+]]: tensor<i64>, %[[A4:.+]]: tensor<f64>):
// The clock of schedules: as if all members were as far as this one.
// CHECK-NEXT: %[[V:.+]] = arith.muli %[[A3]], %[[TENSOR]] : tensor<i64>
// CHECK-NEXT: %[[V1:.+]] = arith.addi %[[SEEN]], %[[V]] : tensor<i64>
// The average acknowledges the batches it contains.
// CHECK-NEXT: %[[BATCH:.+]]:4 = gsync.next_batch from(queue acked_by(@average))
// CHECK-NEXT: %[[GRAD:.+]]:4 = func.call @gradient(%[[A1]], %[[BATCH]]#0, %[[BATCH]]#1, %[[BATCH]]#2, %[[BATCH]]#3, %[[V1]], %[[ZERO]])
// CHECK-NEXT: %[[V2:.+]] = arith.addi %[[ZERO1]], %[[GRAD]]#1 : tensor<i64>
// CHECK-NEXT: %[[D1:.+]] = arith.addi %[[D0]], %[[GRAD]]#2 : tensor<i64>
// CHECK-NEXT: %[[V3:.+]] = arith.addf %[[ZERO2]], %[[GRAD]]#3 : tensor<f64>
// CHECK-NEXT: %[[V4:.+]] = arith.muli %[[V2]], %[[TENSOR]] : tensor<i64>
// CHECK-NEXT: %[[BASE_LR:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[LR:.+]] = func.call @lr(%[[V1]], %[[V4]], %[[BASE_LR]], %[[BUDGET]])
// CHECK-NEXT: %[[STEP:.+]]:2 = func.call @step(%[[A1]], %[[A2]], %[[GRAD]]#0, %[[D1]], %[[LR]])
// CHECK-NEXT: %[[V5:.+]] = arith.subf %[[A1]], %[[STEP]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[V6:.+]] = arith.addi %[[A3]], %[[V2]] : tensor<i64>
// CHECK-NEXT: %[[V7:.+]] = arith.addf %[[A4]], %[[V3]] : tensor<f64>
// CHECK-NEXT: gsync.yield %[[V5]], %[[STEP]]#1, %[[V6]], %[[V7]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// The copies are averaged by their displacements; counts, losses and stop
// requests ride along. The number of contributors is a sum as well.
// CHECK-NEXT: %[[V8:.+]] = arith.subf %[[RESULTS]]#0, %[[W]] : tensor<6xf32>
// CHECK-NEXT: %[[C1:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[TENSOR1:.+]] = tensor.from_elements %[[C1]] : tensor<i64>
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
// CHECK-NEXT: %[[FUTURE:.+]] = gsync.all_reduce sum on @average(%[[V8]], %[[TENSOR1]], %[[RESULTS]]#2, %[[RESULTS]]#3, %[[STOP]])
// CHECK-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[FUTURE]]
// CHECK-NEXT: %[[HOST:.+]] = tensor.extract %[[SUMS]]#1[] : tensor<i64>
// Cells change only here, behind the last operation that may fail. The
// optimizer's state is kept as it is.
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[A5:.+]]: tensor<6xf32>, %[[A6:.+]]: tensor<6xf32>, %[[A7:.+]]: tensor<i64>):
// CHECK-NEXT: %[[V9:.+]] = arith.sitofp %[[HOST]] : i64 to f64
// CHECK-NEXT: %[[V10:.+]] = arith.truncf %[[V9]] : f64 to f32
// CHECK-NEXT: %[[SPLAT:.+]] = tensor.splat %[[V10]] : tensor<6xf32>
// CHECK-NEXT: %[[V11:.+]] = arith.divf %[[SUMS]]#0, %[[SPLAT]] : tensor<6xf32>
// CHECK-NEXT: %[[V12:.+]] = arith.addf %[[A5]], %[[V11]] : tensor<6xf32>
// CHECK-NEXT: %[[V13:.+]] = arith.addi %[[A7]], %[[SUMS]]#2 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[V12]], %[[RESULTS]]#1, %[[V13]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: %[[SEEN1:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[HOST1:.+]] = tensor.extract %[[SEEN1]][] : tensor<i64>
// CHECK-NEXT: %[[BUDGET1:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[HOST2:.+]] = tensor.extract %[[BUDGET1]][] : tensor<i64>
// CHECK-NEXT: %[[TEST:.+]] = arith.cmpi slt, %[[HOST1]], %[[HOST2]] : i64
// CHECK-NEXT: %[[HOST3:.+]] = tensor.extract %[[SUMS]]#4[] : tensor<i64>
// CHECK-NEXT: %[[C2:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[TEST1:.+]] = arith.cmpi eq, %[[HOST3]], %[[C2]] : i64
// CHECK-NEXT: %[[V14:.+]] = arith.andi %[[TEST]], %[[TEST1]] : i1
// CHECK-NEXT: gsync.next %[[V14]]
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W1:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: gsync.yield %[[W1]] : tensor<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: gsync.train
