// Options that a file leaves out have the values of the configuration it names.
// RUN: rubato-opt %s --choose-algorithm="algorithm=delayed-sgd" > %t.chosen
// RUN: FileCheck %s --input-file=%t.chosen
// RUN: rubato-opt %t.chosen --expand-algorithm > %t.all
// RUN: sed 's/", {.*}>/">/' %t.chosen | rubato-opt --expand-algorithm > %t.none
// RUN: diff %t.all %t.none
// RUN: sed 's/"delayed-sgd", {.*}>/"abs-sgd">/' %t.chosen | rubato-opt --expand-algorithm > %t.other
// RUN: not diff %t.all %t.other > %t.difference
// RUN: FileCheck %s --input-file=%t.difference --check-prefix=DIFFERENCE

// CHECK: gsync.train algorithm(#gsync.algorithm<"delayed-sgd", {{{.*}}fixed = true,{{.*}}rule = "mean"}>)
// DIFFERENCE: at_least

func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})
