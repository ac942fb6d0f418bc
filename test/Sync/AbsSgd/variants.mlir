// Parts of abs-sgd that are off by default: the barrier and the compensation.
// RUN: rubato-opt %s --choose-algorithm="algorithm=abs-sgd options=protocol=p1" --expand-algorithm | FileCheck %s --check-prefix=BARRIER
// RUN: rubato-opt %s --choose-algorithm="algorithm=delayed-sgd options=dc-lambda=0.5" --expand-algorithm | FileCheck %s --check-prefix=COMPENSATED

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})

// Who is ready says so and goes on with the same batch until all are. The
// barrier stands in the strand's body, where every member meets it.
// BARRIER: gsync.channel @ready on @world kind(collective)
// BARRIER: gsync.strand (%[[PREVIOUS:.+]]: !{{.+}}) {
// BARRIER: %[[FIRST:.+]]:4, %{{.+}} = gsync.repeat until(%[[PREVIOUS]] :
// BARRIER: }
// BARRIER-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// BARRIER-NEXT: %[[HERE:.+]] = tensor.from_elements %[[ONE]] : tensor<i64>
// BARRIER-NEXT: %[[ALL:.+]] = gsync.all_reduce sum on @ready(%[[HERE]])
// BARRIER-NEXT: %[[NONE:.+]] = arith.constant 0 : i64
// BARRIER-NEXT: %[[MORE:.+]]:4, %{{.+}} = gsync.repeat until(%[[ALL]] : !gsync.future<tensor<i64>>) at_least(%[[NONE]]) iter(%[[FIRST]]#0, %[[FIRST]]#1, %[[FIRST]]#2, %[[FIRST]]#3 :
// BARRIER: gsync.next_batch from(queue acked_by(@grads))
// BARRIER: }
// BARRIER-NEXT: gsync.await %[[ALL]]
// BARRIER-NEXT: %[[STOP:.+]] = gsync.stop_requested
// BARRIER-NEXT: gsync.all_reduce sum on @grads(%[[MORE]]#0, %[[MORE]]#1, %[[MORE]]#2, %[[MORE]]#3, %[[STOP]])
// BARRIER-NEXT: gsync.await %[[PREVIOUS]]

// The parameters that a gradient was computed at travel with its sum.
// COMPENSATED: gsync.init {
// COMPENSATED-NEXT: %[[READY:.+]] = gsync.ready
// COMPENSATED-NEXT: %[[W:.+]] = gsync.load @w
// COMPENSATED-NEXT: gsync.yield %[[READY]], %[[W]]
// COMPENSATED: gsync.strand (%[[PREVIOUS:.+]]: !{{.+}}, %[[OLD:.+]]: tensor<6xf32>) {
// COMPENSATED-NEXT: %[[W:.+]] = gsync.load @w
// COMPENSATED: %[[NEXT:.+]] = gsync.all_reduce sum on @grads
// COMPENSATED-NEXT: %[[S:.+]]:5 = gsync.await %[[PREVIOUS]]
// COMPENSATED-NEXT: tensor.extract %[[S]]#1[]
// COMPENSATED: scf.if
// COMPENSATED-NEXT: %[[LAMBDA:.+]] = arith.constant 5.000000e-01 : f64
// COMPENSATED: %[[LEAST:.+]] = arith.maxsi %[[S]]#2, %{{.+}} : tensor<i64>
// COMPENSATED-NEXT: %[[DIVISOR:.+]] = tensor.extract %[[LEAST]][]
// COMPENSATED-NEXT: %[[REAL:.+]] = arith.sitofp %[[DIVISOR]] : i64 to f64
// COMPENSATED-NEXT: %[[QUOTIENT:.+]] = arith.divf %[[LAMBDA]], %[[REAL]] : f64
// COMPENSATED-NEXT: %[[SHORT:.+]] = arith.truncf %[[QUOTIENT]] : f64 to f32
// COMPENSATED-NEXT: %[[SCALE:.+]] = tensor.splat %[[SHORT]] : tensor<6xf32>
// COMPENSATED-NEXT: %[[MOVED:.+]] = arith.subf %[[W]], %[[OLD]]
// COMPENSATED-NEXT: %[[SQUARE:.+]] = arith.mulf %[[S]]#0, %[[S]]#0
// COMPENSATED-NEXT: %[[SCALED:.+]] = arith.mulf %[[SCALE]], %[[SQUARE]]
// COMPENSATED-NEXT: %[[CHANGE:.+]] = arith.mulf %[[SCALED]], %[[MOVED]]
// COMPENSATED-NEXT: %[[SUM:.+]] = arith.addf %[[S]]#0, %[[CHANGE]]
// COMPENSATED: func.call @step(%{{[^,]+}}, %[[SUM]], %[[S]]#2,
// COMPENSATED: gsync.next %{{[^(]+}}(%[[NEXT]], %[[W]] :
// COMPENSATED: gsync.drain (%{{.+}}: !{{.+}}, %[[OLD:.+]]: tensor<6xf32>) {
// COMPENSATED: %[[W:.+]] = gsync.load @w
// COMPENSATED: arith.subf %[[W]], %[[OLD]]
