// What local-sgd refuses in a file.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{option 'steps' of local-sgd must be a whole number, at least 1, at most 1e+09, not 0 : i64}}
gsync.train algorithm(#local_sgd.algorithm<{steps = 0 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{option 'momentum' of local-sgd must be one of keep, reset, average, not 3 : i64}}
gsync.train algorithm(#local_sgd.algorithm<{momentum = 3 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{local-sgd has no option 'h'; it has steps, momentum}}
gsync.train algorithm(#local_sgd.algorithm<{h = 3 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{needs the training functions @gradient, @step and @lr; run build-training first}}
gsync.train algorithm(#local_sgd.algorithm) learning_rate(1.0)

// -----

func.func private @gradient(tensor<6xf32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<i64>, tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>)
func.func private @step(tensor<6xf32>, tensor<i64>, tensor<6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6xf32>, tensor<i64>)
func.func private @lr(tensor<i64>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<f32>
// expected-error@+1 {{momentum=average needs an optimizer whose state is all real numbers; use momentum=keep or reset}}
gsync.train algorithm(#local_sgd.algorithm<{momentum = "average"}>) learning_rate(1.0)
