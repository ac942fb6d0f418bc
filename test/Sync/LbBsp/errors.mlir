// What lb-bsp refuses in a file.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{option 'delay' of lb-bsp must be a whole number, at least 0, at most 1, not true}}
gsync.train algorithm(#lb_bsp.algorithm<{delay = true}>) learning_rate(1.0)

// -----

// expected-error@+1 {{lb-bsp has no option 'quantum'; it has batch, smoothing, delay}}
gsync.train algorithm(#lb_bsp.algorithm<{quantum = 8 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{needs the training functions @gradient, @step and @lr; run build-training first}}
gsync.train algorithm(#lb_bsp.algorithm) learning_rate(1.0)

// -----

// Ids say how many samples a micro-batch has.
func.func private @gradient(tensor<6xf32>, tensor<8x3xf32>, tensor<8xi64>, tensor<8xf32>, tensor<i64>, tensor<i64>, tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>)
func.func private @step(tensor<6xf32>, tensor<6xf32>, tensor<i64>, tensor<f32>) -> tensor<6xf32>
func.func private @lr(tensor<i64>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<f32>
// expected-error@+1 {{cannot call @gradient, @step and @lr: they have other signatures than build-training gives them}}
gsync.train algorithm(#lb_bsp.algorithm) learning_rate(1.0)
