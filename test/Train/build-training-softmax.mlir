// A softmax is absorbed only by the loss that normalises, along its axis.
// RUN: rubato-opt %s --build-training --verify-train | FileCheck %s
// RUN: rubato-opt %s --build-training=loss=mse --verify-diagnostics

nn.parameter @w parameter : tensor<3x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  // expected-error@+2 {{no gradient rule: nn.softmax (1)}}
  // expected-note@+1 {{no gradient rule for nn.softmax}}
  %1 = nn.softmax %0 axis 1 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @gradient(
// CHECK-NOT: nn.softmax %
// CHECK: nn.softmax_cross_entropy_grad
