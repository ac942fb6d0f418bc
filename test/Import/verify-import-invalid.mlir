// RUN: rubato-opt %s --verify-import --split-input-file --verify-diagnostics

// A module of the import stage passes.
module {
  nn.parameter @w parameter : tensor<2x2xf32>
  func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = nn.get @w : tensor<2x2xf32>
    %0 = nn.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}

// -----

// expected-error@below {{import stage: needs one function @forward with one block}}
module {
}

// -----

module {
  func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    return %x : tensor<4x2xf32>
  }
  // expected-error@below {{import stage: a module holds nn.parameters and @forward only}}
  func.func private @other()
}

// -----

module {
  // expected-error@below {{import stage: inputs and outputs are tensors of static shape; give --batch and --dim}}
  func.func @forward(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    return %x : tensor<?x2xf32>
  }
}

// -----

module {
  func.func @forward(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    // expected-error@below {{import stage: not an operation of nn, arith, math or tensor}}
    %c = ub.poison : index
    return %x : tensor<4x2xf32>
  }
}
