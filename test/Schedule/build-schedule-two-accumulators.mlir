// One kernel that adds to two accumulators: in the fresh variants it reads
// neither.
// RUN: rubato-opt %s --build-training='loss=mse' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule --sched-verify-segments | FileCheck %s

nn.parameter @w parameter : tensor<3x2xf32>
nn.parameter @b1 parameter : tensor<2xf32>
nn.parameter @b2 parameter : tensor<2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %b1 = nn.get @b1 : tensor<2xf32>
  %b2 = nn.get @b2 : tensor<2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  %1 = nn.broadcast %b1 dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = arith.addf %0, %1 : tensor<4x2xf32>
  %3 = nn.broadcast %b2 dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %4 = arith.addf %2, %3 : tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// CHECK-LABEL: sched.segment @worker.round.gradient.0 {
// CHECK:       reads({{[^)]*}}@worker.loop[0, 8], @worker.loop[8, 8]) writes(@worker.loop[0, 8], @worker.loop[8, 8])
// CHECK-LABEL: sched.segment @worker.round.gradient.0.fresh {
// CHECK-NOT:   reads({{[^)]*}}@worker.loop
// CHECK:       writes(@worker.loop[0, 8], @worker.loop[8, 8])
// CHECK-NOT:   reads({{[^)]*}}@worker.loop
// CHECK-LABEL: sched.segment @worker.round.1 {
