// What the options of lb-bsp change, and what they refuse.
// RUN: rubato-opt %s --choose-algorithm="algorithm=lb-bsp" | FileCheck %s --check-prefix=CHOSEN
// RUN: rubato-opt %s --choose-algorithm="algorithm=lb-bsp options=batch=128,smoothing=0.5,delay=1" --expand-algorithm | FileCheck %s --check-prefix=DELAYED
// RUN: not rubato-opt %s --choose-algorithm="algorithm=lb-bsp options=delay=2" 2>&1 | FileCheck %s --check-prefix=DELAY
// RUN: not rubato-opt %s --choose-algorithm="algorithm=lb-bsp options=smoothing=1" 2>&1 | FileCheck %s --check-prefix=SMOOTHING
// RUN: not rubato-opt %s --choose-algorithm="algorithm=lb-bsp options=batch=-1" 2>&1 | FileCheck %s --check-prefix=BATCH

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<8x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<8xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<8xf32> {nn.role = #nn.argument<weights>}, tensor<8xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<8x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<8xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<8xf32> {nn.role = #nn.argument<weights>}, tensor<8xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})

// CHOSEN: gsync.train algorithm(#gsync.algorithm<"lb-bsp", {batch = 0 : i64, delay = 0 : i64, smoothing = 0.69999999999999996 : f64}>)

// The quantum is that of the training functions.
// DELAYED: gsync.policy @shares "balance.shares" central with {batch = 128 : i64, delay = 1 : i64, quantum = 8 : i64, smoothing = 5.000000e-01 : f64} {
// DELAYED-NEXT: gsync.entry @share : (i64, f64) -> (i64, i64)
// With a delay the sum of a round is applied in the next, and by the drain.
// DELAYED: gsync.init {
// DELAYED-NEXT: gsync.ready
// DELAYED: gsync.strand (%[[PREVIOUS:.+]]: !{{.+}}) {
// DELAYED: gsync.ask @shares::@share
// DELAYED: %[[NEXT:.+]] = gsync.all_reduce sum on @grads
// DELAYED-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[PREVIOUS]]
// DELAYED-NEXT: %[[N:.+]] = tensor.extract %[[SUMS]]#1[]
// DELAYED-NEXT: %[[ZERO:.+]] = arith.constant 0 : i64
// DELAYED-NEXT: %[[ANY:.+]] = arith.cmpi sgt, %[[N]], %[[ZERO]]
// DELAYED-NEXT: scf.if %[[ANY]] {
// DELAYED: func.call @step(%{{[^,]+}}, %[[SUMS]]#0, %[[SUMS]]#2,
// DELAYED: gsync.atomic (@measured_samples, @measured_seconds) {
// DELAYED: gsync.next %{{[^(]+}}(%[[NEXT]] :
// DELAYED: gsync.drain (%[[LAST:.+]]: !{{.+}}) {
// DELAYED-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[LAST]]
// DELAYED: scf.if
// DELAYED: func.call @step(%{{[^,]+}}, %[[SUMS]]#0, %[[SUMS]]#2,
// DELAYED: gsync.model

// DELAY: error: option 'delay' of lb-bsp must be a whole number, at least 0, at most 1, not '2'
// SMOOTHING: error: option 'smoothing' of lb-bsp must be a number, at least 0, at most 0.999999, not '1'
// BATCH: error: option 'batch' of lb-bsp must be a whole number, at least 0, at most 4.29497e+09, not '-1'
