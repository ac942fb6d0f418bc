// What the options of local-sgd change, and what they refuse.
// RUN: rubato-opt %s --choose-algorithm="algorithm=local-sgd" | FileCheck %s --check-prefix=CHOSEN
// RUN: rubato-opt %s --choose-algorithm="algorithm=local-sgd options=steps=3" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: rubato-opt %s --choose-algorithm="algorithm=local-sgd options=steps=3,momentum=reset" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,RESET
// RUN: rubato-opt %s --choose-algorithm="algorithm=local-sgd options=steps=3,momentum=average" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,AVERAGE
// RUN: not rubato-opt %s --choose-algorithm="algorithm=local-sgd options=steps=0" 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not rubato-opt %s --choose-algorithm="algorithm=local-sgd options=momentum=sum" 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// RUN: not rubato-opt %s --choose-algorithm="algorithm=local-sgd options=rounds=2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<state>}, tensor<f64> {nn.role = #nn.argument<state>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}, tensor<f64> {nn.role = #nn.result<state>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})

// CHOSEN: gsync.train algorithm(#gsync.algorithm<"local-sgd", {momentum = "keep", steps = 8 : i64}>)

// CHECK: gsync.strand {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// KEEP-NEXT: %[[V:.+]] = gsync.load @state0
// KEEP-NEXT: %[[S:.+]] = gsync.load @state1
// RESET-NEXT: %[[V:.+]] = gsync.zero : tensor<6xf32>
// RESET-NEXT: %[[S:.+]] = gsync.zero : tensor<f64>
// AVERAGE-NEXT: %[[V:.+]] = gsync.load @state0
// AVERAGE-NEXT: %[[S:.+]] = gsync.load @state1
// CHECK: %[[H:.+]] = arith.constant 3 : i64
// CHECK-NEXT: %[[X:.+]]:5, %{{.+}} = gsync.repeat at_least(%[[H]]) at_most(%[[H]]) iter(%[[W]], %[[V]], %[[S]],

// Only the average of states makes the reduction larger.
// CHECK: %[[D:.+]] = arith.subf %[[X]]#0, %[[W]]
// KEEP: gsync.all_reduce sum on @average(%[[D]], %{{[^,]+}}, %[[X]]#3, %[[X]]#4, %{{[^,]+}}) :
// RESET: gsync.all_reduce sum on @average(%[[D]], %{{[^,]+}}, %[[X]]#3, %[[X]]#4, %{{[^,]+}}) :
// AVERAGE: gsync.all_reduce sum on @average(%[[D]], %{{[^,]+}}, %[[X]]#3, %[[X]]#4, %{{[^,]+}}, %[[X]]#1, %[[X]]#2) :
// AVERAGE-NEXT: %[[SUMS:.+]]:7 = gsync.await
// CHECK: gsync.atomic (@w, @state0, @state1, @seen) {
// CHECK-NEXT: ^bb0(%{{.+}}: tensor<6xf32>, %[[V0:.+]]: tensor<6xf32>, %[[S0:.+]]: tensor<f64>, %{{.+}}: tensor<i64>)
// AVERAGE: %[[V1:.+]] = arith.divf %[[SUMS]]#5, %{{.+}} : tensor<6xf32>
// AVERAGE: %[[S1:.+]] = arith.divf %[[SUMS]]#6, %{{.+}} : tensor<f64>
// KEEP: gsync.yield cells(%{{[^,]+}}, %[[X]]#1, %[[X]]#2, %{{[^,]+}} :
// RESET: gsync.yield cells(%{{[^,]+}}, %[[V0]], %[[S0]], %{{[^,]+}} :
// AVERAGE: gsync.yield cells(%{{[^,]+}}, %[[V1]], %[[S1]], %{{[^,]+}} :

// STEPS: error: option 'steps' of local-sgd must be a whole number, at least 1, at most 1e+09, not '0'
// MOMENTUM: error: option 'momentum' of local-sgd must be one of keep, reset, average, not 'sum'
// UNKNOWN: error: local-sgd has no option 'rounds'; it has steps, momentum
