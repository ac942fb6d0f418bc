// RUN: rubato-opt --verify-kernels --split-input-file --verify-diagnostics %s | FileCheck %s

// What kernels may say of themselves, in nn and in linalg.

// CHECK-LABEL: @forward
// CHECK-SAME:  rubato.kernel = #nn.kernel<contraction>
func.func private @forward(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<contraction>} {
  %0 = nn.matmul %x, %w : tensor<7x5xf32>, tensor<5x3xf32> -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// CHECK-LABEL: @product
// CHECK-SAME:  rubato.kernel = #nn.kernel<contraction>
func.func private @product(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<contraction, split = 1, workspace = 0>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x3xf32>) -> tensor<7x3xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<7x5xf32>, tensor<5x3xf32>) outs(%fill : tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// CHECK-LABEL: @bias
// CHECK-SAME:  rubato.kernel = #nn.kernel<columns>
func.func private @bias(%g: tensor<7x3xf32>) -> tensor<3xf32> attributes {rubato.kernel = #nn.kernel<columns>} {
  %0 = nn.reduce sum %g dims [0] : tensor<7x3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @total
// CHECK-SAME:  rubato.kernel = #nn.kernel<rows>
func.func private @total(%g: tensor<7xf32>) -> tensor<f32> attributes {rubato.kernel = #nn.kernel<rows>} {
  %0 = nn.reduce sum %g dims [0] : tensor<7xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @update
// CHECK-SAME:  rubato.kernel = #nn.kernel<elementwise, split = 7, index_by_index>
func.func private @update(%w: tensor<7x3xf32>, %b: tensor<3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 7, index_by_index>} {
  %0 = nn.broadcast %b dims [1] : tensor<3xf32> -> tensor<7x3xf32>
  %1 = arith.addf %w, %0 : tensor<7x3xf32>
  return %1 : tensor<7x3xf32>
}

// Saying less is allowed.
// CHECK-LABEL: @careful
// CHECK-SAME:  rubato.kernel = #nn.kernel<elementwise>
func.func private @careful(%w: tensor<7xf32>) -> tensor<7xf32> attributes {rubato.kernel = #nn.kernel<elementwise>} {
  %0 = arith.addf %w, %w : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// A number may be changed in place, but is one unit.
// CHECK-LABEL: @count
// CHECK-SAME:  rubato.kernel = #nn.kernel<elementwise, index_by_index>
func.func private @count(%n: tensor<f32>) -> tensor<f32> attributes {rubato.kernel = #nn.kernel<elementwise, index_by_index>} {
  %0 = arith.addf %n, %n : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{a kernel says what it is (rubato.kernel = #nn.kernel<…>); run form-kernels}}
func.func private @silent(%w: tensor<7xf32>) -> tensor<7xf32> attributes {rubato.kernel} {
  %0 = arith.addf %w, %w : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// expected-error @+1 {{a kernel of kind columns is said to be of kind rows}}
func.func private @bias(%g: tensor<7x3xf32>) -> tensor<3xf32> attributes {rubato.kernel = #nn.kernel<rows>} {
  %0 = nn.reduce sum %g dims [0] : tensor<7x3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// The dimension that a matrix product sums over is no row.
// expected-error @+1 {{a kernel of kind contraction is said to be of kind elementwise}}
func.func private @product(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<elementwise>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x3xf32>) -> tensor<7x3xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<7x5xf32>, tensor<5x3xf32>) outs(%fill : tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// expected-error @+1 {{is said to be computed index by index, but is not}}
func.func private @turned(%x: tensor<3x3xf32>) -> tensor<3x3xf32> attributes {rubato.kernel = #nn.kernel<elementwise, index_by_index>} {
  // expected-note @+1 {{because of this operation}}
  %0 = nn.transpose %x perm [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// As many elements in another order, behind a dimension of one.
#out = affine_map<(a, b, c) -> (a, b, c)>
#in = affine_map<(a, b, c) -> (c, a)>
// expected-error @+1 {{is said to be computed index by index, but is not}}
func.func private @swapped(%x: tensor<5x3xf32>) -> tensor<3x1x5xf32> attributes {rubato.kernel = #nn.kernel<elementwise, index_by_index>} {
  %empty = tensor.empty() : tensor<3x1x5xf32>
  // expected-note @+1 {{because of this operation}}
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<5x3xf32>) outs(%empty : tensor<3x1x5xf32>) {
  ^bb0(%v: f32, %o: f32):
    %1 = arith.negf %v : f32
    linalg.yield %1 : f32
  } -> tensor<3x1x5xf32>
  return %0 : tensor<3x1x5xf32>
}

// -----

// expected-error @+1 {{is said to be computed index by index, but is not}}
func.func private @handed(%x: tensor<3xf32>) -> tensor<3xf32> attributes {rubato.kernel = #nn.kernel<elementwise, index_by_index>} {
  // expected-note @+1 {{because of this operation}}
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{a launch is said to have 3 units, but dimension 0 of its results has 7}}
func.func private @update(%w: tensor<7x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 3, index_by_index>} {
  %0 = arith.addf %w, %w : tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// expected-error @+1 {{a launch is said to have 7 units, but the kernel is one unit}}
func.func private @forward(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel = #nn.kernel<contraction, split = 7>} {
  %0 = nn.matmul %x, %w : tensor<7x5xf32>, tensor<5x3xf32> -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// expected-error @+1 {{needs 4096 bytes of workspace, which no launch hands over yet}}
func.func private @update(%w: tensor<7xf32>) -> tensor<7xf32> attributes {rubato.kernel = #nn.kernel<elementwise, workspace = 4096>} {
  %0 = arith.addf %w, %w : tensor<7xf32>
  return %0 : tensor<7xf32>
}
