// RUN: rubato-opt --report-kernels --verify-diagnostics %s -o /dev/null
// RUN: not rubato-opt --report-kernels=target=abacus %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not rubato-opt --form-kernels=target=abacus %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not rubato-opt --build-schedule=target=abacus %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown target 'abacus'; this build has: cpu

#in = affine_map<(a, b) -> (b, a)>
#out = affine_map<(a, b) -> (a, b)>
// expected-remark @+1 {{kernel 'turn' becomes plain loops: it reads along another dimension than it writes, or computes something that has no vector form}}
func.func private @turn(%x: tensor<5x3xf32>) -> tensor<3x5xf32> attributes {rubato.kernel = #nn.kernel<elementwise>} {
  %empty = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x3xf32>) outs(%empty : tensor<3x5xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// expected-remark @+1 {{kernel 'double' becomes plain loops: the product is not a sum of products in f32}}
func.func private @double(%x: tensor<7x5xf64>, %w: tensor<5x3xf64>) -> tensor<7x3xf64> attributes {rubato.kernel = #nn.kernel<contraction>} {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<7x3xf64>
  %fill = linalg.fill ins(%zero : f64) outs(%empty : tensor<7x3xf64>) -> tensor<7x3xf64>
  %0 = linalg.matmul ins(%x, %w : tensor<7x5xf64>, tensor<5x3xf64>) outs(%fill : tensor<7x3xf64>) -> tensor<7x3xf64>
  return %0 : tensor<7x3xf64>
}

// Taken, so nothing is said.
func.func private @product(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x3xf32>) -> tensor<7x3xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<7x5xf32>, tensor<5x3xf32>) outs(%fill : tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}
