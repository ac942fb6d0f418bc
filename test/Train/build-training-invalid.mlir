// Models that cannot be trained: one clear error each.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --build-training

// expected-error@+1 {{has no function @forward; this pass takes a module of the import stage}}
module {}

// -----

// expected-error@+1 {{has no function @forward; this pass takes a module of the import stage}}
module {
  func.func private @forward(tensor<4x2xf32>) -> tensor<4x2xf32>
}

// -----

// expected-error@+1 {{has 2 outputs; training needs a model with exactly one}}
func.func @forward(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  return %x, %x : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// expected-error@+1 {{output must be a tensor of floating-point numbers}}
func.func @forward(%x: tensor<4x2xi64>) -> tensor<4x2xi64> {
  return %x : tensor<4x2xi64>
}

// -----

// expected-error@+1 {{output must be a tensor of floating-point numbers}}
func.func @forward(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error@+1 {{output has type 'tensor<4xf32>'; softmax-cross-entropy needs [batch, classes] (use --loss mse for regressions)}}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{output has type 'tensor<0x2xf32>'; training needs at least one element per sample}}
func.func @forward(%x: tensor<0x2xf32>) -> tensor<0x2xf32> {
  return %x : tensor<0x2xf32>
}

// -----

module attributes {rubato.batch = 8 : i64} {
  // expected-error@+1 {{output has 4 rows but the batch is 8; the model was exported with a fixed batch: export it with a dynamic batch dimension, or compile with --batch 4}}
  func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    return %x : tensor<4x2xf32>
  }
}

// -----

// expected-error@+1 {{has nothing to train: no parameter is left (see `rubato check`, --train-only and --freeze)}}
module {
  nn.parameter @offset frozen : tensor<4x2xf32>
  func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    return %x : tensor<4x2xf32>
  }
}

// -----

// expected-error@+1 {{has type 'tensor<2xf64>' but the model's output is of 'f32'; stored tensors and output must share one element type}}
nn.parameter @wide parameter : tensor<2xf64>
func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  return %x : tensor<4x2xf32>
}

// -----

nn.parameter @w parameter : tensor<2xf32>
// expected-error@+1 {{has type 'tensor<2xi64>' but the model's output is of 'f32'; stored tensors and output must share one element type}}
nn.parameter @table frozen : tensor<2xi64>
func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  return %x : tensor<4x2xf32>
}

// -----

// Every operation without a rule on a path from a parameter to the loss is
// in one report, also in front of another one. The exponential of the input
// and the floor that does not reach the output are not.

nn.parameter @w parameter : tensor<4x2xf32>
func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<4x2xf32>
  // expected-error@+2 {{cannot train through operations that have no gradient rule: math.erf (2) math.atan (1); freeze the parameters in front of them with --freeze, or export the model without them}}
  // expected-note@+1 {{no gradient rule for math.erf}}
  %0 = math.erf %w : tensor<4x2xf32>
  // expected-note@+1 {{no gradient rule for math.atan}}
  %1 = math.atan %0 : tensor<4x2xf32>
  %2 = math.floor %w : tensor<4x2xf32>
  %3 = math.exp %x : tensor<4x2xf32>
  %4 = arith.addf %1, %3 : tensor<4x2xf32>
  // expected-note@+1 {{no gradient rule for math.erf}}
  %5 = math.erf %w : tensor<4x2xf32>
  %6 = arith.addf %4, %5 : tensor<4x2xf32>
  return %6 : tensor<4x2xf32>
}

// -----

// A softmax over the batch is another function than the loss's own.

nn.parameter @w parameter : tensor<4x2xf32>
func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<4x2xf32>
  // expected-error@+2 {{cannot train through operations that have no gradient rule: nn.softmax (1)}}
  // expected-note@+1 {{no gradient rule for nn.softmax}}
  %0 = nn.softmax %w axis 0 : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
