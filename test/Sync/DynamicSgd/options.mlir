// What the options of dynamic-sgd change.
// RUN: rubato-opt %s --choose-algorithm="algorithm=dynamic-sgd" | FileCheck %s --check-prefix=CHOSEN
// RUN: rubato-opt %s --choose-algorithm="algorithm=dynamic-sgd options=min-members=2,max-members=32,rule=reset,base-members=4,per-ratio=16,length=5,shrink=ratio,max-factor=8" --expand-algorithm | FileCheck %s --check-prefix=ALL
// RUN: rubato-opt %s --choose-algorithm="algorithm=dynamic-sgd options=rule=immediate,uncorrected=true" --expand-algorithm | FileCheck %s --check-prefix=UNCORRECTED

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<state>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})

// CHOSEN: #gsync.algorithm<"dynamic-sgd", {"base-members" = 0 : i64, length = -1 : i64, "max-factor" = 0.000000e+00 : f64, "max-members" = 128 : i64, "min-members" = 1 : i64, "per-ratio" = 8.000000e+00 : f64, rule = "ramp", shrink = "none", uncorrected = false}>

// Options of the ramp are settings of its policy.
// ALL: gsync.group @world elastic(2 to 32)
// ALL: gsync.policy @ramp "dynamic.ramp" replicated with {"base-members" = 4 : i64, length = 5 : i64, "max-factor" = 8.000000e+00 : f64, "per-ratio" = 1.600000e+01 : f64, rule = "reset", shrink = "ratio"} {
// ALL-NOT: @last_factor

// The last step is kept instead of the last velocity: the velocity is divided
// by what the factor grew.
// UNCORRECTED: gsync.cell @last_factor : f64 role(state)
// UNCORRECTED: %[[ANSWER:.+]]:2 = gsync.ask @ramp::@factor
// UNCORRECTED: %[[LAST:.+]] = gsync.load @last_factor
// UNCORRECTED-NEXT: %[[NONE:.+]] = arith.constant 0.0
// UNCORRECTED-NEXT: %[[FIRST:.+]] = arith.cmpf oeq, %[[LAST]], %[[NONE]]
// UNCORRECTED-NEXT: %[[RATIO:.+]] = arith.divf %[[LAST]], %[[ANSWER]]#0
// UNCORRECTED-NEXT: %[[ONE:.+]] = arith.constant 1.0
// UNCORRECTED-NEXT: %[[SCALE:.+]] = arith.select %[[FIRST]], %[[ONE]], %[[RATIO]] : f64
// UNCORRECTED: gsync.atomic (@w, @state0, @seen) {
// UNCORRECTED-NEXT: ^bb0(%{{.+}}: tensor<6xf32>, %[[V:.+]]: tensor<6xf32>, %{{.+}}: tensor<i64>):
// UNCORRECTED-NEXT: %[[SHORT:.+]] = arith.truncf %[[SCALE]] : f64 to f32
// UNCORRECTED-NEXT: %[[SPLAT:.+]] = tensor.splat %[[SHORT]] : tensor<6xf32>
// UNCORRECTED-NEXT: %[[SCALED:.+]] = arith.mulf %[[V]], %[[SPLAT]]
// UNCORRECTED: %[[STATE:.+]] = arith.select %[[ANSWER]]#1, %{{.+}}, %[[SCALED]]
// UNCORRECTED: func.call @step(%{{[^,]+}}, %[[STATE]],
// UNCORRECTED: gsync.atomic (@last_factor) {
// UNCORRECTED: gsync.yield cells(%[[ANSWER]]#0 : f64)
