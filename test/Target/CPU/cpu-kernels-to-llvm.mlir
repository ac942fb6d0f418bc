// RUN: rubato-opt --nn-to-linalg --cpu-kernels-to-llvm %s | FileCheck %s

// CHECK-NOT:   builtin.unrealized_conversion_cast
// CHECK:       llvm.func internal @loss.body(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT:     llvm.intr.exp
// CHECK-NOT:     llvm.call
// CHECK:       llvm.func @loss(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK:         llvm.call @loss.body
// CHECK-NOT:   builtin.unrealized_conversion_cast
func.func private @loss(%x: tensor<7x11xf32>, %y: tensor<7xi64>) -> tensor<7xf32> attributes {rubato.kernel} {
  %0 = nn.softmax_cross_entropy %x, %y : tensor<7x11xf32>, tensor<7xi64> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
