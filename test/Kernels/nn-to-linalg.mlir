// RUN: rubato-opt --nn-to-linalg --split-input-file --mlir-print-local-scope %s | FileCheck %s

// One contraction over zero; transposition is in the maps.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[X:.*]]: tensor<7x5xf32>, %[[W:.*]]: tensor<3x5xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<7x3xf32>
// CHECK:         %[[START:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]]
// CHECK:         linalg.matmul
// CHECK-SAME:      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[X]], %[[W]] : tensor<7x5xf32>, tensor<3x5xf32>) outs(%[[START]] : tensor<7x3xf32>)
func.func @matmul(%x: tensor<7x5xf32>, %w: tensor<3x5xf32>) -> tensor<7x3xf32> {
  %0 = nn.matmul %x, %w {transpose_rhs} : tensor<7x5xf32>, tensor<3x5xf32> -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// CHECK-LABEL: func.func @transposed_lhs(
// CHECK:         linalg.matmul
// CHECK-SAME:      affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @transposed_lhs(%x: tensor<5x7xf64>, %w: tensor<5x3xf64>) -> tensor<7x3xf64> {
  %0 = nn.matmul %x, %w {transpose_lhs} : tensor<5x7xf64>, tensor<5x3xf64> -> tensor<7x3xf64>
  return %0 : tensor<7x3xf64>
}

// -----

// Zero on the left of "greater": NaN passes.

// CHECK-LABEL: func.func @relu(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:       ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[BELOW:.*]] = arith.cmpf ogt, %[[ZERO]], %[[X]] : f32
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[BELOW]], %[[ZERO]], %[[X]] : f32
// CHECK-NEXT:    linalg.yield %[[Y]] : f32
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @sigmoid(
// CHECK:       ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[N]]
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[E]], %[[ONE:.*]] : f32
// CHECK-NEXT:    arith.divf %[[ONE]], %[[S]]
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.sigmoid %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @broadcast(%x: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.broadcast %x dims [1] : tensor<3xf32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @transpose(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = nn.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @reduce(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>]
// CHECK-SAME:      iterator_types = ["reduction", "parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["reduction"]
// CHECK:           arith.addi
func.func @reduce(%x: tensor<2x3x4xf32>, %n: tensor<6xi64>) -> (tensor<3xf32>, tensor<i64>) {
  %0 = nn.reduce sum %x dims [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %1 = nn.reduce sum %n dims [0] : tensor<6xi64> -> tensor<i64>
  return %0, %1 : tensor<3xf32>, tensor<i64>
}

// -----

// A shape that does not refine the other goes through the flat vector.

// CHECK-LABEL: func.func @reshape(
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<6x4xf32> into tensor<24xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [3, 8]
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 3, 4]
func.func @reshape(%x: tensor<6x4xf32>) -> (tensor<3x8xf32>, tensor<2x3x4xf32>) {
  %0 = nn.reshape %x : tensor<6x4xf32> -> tensor<3x8xf32>
  %1 = nn.reshape %x : tensor<6x4xf32> -> tensor<2x3x4xf32>
  return %0, %1 : tensor<3x8xf32>, tensor<2x3x4xf32>
}

// -----

// Operations of arith keep their attributes, and select a scalar condition.

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[C:.*]]: i1
// CHECK:         linalg.generic
// CHECK:           arith.cmpf ult
// CHECK:           arith.select %[[C]]
func.func @elementwise(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
  %0 = arith.cmpf ult, %x, %y : tensor<4xf32>
  %1 = arith.select %c, %x, %y : tensor<4xf32>
  return %0, %1 : tensor<4xi1>, tensor<4xf32>
}
