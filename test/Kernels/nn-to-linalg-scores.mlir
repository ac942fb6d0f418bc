// RUN: rubato-opt --nn-to-linalg --split-input-file --mlir-print-local-scope %s | FileCheck %s

// No tensor of the full size is kept between the steps.

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<7x11xf32>
// CHECK:         %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[MAX:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]} ins(%[[X]] :
// CHECK:           arith.maximumf
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[MAX]] :
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.addf
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[MAX]], %[[SUM]] :
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.divf
func.func @softmax(%x: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %0 = nn.softmax %x axis 1 : tensor<7x11xf32>
  return %0 : tensor<7x11xf32>
}

// -----

// CHECK-LABEL: func.func @log_softmax_of_columns(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
// CHECK-SAME:      iterator_types = ["reduction", "parallel"]
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel"]
// CHECK:           math.log
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK:           arith.subf
// CHECK-NEXT:      arith.subf
func.func @log_softmax_of_columns(%x: tensor<7x11xf32>) -> tensor<7x11xf32> {
  %0 = nn.log_softmax %x axis 0 : tensor<7x11xf32>
  return %0 : tensor<7x11xf32>
}

// -----

// The loss and its gradient share the maximum and the sum of each row.

// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME:    %[[X:.*]]: tensor<7x11xf32>, %[[Y:.*]]: tensor<7xi64>, %[[G:.*]]: tensor<7xf32>
// CHECK:         %[[MAX:.*]] = linalg.generic
// CHECK:           arith.maximumf
// CHECK-NOT:     arith.maximumf
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK:           arith.addf
// CHECK:         %[[PICKED:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[X]], %[[Y]] :
// CHECK:           linalg.index 1
// CHECK:           arith.cmpi eq
// CHECK:           arith.select
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[MAX]], %[[SUM]], %[[PICKED]] :
// CHECK:           arith.subf
// CHECK-NEXT:      math.log
// CHECK-NEXT:      arith.subf
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[X]], %[[MAX]], %[[SUM]], %[[Y]], %[[G]] :
// CHECK:           arith.divf
// CHECK:           linalg.index 1
// CHECK:           arith.mulf
func.func @cross_entropy(%x: tensor<7x11xf32>, %y: tensor<7xi64>, %g: tensor<7xf32>) -> (tensor<7xf32>, tensor<7x11xf32>) {
  %0 = nn.softmax_cross_entropy %x, %y : tensor<7x11xf32>, tensor<7xi64> -> tensor<7xf32>
  %1 = nn.softmax_cross_entropy_grad %x, %y, %g : tensor<7x11xf32>, tensor<7xi64>, tensor<7xf32>
  return %0, %1 : tensor<7xf32>, tensor<7x11xf32>
}

// -----

// CHECK-LABEL: func.func @count_correct(
// CHECK:           arith.maximumf
// CHECK:         %[[FIRST:.*]] = linalg.generic
// CHECK:           arith.cmpf oeq
// CHECK:           arith.minsi
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["reduction"]} ins(%[[FIRST]],
// CHECK:           arith.cmpi eq
// CHECK:           arith.cmpf ogt
// CHECK:           arith.addi
func.func @count_correct(%x: tensor<7x11xf32>, %y: tensor<7xi64>, %w: tensor<7xf32>) -> tensor<i64> {
  %0 = nn.count_correct %x, %y, %w : tensor<7x11xf32>, tensor<7xi64>, tensor<7xf32> -> tensor<i64>
  return %0 : tensor<i64>
}
