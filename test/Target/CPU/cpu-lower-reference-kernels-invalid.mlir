// RUN: rubato-opt --cpu-lower-reference-kernels --split-input-file --verify-diagnostics %s

func.func private @big(%x: tensor<64x300xf32>, %w: tensor<300x8xf32>) -> tensor<64x8xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x300xf32>
  // expected-error @below {{kernel 'big': needs more than 65536 bytes of scratch; split it into kernels that hand this tensor over}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x300xf32>) outs(%e : tensor<64x300xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<64x300xf32>
  %1 = tensor.empty() : tensor<64x8xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<64x8xf32>) -> tensor<64x8xf32>
  %3 = linalg.matmul ins(%0, %w : tensor<64x300xf32>, tensor<300x8xf32>) outs(%2 : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %3 : tensor<64x8xf32>
}

// -----

func.func private @early(%x: tensor<3xf32>) -> tensor<3xf32> attributes {rubato.kernel} {
  // expected-error @below {{kernel 'early': 'nn.relu' has no reference lowering; run nn-to-linalg first}}
  %0 = nn.relu %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// expected-error @below {{kernel 'dynamic': operands and results are tensors of static shape, not 'tensor<?xf32>'}}
func.func private @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> attributes {rubato.kernel} {
  return %x : tensor<?xf32>
}

// -----

func.func private @split(%x: tensor<4x3xf32>) -> tensor<4xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 4, index_by_index>} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{kernel 'split': said to split into 4 parts, but this is not computed index by index}}
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x3xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func private @wrong_loop(%x: tensor<4x4xf32>) -> tensor<4xf32> attributes {rubato.kernel} {
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{kernel 'wrong_loop': a result is indexed by something else than the parallel loops}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func private @resource(%x: tensor<4xf32>) -> tensor<4xf32> attributes {rubato.kernel} {
  // expected-error @below {{kernel 'resource': a constant tensor is written out (dense) or an operand of the kernel}}
  %0 = arith.constant dense_resource<blob> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
