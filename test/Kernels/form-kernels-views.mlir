// A broadcast that a view reads cannot be repeated inside a kernel: it becomes
// one of its own, and stands after what it reads.
// RUN: rubato-opt %s --build-training --choose-algorithm --expand-algorithm --form-kernels --verify-kernels | FileCheck %s

nn.parameter @w parameter : tensor<3x2xf32>
nn.parameter @b parameter : tensor<2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %b = nn.get @b : tensor<2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  %1 = nn.broadcast %b dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = nn.reshape %1 : tensor<4x2xf32> -> tensor<8xf32>
  %3 = nn.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
  %4 = arith.addf %2, %3 : tensor<8xf32>
  %5 = nn.reshape %4 : tensor<8xf32> -> tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @evaluate(
// CHECK:       %[[B:.*]] = nn.unpack %{{.*}} @params["b"]
// CHECK:       %[[WIDE:.*]] = call @[[BROADCAST:.*]](%[[B]]) : (tensor<2xf32>) -> tensor<4x2xf32>
// CHECK:       nn.reshape %[[WIDE]] : tensor<4x2xf32> -> tensor<8xf32>
// CHECK:       func.func private @[[BROADCAST]](
// CHECK-NEXT:    %[[R:.*]] = nn.broadcast
// CHECK-NEXT:    return %[[R]]
