// What dynamic-sgd refuses.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{min-members must not exceed max-members, got 4 and 2}}
gsync.train algorithm(#dynamic_sgd.algorithm<{"min-members" = 4 : i64, "max-members" = 2 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{option 'rule' of dynamic-sgd must be one of ramp, immediate, reset, unscaled, not "linear"}}
gsync.train algorithm(#dynamic_sgd.algorithm<{rule = "linear"}>) learning_rate(1.0)

// -----

// expected-error@+1 {{option 'length' of dynamic-sgd must be a whole number, at least -1, at most 1e+09, not -2 : i64}}
gsync.train algorithm(#dynamic_sgd.algorithm<{length = -2 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{needs the training functions @gradient, @step and @lr; run build-training first}}
gsync.train algorithm(#dynamic_sgd.algorithm) learning_rate(1.0)

// -----

func.func private @gradient(tensor<6xf32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<i64>, tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>)
func.func private @step(tensor<6xf32>, tensor<6xf32>, tensor<i64>, tensor<f32>) -> tensor<6xf32>
func.func private @lr(tensor<i64>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<f32>
// expected-error@+1 {{uncorrected=true needs an optimizer whose only state is its velocity: SGD with momentum}}
gsync.train algorithm(#dynamic_sgd.algorithm<{uncorrected = true}>) learning_rate(1.0)
