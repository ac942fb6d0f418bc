// What abs-sgd refuses.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{option 'm-min' of abs-sgd must be a whole number, at least 1, at most 1e+09, not 0 : i64}}
gsync.train algorithm(#gsync.algorithm<"abs-sgd", {"m-min" = 0 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{option 'rule' of abs-sgd must be one of linear, mean, not "square"}}
gsync.train algorithm(#gsync.algorithm<"abs-sgd", {rule = "square"}>) learning_rate(1.0)

// -----

func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})
// expected-error@+1 {{clip-low must not exceed clip-high, got 8.000000e+00 and 4.000000e+00}}
gsync.train algorithm(#gsync.algorithm<"abs-sgd", {"clip-low" = 8.0}>) learning_rate(1.0)

// -----

func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})
// expected-error@+1 {{protocol=p1 lets a member compute until all are ready, which fixed=true forbids; use protocol=p0}}
gsync.train algorithm(#gsync.algorithm<"abs-sgd", {fixed = true, protocol = "p1"}>) learning_rate(1.0)

// -----

nn.layout @params [#nn.slot<"mean" : tensor<6xf32> at 0 statistic>]
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})
// expected-error@+1 {{dc-lambda compensates gradients, and the model has statistics, which have none; use dc-lambda=0}}
gsync.train algorithm(#gsync.algorithm<"abs-sgd", {"dc-lambda" = 1.0}>) learning_rate(1.0)

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.train algorithm(#gsync.algorithm<"abs-sgd">) learning_rate(1.0)
}
