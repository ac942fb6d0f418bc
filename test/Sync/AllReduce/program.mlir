// The program of allreduce, line by line.
// RUN: rubato-opt %s --expand-algorithm --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(5.000000e-02)

// CHECK: module attributes {rubato.stage = "sync"}
// CHECK: func.func @gradient
// CHECK: func.func @evaluate
// CHECK: func.func @step
// CHECK: func.func @lr
// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @grads on @world kind(collective)
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen : tensor<i64> role(counter)
// CHECK-NEXT: gsync.cell @budget : tensor<i64> role(setting)
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.role @worker on @world {
// CHECK-NEXT: gsync.strand {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: %[[STEP:.+]] = gsync.load @seen : tensor<i64>
// All micro-batches are accumulated from zero.
// CHECK-NEXT: %[[QUANTA:.+]] = gsync.quanta : i64
// CHECK-NEXT: %[[G0:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[N0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[D0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[L0:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[R:.+]]:4, %{{.+}} = gsync.repeat at_least(%[[QUANTA]]) at_most(%[[QUANTA]]) iter(%[[G0]], %[[N0]], %[[D0]], %[[L0]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>) {
// CHECK-NEXT: ^bb0(%{{.+}}: i64, %[[G:.+]]: tensor<6xf32>, %[[N:.+]]: tensor<i64>, %[[D:.+]]: tensor<i64>, %[[L:.+]]: tensor<f64>):
// CHECK-NEXT: %[[B:.+]]:4 = gsync.next_batch from(cursor) : tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>
// CHECK-NEXT: %[[C:.+]]:4 = func.call @gradient(%[[W]], %[[B]]#0, %[[B]]#1, %[[B]]#2, %[[B]]#3, %[[STEP]], %[[G]])
// CHECK-NEXT: %[[N1:.+]] = arith.addi %[[N]], %[[C]]#1 : tensor<i64>
// CHECK-NEXT: %[[D1:.+]] = arith.addi %[[D]], %[[C]]#2 : tensor<i64>
// CHECK-NEXT: %[[L1:.+]] = arith.addf %[[L]], %[[C]]#3 : tensor<f64>
// CHECK-NEXT: gsync.yield %[[C]]#0, %[[N1]], %[[D1]], %[[L1]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// Counts, losses and stop requests ride with the gradients.
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @grads(%[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[STOP]]) : (tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>) -> !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>
// CHECK-NEXT: %[[S:.+]]:5 = gsync.await %[[F]]
// CHECK-NEXT: %[[BASE:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[OLD:.+]]: tensor<6xf32>, %[[V:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>):
// CHECK-NEXT: %[[LR:.+]] = func.call @lr(%[[SEEN]], %[[S]]#1, %[[BASE]], %[[BUDGET]])
// CHECK-NEXT: %[[D:.+]]:2 = func.call @step(%[[OLD]], %[[V]], %[[S]]#0, %[[S]]#2, %[[LR]])
// CHECK-NEXT: %[[NEW:.+]] = arith.subf %[[OLD]], %[[D]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[SEEN1:.+]] = arith.addi %[[SEEN]], %[[S]]#1 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[NEW]], %[[D]]#1, %[[SEEN1]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// On with the next round while samples are left and nobody asked to stop;
// both are the same on every member.
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[SEENI:.+]] = tensor.extract %[[SEEN]][] : tensor<i64>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[BUDGETI:.+]] = tensor.extract %[[BUDGET]][] : tensor<i64>
// CHECK-NEXT: %[[MORE:.+]] = arith.cmpi slt, %[[SEENI]], %[[BUDGETI]] : i64
// CHECK-NEXT: %[[STOPI:.+]] = tensor.extract %[[S]]#4[] : tensor<i64>
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[NOBODY:.+]] = arith.cmpi eq, %[[STOPI]], %[[ZERO]] : i64
// CHECK-NEXT: %[[GO:.+]] = arith.andi %[[MORE]], %[[NOBODY]] : i1
// CHECK-NEXT: gsync.next %[[GO]]
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: gsync.yield %[[W]] : tensor<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: gsync.train
