// The training functions of a small model: signatures, backward pass, layouts.
// RUN: rubato-opt %s --split-input-file --build-training --verify-train | FileCheck %s

// A perceptron with a frozen offset and a softmax at its end. Slots lie in the
// order in which the backward pass finishes them, so the last layer is first;
// the frozen tensor has a layout of its own. The softmax is gone: the loss
// normalises. No operation computes the gradient of %x.

module attributes {rubato.batch = 4 : i64} {
  nn.parameter @fc1.weight parameter : tensor<5x3xf32>
  nn.parameter @fc1.bias parameter : tensor<5xf32>
  nn.parameter @fc2.weight parameter : tensor<2x5xf32>
  nn.parameter @offset frozen : tensor<4x2xf32>
  func.func @forward(%x: tensor<4x3xf32> {nn.name = "pixels"}) -> tensor<4x2xf32> {
    %w1 = nn.get @fc1.weight : tensor<5x3xf32>
    %b1 = nn.get @fc1.bias : tensor<5xf32>
    %w2 = nn.get @fc2.weight : tensor<2x5xf32>
    %o = nn.get @offset : tensor<4x2xf32>
    %0 = nn.matmul %x, %w1 {transpose_rhs} : tensor<4x3xf32>, tensor<5x3xf32> -> tensor<4x5xf32>
    %1 = nn.broadcast %b1 dims [1] : tensor<5xf32> -> tensor<4x5xf32>
    %2 = arith.addf %0, %1 : tensor<4x5xf32>
    %3 = nn.relu %2 : tensor<4x5xf32>
    %4 = nn.matmul %3, %w2 {transpose_rhs} : tensor<4x5xf32>, tensor<2x5xf32> -> tensor<4x2xf32>
    %5 = arith.addf %4, %o : tensor<4x2xf32>
    %6 = nn.softmax %5 axis 1 : tensor<4x2xf32>
    return %6 : tensor<4x2xf32>
  }
}

// CHECK-LABEL: module attributes {rubato.batch = 4 : i64, rubato.stage = "train"}
// CHECK-NEXT: nn.layout @frozen [#nn.slot<"offset" : tensor<4x2xf32> at 0 frozen>]
// CHECK-NEXT: nn.layout @params [#nn.slot<"fc2.weight" : tensor<2x5xf32> at 0 parameter>,
// CHECK-SAME: #nn.slot<"fc1.bias" : tensor<5xf32> at 10 parameter>,
// CHECK-SAME: #nn.slot<"fc1.weight" : tensor<5x3xf32> at 15 parameter>]
// CHECK-NOT: nn.parameter
// CHECK-NOT: @forward

// CHECK: func.func @gradient(
// CHECK-SAME: %[[W:[^:]+]]: tensor<30xf32> {nn.role = #nn.argument<parameters>},
// CHECK-SAME: %[[FROZEN:[^:]+]]: tensor<8xf32> {nn.role = #nn.argument<frozen>},
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x3xf32> {nn.name = "pixels", nn.role = #nn.argument<input>},
// CHECK-SAME: %[[Y:[^:]+]]: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 2>},
// CHECK-SAME: %[[WEIGHTS:[^:]+]]: tensor<4xf32> {nn.role = #nn.argument<weights>},
// CHECK-SAME: %{{[^:]+}}: tensor<4xi64> {nn.role = #nn.argument<ids>},
// CHECK-SAME: %{{[^:]+}}: tensor<i64> {nn.role = #nn.argument<step>},
// CHECK-SAME: %[[ACC:[^:]+]]: tensor<30xf32> {nn.role = #nn.argument<accumulator>})
// CHECK-SAME: -> (tensor<30xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) {
// CHECK-NEXT: %[[W1:.+]] = nn.unpack %[[W]] @params["fc1.weight"]
// CHECK-NEXT: %[[B1:.+]] = nn.unpack %[[W]] @params["fc1.bias"]
// CHECK-NEXT: %[[W2:.+]] = nn.unpack %[[W]] @params["fc2.weight"]
// CHECK-NEXT: %[[O:.+]] = nn.unpack %[[FROZEN]] @frozen["offset"]
// CHECK-NEXT: %[[XW:.+]] = nn.matmul %[[X]], %[[W1]] {transpose_rhs}
// CHECK-NEXT: %[[B:.+]] = nn.broadcast %[[B1]] dims [1]
// CHECK-NEXT: %[[H:.+]] = arith.addf %[[XW]], %[[B]]
// CHECK-NEXT: %[[R:.+]] = nn.relu %[[H]]
// CHECK-NEXT: %[[RW:.+]] = nn.matmul %[[R]], %[[W2]] {transpose_rhs}
// CHECK-NEXT: %[[Z:.+]] = arith.addf %[[RW]], %[[O]]
// CHECK-NEXT: %[[LOSSES:.+]] = nn.softmax_cross_entropy %[[Z]], %[[Y]]
// Samples of weight 0 are not counted, and their losses do not enter.
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[REAL:.+]] = arith.cmpf ogt, %[[WEIGHTS]], %[[ZERO]]
// CHECK-NEXT: %[[ONES:.+]] = arith.extui %[[REAL]] : tensor<4xi1> to tensor<4xi64>
// CHECK-NEXT: %[[N:.+]] = nn.reduce sum %[[ONES]] dims [0] : tensor<4xi64> -> tensor<i64>
// CHECK-NEXT: %[[WEIGHTED:.+]] = arith.mulf %[[LOSSES]], %[[WEIGHTS]]
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[WEIGHTED]] : tensor<4xf32> to tensor<4xf64>
// CHECK-NEXT: %[[LOSS:.+]] = nn.reduce sum %[[WIDE]] dims [0] : tensor<4xf64> -> tensor<f64>
// The backward pass, seeded with the weights.
// CHECK-NEXT: %[[DZ:.+]] = nn.softmax_cross_entropy_grad %[[Z]], %[[Y]], %[[WEIGHTS]]
// CHECK-NEXT: %[[DR:.+]] = nn.matmul %[[DZ]], %[[W2]] : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
// CHECK-NEXT: %[[DW2:.+]] = nn.matmul %[[DZ]], %[[R]] {transpose_lhs} : tensor<4x2xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: %[[NIL:.+]] = arith.constant dense<0.000000e+00> : tensor<4x5xf32>
// CHECK-NEXT: %[[ACTIVE:.+]] = arith.cmpf ugt, %[[R]], %[[NIL]]
// CHECK-NEXT: %[[DH:.+]] = arith.select %[[ACTIVE]], %[[DR]], %[[NIL]]
// CHECK-NEXT: %[[DB1:.+]] = nn.reduce sum %[[DH]] dims [0] : tensor<4x5xf32> -> tensor<5xf32>
// CHECK-NEXT: %[[DW1:.+]] = nn.matmul %[[DH]], %[[X]] {transpose_lhs} : tensor<4x5xf32>, tensor<4x3xf32> -> tensor<5x3xf32>
// What was accumulated before is added slot by slot, in readiness order.
// CHECK-NEXT: %[[A2:.+]] = nn.unpack %[[ACC]] @params["fc2.weight"]
// CHECK-NEXT: %[[S2:.+]] = arith.addf %[[A2]], %[[DW2]] : tensor<2x5xf32>
// CHECK-NEXT: %[[AB:.+]] = nn.unpack %[[ACC]] @params["fc1.bias"]
// CHECK-NEXT: %[[SB:.+]] = arith.addf %[[AB]], %[[DB1]] : tensor<5xf32>
// CHECK-NEXT: %[[A1:.+]] = nn.unpack %[[ACC]] @params["fc1.weight"]
// CHECK-NEXT: %[[S1:.+]] = arith.addf %[[A1]], %[[DW1]] : tensor<5x3xf32>
// CHECK-NEXT: %[[SUM:.+]] = nn.pack @params(%[[S2]], %[[SB]], %[[S1]])
// CHECK-NEXT: return %[[SUM]], %[[N]], %[[N]], %[[LOSS]]

// CHECK: func.func @evaluate(
// CHECK-SAME: %[[W:[^:]+]]: tensor<30xf32> {nn.role = #nn.argument<parameters>},
// CHECK-SAME: %[[FROZEN:[^:]+]]: tensor<8xf32> {nn.role = #nn.argument<frozen>},
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x3xf32> {nn.name = "pixels", nn.role = #nn.argument<input>},
// CHECK-SAME: %[[Y:[^:]+]]: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 2>},
// CHECK-SAME: %[[WEIGHTS:[^:]+]]: tensor<4xf32> {nn.role = #nn.argument<weights>},
// CHECK-SAME: %{{[^:]+}}: tensor<4xi64> {nn.role = #nn.argument<ids>})
// CHECK-SAME: -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) {
// CHECK: nn.softmax_cross_entropy %[[Z:.+]], %[[Y]]
// CHECK: %[[LOSS:.+]] = nn.reduce sum {{.*}} -> tensor<f64>
// CHECK-NEXT: %[[CORRECT:.+]] = nn.count_correct %[[Z]], %[[Y]], %[[WEIGHTS]]
// CHECK: %[[N:.+]] = nn.reduce sum {{.*}} -> tensor<i64>
// CHECK-NEXT: return %[[LOSS]], %[[CORRECT]], %[[N]]

// CHECK: func.func @step(
// CHECK: func.func @lr(

// -----

// A log-softmax along the classes is absorbed as well.

module @log_softmax {
  nn.parameter @w parameter : tensor<3x2xf32>
  func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
    %w = nn.get @w : tensor<3x2xf32>
    %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
    %1 = nn.log_softmax %0 axis 1 : tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
}

// CHECK-LABEL: module @log_softmax
// An input without a name is called by its position.
// CHECK: func.func @gradient(
// CHECK-SAME: tensor<4x3xf32> {nn.name = "input0", nn.role = #nn.argument<input>}
// CHECK: %[[Z:.+]] = nn.matmul
// CHECK-NEXT: nn.softmax_cross_entropy %[[Z]],
// CHECK-NOT: nn.log_softmax

// -----

// The label gives way to an input that is called y.

module @label_name {
  nn.parameter @w parameter : tensor<3x2xf32>
  func.func @forward(%y: tensor<4x3xf32> {nn.name = "y"}) -> tensor<4x2xf32> {
    %w = nn.get @w : tensor<3x2xf32>
    %0 = nn.matmul %y, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}

// CHECK-LABEL: module @label_name
// CHECK: func.func @gradient(
// CHECK-SAME: tensor<4x3xf32> {nn.name = "y", nn.role = #nn.argument<input>}, %{{[^:]+}}: tensor<4xi64> {nn.name = "label", nn.role = #nn.argument<label classes 2>}

// -----

// A parameter used twice gets the sum of both gradients; one that does not
// reach the loss keeps what was accumulated, and its slot is last. Parameters
// of role statistic are slots like any other.

module @twice_and_never {
  nn.parameter @unused statistic : tensor<7xf64>
  nn.parameter @w parameter : tensor<2x2xf64>
  func.func @forward(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
    %w = nn.get @w : tensor<2x2xf64>
    %u = nn.get @unused : tensor<7xf64>
    %0 = nn.matmul %x, %w : tensor<4x2xf64>, tensor<2x2xf64> -> tensor<4x2xf64>
    %1 = nn.matmul %0, %w : tensor<4x2xf64>, tensor<2x2xf64> -> tensor<4x2xf64>
    return %1 : tensor<4x2xf64>
  }
}

// CHECK-LABEL: module @twice_and_never
// CHECK: nn.layout @params [#nn.slot<"w" : tensor<2x2xf64> at 0 parameter>, #nn.slot<"unused" : tensor<7xf64> at 4 statistic>]
// CHECK: func.func @gradient(
// CHECK-SAME: %[[ACC:[^:]+]]: tensor<11xf64> {nn.role = #nn.argument<accumulator>})
// CHECK: %[[W:.+]] = nn.unpack {{.*}}["w"]
// CHECK: %[[H:.+]] = nn.matmul %[[X:.+]], %[[W]] :
// CHECK: %[[DZ:.+]] = nn.softmax_cross_entropy_grad
// CHECK-NEXT: %[[DH:.+]] = nn.matmul %[[DZ]], %[[W]] {transpose_rhs}
// CHECK-NEXT: %[[D2:.+]] = nn.matmul %[[H]], %[[DZ]] {transpose_lhs}
// CHECK-NEXT: %[[D1:.+]] = nn.matmul %[[X]], %[[DH]] {transpose_lhs}
// CHECK-NEXT: %[[D:.+]] = arith.addf %[[D2]], %[[D1]]
// CHECK-NEXT: %[[A:.+]] = nn.unpack %[[ACC]] @params["w"]
// CHECK-NEXT: %[[S:.+]] = arith.addf %[[A]], %[[D]]
// CHECK-NEXT: %[[U:.+]] = nn.unpack %[[ACC]] @params["unused"]
// CHECK-NEXT: nn.pack @params(%[[S]], %[[U]])
