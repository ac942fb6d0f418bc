// Groups become kernels: products with their epilogues, reductions with what
// stands in front of and behind them, the optimizer step as one kernel.
// RUN: rubato-opt %s --build-training='momentum=0.9 schedule=cosine' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --verify-kernels | FileCheck %s

module @mlp {
  nn.parameter @fc1.weight parameter : tensor<6x5xf32>
  nn.parameter @fc1.bias parameter : tensor<6xf32>
  nn.parameter @fc2.weight parameter : tensor<3x6xf32>
  nn.parameter @fc2.bias parameter : tensor<3xf32>
  func.func @forward(%x: tensor<4x5xf32> {nn.name = "x"}) -> tensor<4x3xf32> {
    %w1 = nn.get @fc1.weight : tensor<6x5xf32>
    %b1 = nn.get @fc1.bias : tensor<6xf32>
    %w2 = nn.get @fc2.weight : tensor<3x6xf32>
    %b2 = nn.get @fc2.bias : tensor<3xf32>
    %0 = nn.matmul %x, %w1 {transpose_rhs} : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32> loc("fc1/linear (Gemm)")
    %1 = nn.broadcast %b1 dims [1] : tensor<6xf32> -> tensor<4x6xf32>
    %2 = arith.addf %0, %1 : tensor<4x6xf32>
    %3 = nn.relu %2 : tensor<4x6xf32>
    %4 = nn.matmul %3, %w2 {transpose_rhs} : tensor<4x6xf32>, tensor<3x6xf32> -> tensor<4x3xf32> loc("fc2/linear (Gemm)")
    %5 = nn.broadcast %b2 dims [1] : tensor<3xf32> -> tensor<4x3xf32>
    %6 = arith.addf %4, %5 : tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
}

// Gradients come as early as they can, in readiness order.
// CHECK-LABEL: func.func @gradient(
// CHECK:       %[[H1:.*]] = call @fc1.linear.forward(
// CHECK-NEXT:  %[[SCORES:.*]] = call @fc2.linear.forward(%[[H1]],
// CHECK:       %[[DS:.*]] = call @"softmax-cross-entropy.gradient"(%[[SCORES]],
// CHECK-NEXT:  %[[DB2:.*]] = call @fc2.bias.gradient(%[[DS]],
// CHECK-NEXT:  %[[DH:.*]] = call @fc2.linear.input_gradient(%[[DS]],
// CHECK-NEXT:  %[[DW2:.*]] = call @fc2.weight.gradient(%[[DS]], %[[H1]],
// CHECK-NEXT:  %[[DB1:.*]] = call @fc1.bias.gradient(%[[DH]],
// CHECK-NEXT:  %[[DW1:.*]] = call @fc1.weight.gradient(%[[DH]],
// CHECK-NEXT:  nn.pack @params(%[[DB2]], %[[DW2]], %[[DB1]], %[[DW1]])

// The evaluation shares the forward kernels.
// CHECK-LABEL: func.func @evaluate(
// CHECK:       call @fc1.linear.forward(
// CHECK-NEXT:  call @fc2.linear.forward(

// The program is a list of kernel calls; the update is one of them over the
// flat vectors, with several results.
// CHECK:       gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT:  ^bb0(%[[W:.*]]: tensor<57xf32>, %[[V:.*]]: tensor<57xf32>, %[[SEEN:.*]]: tensor<i64>):
// CHECK:         %[[LR:.*]] = func.call @lr
// CHECK:         %[[NEW:.*]]:2 = func.call @step
// CHECK:         %[[SEEN1:.*]] = func.call
// CHECK:         gsync.yield cells(%[[NEW]]#1, %[[NEW]]#0, %[[SEEN1]]

// A forward product with its bias and activation:
// CHECK-LABEL: func.func private @fc1.linear.forward(
// CHECK-SAME:      attributes {rubato.kernel = #nn.kernel<contraction>}
// CHECK:         nn.matmul
// CHECK:         nn.broadcast
// CHECK:         arith.addf
// CHECK-NEXT:    nn.relu
// CHECK-NEXT:    return

// The mask of the backward activation is computed where it is needed:
// CHECK-LABEL: func.func private @fc2.linear.input_gradient(
// CHECK:         %[[P:.*]] = nn.matmul
// CHECK:         %[[MASK:.*]] = arith.cmpf ugt
// CHECK:         arith.select %[[MASK]], %[[P]],

// Gradients add to their accumulator, and have a variant that does not:
// CHECK-LABEL: func.func private @fc2.weight.gradient(
// CHECK-SAME:      rubato.accumulators = array<i64: 2>, rubato.fresh = @fc2.weight.gradient.fresh, rubato.kernel = #nn.kernel<contraction>
// CHECK:         %[[G:.*]] = nn.matmul
// CHECK-NEXT:    arith.addf %{{.*}}, %[[G]]
// CHECK-LABEL: func.func private @fc2.weight.gradient.fresh(
// CHECK-NEXT:    %[[G:.*]] = nn.matmul
// CHECK-NEXT:    return %[[G]]
