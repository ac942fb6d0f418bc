// RUN: rubato-opt --nn-to-linalg --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A contraction stays alone; bias and activation are one operation, in which
// the broadcast is an indexing map.

// CHECK-LABEL: func.func private @epilogue(
// CHECK:         %[[MM:.*]] = linalg.matmul
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%[[MM]], %{{.*}} : tensor<7x3xf32>, tensor<3xf32>)
// CHECK:           arith.addf
// CHECK-NEXT:      arith.cmpf ogt
// CHECK-NEXT:      arith.select
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[Y]]
func.func private @epilogue(%x: tensor<7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel} {
  %0 = nn.matmul %x, %w {transpose_rhs} : tensor<7x5xf32>, tensor<3x5xf32> -> tensor<7x3xf32>
  %1 = nn.broadcast %b dims [1] : tensor<3xf32> -> tensor<7x3xf32>
  %2 = arith.addf %0, %1 : tensor<7x3xf32>
  %3 = nn.relu %2 : tensor<7x3xf32>
  return %3 : tensor<7x3xf32>
}

// -----

// Elementwise work is never done inside the contraction that reads it.

// CHECK-LABEL: func.func private @prologue(
// CHECK:         %[[X:.*]] = linalg.generic
// CHECK:         linalg.matmul
// CHECK-SAME:      ins(%[[X]],
func.func private @prologue(%x: tensor<7x5xf32>, %w: tensor<5x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel} {
  %0 = nn.relu %x : tensor<7x5xf32>
  %1 = nn.matmul %0, %w : tensor<7x5xf32>, tensor<5x3xf32> -> tensor<7x3xf32>
  return %1 : tensor<7x3xf32>
}

// -----

// Two results of one shape, one of which the other needs, and a scalar that is
// computed on the way: one operation, which splits.

// CHECK-LABEL: func.func private @step(
// CHECK:         %[[R:.*]]:2 = linalg.generic
// CHECK:           arith.mulf
// CHECK:           %[[V:.*]] = arith.addf
// CHECK:           %[[D:.*]] = arith.divf
// CHECK:           arith.mulf %[[V]], %[[D]]
// CHECK:           %[[W:.*]] = arith.subf
// CHECK:           linalg.yield %[[V]], %[[W]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func private @step(%w: tensor<100xf32>, %v: tensor<100xf32>, %g: tensor<100xf32>, %lr: tensor<f32>, %n: tensor<f32>) -> (tensor<100xf32>, tensor<100xf32>) attributes {rubato.kernel} {
  %c = arith.constant dense<0.9> : tensor<100xf32>
  %s = arith.divf %lr, %n : tensor<f32>
  %sb = nn.broadcast %s dims [] : tensor<f32> -> tensor<100xf32>
  %0 = arith.mulf %v, %c : tensor<100xf32>
  %1 = arith.addf %0, %g : tensor<100xf32>
  %2 = arith.mulf %1, %sb : tensor<100xf32>
  %3 = arith.subf %w, %2 : tensor<100xf32>
  return %3, %1 : tensor<100xf32>, tensor<100xf32>
}

// -----

// A value per row is computed once per row, not once per element.

// CHECK-LABEL: func.func private @per_row(
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %[[E]] :
// CHECK:           arith.mulf
func.func private @per_row(%x: tensor<8x16xf32>, %r: tensor<8xf32>) -> tensor<8x16xf32> attributes {rubato.kernel} {
  %0 = math.exp %r : tensor<8xf32>
  %1 = nn.broadcast %0 dims [0] : tensor<8xf32> -> tensor<8x16xf32>
  %2 = arith.mulf %x, %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// What a reduction reads is computed inside it.

// CHECK-LABEL: func.func private @reduction(
// CHECK-COUNT-1: linalg.generic
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func private @reduction(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<f32> attributes {rubato.kernel} {
  %0 = arith.mulf %x, %w : tensor<8xf32>
  %1 = nn.reduce sum %0 dims [0] : tensor<8xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// An operand handed through is not computed here, so nothing splits.

// CHECK-LABEL: func.func private @handed_through(
func.func private @handed_through(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {rubato.kernel} {
  %0 = arith.negf %x : tensor<8xf32>
  return %0, %x : tensor<8xf32>, tensor<8xf32>
}
