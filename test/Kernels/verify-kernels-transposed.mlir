// A transpose that fuses into a sum changes how elements are read, not what the
// kernel is: the bias of a layer whose samples are columns.
// RUN: rubato-opt --pass-pipeline="builtin.module(func.func(nn-to-linalg),verify-kernels)" %s | FileCheck %s

// CHECK-LABEL: @bias
// CHECK-SAME:  #nn.kernel<rows>
// CHECK:       linalg.generic
// CHECK-SAME:    iterator_types = ["parallel", "reduction"]
func.func private @bias(%g: tensor<64x10xf32>) -> tensor<10xf32> attributes {rubato.kernel = #nn.kernel<rows>} {
  %0 = nn.transpose %g perm [1, 0] : tensor<64x10xf32> -> tensor<10x64xf32>
  %1 = nn.reduce sum %0 dims [1] : tensor<10x64xf32> -> tensor<10xf32>
  return %1 : tensor<10xf32>
}
