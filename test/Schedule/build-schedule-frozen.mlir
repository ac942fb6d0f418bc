// A model with frozen tensors: its cell is read in the round, in the
// evaluation and for a gradient alone, and nothing writes it.
// RUN: rubato-opt %s --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule --sched-verify-segments | FileCheck %s

nn.parameter @w parameter : tensor<3x2xf32>
nn.parameter @b parameter : tensor<2xf32>
nn.parameter @offset frozen : tensor<4x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %b = nn.get @b : tensor<2xf32>
  %o = nn.get @offset : tensor<4x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  %1 = nn.broadcast %b dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %2 = arith.addf %0, %1 : tensor<4x2xf32>
  %3 = arith.addf %2, %o : tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// CHECK: sched.buffer @w_frozen private at({{[0-9]+}}) bytes(32)
// CHECK-NOT: writes({{[^)]*}}@w_frozen
// CHECK: sched.segment @worker.round.gradient.0 {
// CHECK: reads({{.*}}@w_frozen[0, 32]
// CHECK: sched.segment @evaluation.0 {
// CHECK: reads({{.*}}@w_frozen[0, 32]
// CHECK-NOT: writes({{[^)]*}}@w_frozen
// CHECK: sched.segment @differentiation.0 {
// CHECK: reads({{.*}}@w_frozen[0, 32]
// CHECK-NOT: writes({{[^)]*}}@w_frozen
