// What changes in the program with the optimizer and with frozen tensors.
// RUN: rubato-opt %s --build-training --choose-algorithm --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: rubato-opt %s --build-training="optimizer=adamw" --choose-algorithm --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,ADAMW

nn.parameter @w parameter : tensor<3x2xf32>
nn.parameter @offset frozen : tensor<4x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %o = nn.get @offset : tensor<4x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  %1 = arith.addf %0, %o : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// The optimizer's state becomes as many cells as it has values.
// CHECK: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// ADAMW-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// ADAMW-NEXT: gsync.cell @state1 : tensor<6xf32> role(optimizer)
// ADAMW-NEXT: gsync.cell @state2 : tensor<f64> role(optimizer)
// ADAMW-NEXT: gsync.cell @state3 : tensor<f64> role(optimizer)
// CHECK-NEXT: gsync.cell @seen
// CHECK-NEXT: gsync.cell @budget
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(1.000000e-02)
// CHECK-NEXT: gsync.cell @w_frozen : tensor<8xf32> role(frozen) layout(@frozen)

// Frozen tensors are an argument of the gradient, never part of a reduction.
// CHECK: gsync.strand {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK: %[[G:.+]]:4, %{{.+}} = gsync.repeat
// CHECK: %[[FROZEN:.+]] = gsync.load @w_frozen : tensor<8xf32>
// CHECK-NEXT: func.call @gradient(%[[W]], %[[FROZEN]],
// CHECK: }
// CHECK: gsync.all_reduce sum on @grads(%[[G]]#0, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}})
// SGD: gsync.atomic (@w, @seen) {
// SGD: func.call @step({{.*}}) -> tensor<6xf32>
// ADAMW: gsync.atomic (@w, @state0, @state1, @state2, @state3, @seen) {
// ADAMW: func.call @step({{.*}}) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f64>, tensor<f64>)
