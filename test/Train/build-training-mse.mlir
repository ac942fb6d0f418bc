// The mean squared error: means over features, sums over samples.
// RUN: rubato-opt %s --build-training=loss=mse --verify-train | FileCheck %s

nn.parameter @w parameter : tensor<3x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Labels have the shape of the output.
// CHECK-LABEL: func.func @gradient(
// CHECK-SAME: %[[Y:[^:]+]]: tensor<4x2xf32> {nn.name = "y", nn.role = #nn.argument<label>}, %[[WEIGHTS:[^:]+]]: tensor<4xf32> {nn.role = #nn.argument<weights>}
// CHECK: %[[Z:.+]] = nn.matmul
// CHECK-NEXT: %[[E:.+]] = arith.subf %[[Z]], %[[Y]]
// CHECK-NEXT: %[[E2:.+]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT: %[[S:.+]] = nn.reduce sum %[[E2]] dims [1] : tensor<4x2xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: %[[L:.+]] = arith.mulf %[[S]], %[[HALF]]
// CHECK: arith.mulf %[[L]], %[[WEIGHTS]]
// CHECK: %[[DS:.+]] = arith.mulf %[[WEIGHTS]], %[[HALF]]
// CHECK-NEXT: %[[DE2:.+]] = nn.broadcast %[[DS]] dims [0] : tensor<4xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %[[LEFT:.+]] = arith.mulf %[[DE2]], %[[E]]
// CHECK-NEXT: %[[RIGHT:.+]] = arith.mulf %[[DE2]], %[[E]]
// CHECK-NEXT: %[[DE:.+]] = arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: nn.matmul %{{.+}}, %[[DE]] {transpose_lhs}

// Nothing is classified, so nothing is correct.
// CHECK-LABEL: func.func @evaluate(
// CHECK: %[[NONE:.+]] = arith.constant dense<0> : tensor<i64>
// CHECK: return %{{.+}}, %[[NONE]], %{{.+}}
