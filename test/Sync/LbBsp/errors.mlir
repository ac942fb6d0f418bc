// What lb-bsp refuses in a file.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{option 'delay' of lb-bsp must be a whole number, at least 0, at most 1, not true}}
gsync.train algorithm(#gsync.algorithm<"lb-bsp", {delay = true}>) learning_rate(1.0)

// -----

// expected-error@+1 {{lb-bsp has no option 'quantum'; it has batch, smoothing, delay}}
gsync.train algorithm(#gsync.algorithm<"lb-bsp", {quantum = 8 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.train algorithm(#gsync.algorithm<"lb-bsp">) learning_rate(1.0)
}

// -----

// Ids say how many samples a micro-batch has.
// expected-error@+1 {{training function @gradient has an argument of role 'ids' of type 'tensor<i64>'; it must be one i64 per sample}}
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<8x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<8xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<8xf32> {nn.role = #nn.argument<weights>}, tensor<i64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
gsync.train algorithm(#gsync.algorithm<"lb-bsp">) learning_rate(1.0)
