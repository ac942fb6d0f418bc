// What the options of abs-sgd change, and its configuration delayed-sgd.
// RUN: rubato-opt %s --choose-algorithm="algorithm=abs-sgd" | FileCheck %s --check-prefix=CHOSEN
// RUN: rubato-opt %s --choose-algorithm="algorithm=delayed-sgd" | FileCheck %s --check-prefix=DELAYED
// RUN: rubato-opt %s --choose-algorithm="algorithm=delayed-sgd options=m-min=3" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,FIXED,MEAN,FLUSH --implicit-check-not=@ready
// RUN: rubato-opt %s --choose-algorithm="algorithm=abs-sgd options=m-min=2,b-ref=128,clip-low=0.5,clip-high=2" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,ABS,LINEAR,FLUSH --implicit-check-not=@ready
// RUN: rubato-opt %s --choose-algorithm="algorithm=abs-sgd options=rule=mean,flush=false" --expand-algorithm | FileCheck %s --check-prefixes=CHECK,MEAN,DROP --implicit-check-not=@ready

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})

// CHOSEN: #gsync.algorithm<"abs-sgd", {"b-ref" = 0 : i64, "clip-high" = 4.000000e+00 : f64, "clip-low" = 2.500000e-01 : f64, "dc-lambda" = 0.000000e+00 : f64, fixed = false, flush = true, "m-min" = 1 : i64, protocol = "p0", rule = "linear"}>
// DELAYED: #gsync.algorithm<"delayed-sgd", {"b-ref" = 0 : i64, "clip-high" = 4.000000e+00 : f64, "clip-low" = 2.500000e-01 : f64, "dc-lambda" = 0.000000e+00 : f64, fixed = true, flush = true, "m-min" = 1 : i64, protocol = "p0", rule = "mean"}>

// CHECK: gsync.strand (%[[PREVIOUS:.+]]: !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>) {
// A fixed count does not look whether the sum has arrived.
// FIXED: %[[M:.+]] = arith.constant 3 : i64
// FIXED: gsync.repeat at_least(%[[M]]) at_most(%[[M]]) iter(
// ABS: %[[M:.+]] = arith.constant 2 : i64
// ABS: gsync.repeat until(%[[PREVIOUS]] : !{{.+}}) at_least(%[[M]]) iter(
// CHECK: gsync.await %[[PREVIOUS]]

// The factor is that of the batch being applied.
// LINEAR: %[[N:.+]] = tensor.extract %{{.+}}#1[]
// LINEAR: scf.if
// LINEAR-NEXT: %[[REF:.+]] = arith.constant 128 : i64
// LINEAR-NEXT: %[[TOP:.+]] = arith.sitofp %[[N]] : i64 to f64
// LINEAR-NEXT: %[[BOTTOM:.+]] = arith.sitofp %[[REF]] : i64 to f64
// LINEAR-NEXT: %[[RATIO:.+]] = arith.divf %[[TOP]], %[[BOTTOM]] : f64
// LINEAR-NEXT: %[[LOW:.+]] = arith.constant 5.000000e-01 : f64
// LINEAR-NEXT: %[[RAISED:.+]] = arith.maximumf %[[RATIO]], %[[LOW]] : f64
// LINEAR-NEXT: %[[HIGH:.+]] = arith.constant 2.000000e+00 : f64
// LINEAR-NEXT: %[[FACTOR:.+]] = arith.minimumf %[[RAISED]], %[[HIGH]] : f64
// LINEAR-NEXT: %[[SHORT:.+]] = arith.truncf %[[FACTOR]] : f64 to f32
// LINEAR-NEXT: %[[SPLAT:.+]] = tensor.splat %[[SHORT]] : tensor<f32>
// LINEAR: %[[RATE:.+]] = func.call @lr
// LINEAR-NEXT: %[[SCALED:.+]] = arith.mulf %[[RATE]], %[[SPLAT]] : tensor<f32>
// LINEAR-NEXT: func.call @step({{.*}}, %[[SCALED]])
// MEAN: %[[RATE:.+]] = func.call @lr
// MEAN-NEXT: func.call @step({{.*}}, %[[RATE]])

// CHECK: gsync.drain (%[[LAST:.+]]: !{{.+}}) {
// CHECK-NEXT: gsync.await %[[LAST]]
// FLUSH: scf.if
// FLUSH: gsync.atomic
// FLUSH: gsync.yield
// DROP-NEXT: gsync.yield
// CHECK: gsync.model
