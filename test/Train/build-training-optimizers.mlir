// The formulas of every optimizer, operation by operation.
// RUN: rubato-opt %s --build-training --verify-train | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: rubato-opt %s --build-training="momentum=0.75" --verify-train | FileCheck %s --check-prefixes=CHECK,MOMENTUM
// RUN: rubato-opt %s --build-training="momentum=0.75 nesterov=true" --verify-train | FileCheck %s --check-prefixes=CHECK,NESTEROV
// RUN: rubato-opt %s --build-training="momentum=0.75 weight-decay=0.125" --verify-train | FileCheck %s --check-prefixes=CHECK,COUPLED
// RUN: rubato-opt %s --build-training="momentum=0.75 weight-decay=0.125 decoupled-weight-decay=true" --verify-train | FileCheck %s --check-prefixes=CHECK,DECOUPLED
// RUN: rubato-opt %s --build-training="optimizer=adamw beta1=0.75 beta2=0.875 epsilon=0.0625 weight-decay=0.125" --verify-train | FileCheck %s --check-prefix=ADAMW
// RUN: rubato-opt %s --build-training="optimizer=adamw" --verify-train | FileCheck %s --check-prefix=ADAM

nn.parameter @w parameter : tensor<3x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Sums become means once, then the formula follows: g is the mean gradient.
// CHECK-LABEL: func.func @step(
// SGD-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}) {
// MOMENTUM-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[V:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) {
// NESTEROV-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[V:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) {
// COUPLED-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[V:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) {
// DECOUPLED-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[V:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) {
// Where no label counted the sum is zero, and is divided by one.
// CHECK-NEXT: %[[LEAST:.+]] = arith.constant dense<1> : tensor<i64>
// CHECK-NEXT: %[[DIVISOR:.+]] = arith.maxsi %[[N]], %[[LEAST]] : tensor<i64>
// CHECK-NEXT: %[[NF:.+]] = arith.sitofp %[[DIVISOR]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[INVERSE:.+]] = arith.divf %[[ONE]], %[[NF]]
// CHECK-NEXT: %[[SPREAD:.+]] = nn.broadcast %[[INVERSE]] dims [] : tensor<f32> -> tensor<6xf32>
// CHECK-NEXT: %[[G:.+]] = arith.mulf %[[SUM]], %[[SPREAD]]
// CHECK-NEXT: %[[RATE:.+]] = nn.broadcast %[[LR]] dims [] : tensor<f32> -> tensor<6xf32>

// d = lr g
// SGD-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[G]]
// SGD-NEXT: return %[[D]] : tensor<6xf32>

// v' = mu v + g; d = lr v'
// MOMENTUM-NEXT: %[[MU:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// MOMENTUM-NEXT: %[[MUV:.+]] = arith.mulf %[[MU]], %[[V]]
// MOMENTUM-NEXT: %[[V1:.+]] = arith.addf %[[MUV]], %[[G]]
// MOMENTUM-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[V1]]
// MOMENTUM-NEXT: return %[[D]], %[[V1]]

// v' = mu v + g; d = lr (g + mu v')
// NESTEROV-NEXT: %[[MU:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// NESTEROV-NEXT: %[[MUV:.+]] = arith.mulf %[[MU]], %[[V]]
// NESTEROV-NEXT: %[[V1:.+]] = arith.addf %[[MUV]], %[[G]]
// NESTEROV-NEXT: %[[MU1:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// NESTEROV-NEXT: %[[MUV1:.+]] = arith.mulf %[[MU1]], %[[V1]]
// NESTEROV-NEXT: %[[AHEAD:.+]] = arith.addf %[[G]], %[[MUV1]]
// NESTEROV-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[AHEAD]]
// NESTEROV-NEXT: return %[[D]], %[[V1]]

// Coupled decay enters the velocity: v' = mu v + (g + lambda w); d = lr v'
// COUPLED-NEXT: %[[LAMBDA:.+]] = arith.constant dense<1.250000e-01> : tensor<6xf32>
// COUPLED-NEXT: %[[LW:.+]] = arith.mulf %[[LAMBDA]], %[[W]]
// COUPLED-NEXT: %[[GD:.+]] = arith.addf %[[G]], %[[LW]]
// COUPLED-NEXT: %[[MU:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// COUPLED-NEXT: %[[MUV:.+]] = arith.mulf %[[MU]], %[[V]]
// COUPLED-NEXT: %[[V1:.+]] = arith.addf %[[MUV]], %[[GD]]
// COUPLED-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[V1]]
// COUPLED-NEXT: return %[[D]], %[[V1]]

// Decoupled decay passes it by: v' = mu v + g; d = lr (v' + lambda w)
// DECOUPLED-NEXT: %[[MU:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// DECOUPLED-NEXT: %[[MUV:.+]] = arith.mulf %[[MU]], %[[V]]
// DECOUPLED-NEXT: %[[V1:.+]] = arith.addf %[[MUV]], %[[G]]
// DECOUPLED-NEXT: %[[LAMBDA:.+]] = arith.constant dense<1.250000e-01> : tensor<6xf32>
// DECOUPLED-NEXT: %[[LW:.+]] = arith.mulf %[[LAMBDA]], %[[W]]
// DECOUPLED-NEXT: %[[DIR:.+]] = arith.addf %[[V1]], %[[LW]]
// DECOUPLED-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[DIR]]
// DECOUPLED-NEXT: return %[[D]], %[[V1]]

// ADAMW-LABEL: func.func @step(
// ADAMW-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %[[M:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[V:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<state>}, %[[C1:[^:]+]]: tensor<f64> {nn.role = #nn.argument<state>}, %[[C2:[^:]+]]: tensor<f64> {nn.role = #nn.argument<state>},
// ADAMW-SAME: %[[SUM:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<divisor>}, %[[LR:[^:]+]]: tensor<f32> {nn.role = #nn.argument<rate>})
// ADAMW-SAME: -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}, tensor<6xf32> {nn.role = #nn.result<state>}, tensor<f64> {nn.role = #nn.result<state>}, tensor<f64> {nn.role = #nn.result<state>}) {
// ADAMW: %[[G:.+]] = arith.mulf %[[SUM]],
// ADAMW-NEXT: %[[RATE:.+]] = nn.broadcast %[[LR]] dims []
// m' = b1 m + (1 - b1) g
// ADAMW-NEXT: %[[B1:.+]] = arith.constant dense<7.500000e-01> : tensor<6xf32>
// ADAMW-NEXT: %[[B1M:.+]] = arith.mulf %[[B1]], %[[M]]
// ADAMW-NEXT: %[[A1:.+]] = arith.constant dense<2.500000e-01> : tensor<6xf32>
// ADAMW-NEXT: %[[A1G:.+]] = arith.mulf %[[A1]], %[[G]]
// ADAMW-NEXT: %[[M1:.+]] = arith.addf %[[B1M]], %[[A1G]]
// v' = b2 v + (1 - b2) g²
// ADAMW-NEXT: %[[B2:.+]] = arith.constant dense<8.750000e-01> : tensor<6xf32>
// ADAMW-NEXT: %[[B2V:.+]] = arith.mulf %[[B2]], %[[V]]
// ADAMW-NEXT: %[[GG:.+]] = arith.mulf %[[G]], %[[G]]
// ADAMW-NEXT: %[[A2:.+]] = arith.constant dense<1.250000e-01> : tensor<6xf32>
// ADAMW-NEXT: %[[A2G:.+]] = arith.mulf %[[A2]], %[[GG]]
// ADAMW-NEXT: %[[V1:.+]] = arith.addf %[[B2V]], %[[A2G]]
// c' = b c + (1 - b), which is 1 - b^t, in f64
// ADAMW-NEXT: %[[B1C:.+]] = arith.constant dense<7.500000e-01> : tensor<f64>
// ADAMW-NEXT: %[[C1B:.+]] = arith.mulf %[[B1C]], %[[C1]]
// ADAMW-NEXT: %[[A1C:.+]] = arith.constant dense<2.500000e-01> : tensor<f64>
// ADAMW-NEXT: %[[C1N:.+]] = arith.addf %[[C1B]], %[[A1C]]
// ADAMW-NEXT: %[[B2C:.+]] = arith.constant dense<8.750000e-01> : tensor<f64>
// ADAMW-NEXT: %[[C2B:.+]] = arith.mulf %[[B2C]], %[[C2]]
// ADAMW-NEXT: %[[A2C:.+]] = arith.constant dense<1.250000e-01> : tensor<f64>
// ADAMW-NEXT: %[[C2N:.+]] = arith.addf %[[C2B]], %[[A2C]]
// d = lr (m'/c1' / (sqrt(v')/sqrt(c2') + eps) + lambda w)
// ADAMW-NEXT: %[[R2:.+]] = math.sqrt %[[C2N]] : tensor<f64>
// ADAMW-NEXT: %[[RV:.+]] = math.sqrt %[[V1]] : tensor<6xf32>
// ADAMW-NEXT: %[[R2F:.+]] = arith.truncf %[[R2]] : tensor<f64> to tensor<f32>
// ADAMW-NEXT: %[[R2S:.+]] = nn.broadcast %[[R2F]] dims []
// ADAMW-NEXT: %[[Q:.+]] = arith.divf %[[RV]], %[[R2S]]
// ADAMW-NEXT: %[[EPS:.+]] = arith.constant dense<6.250000e-02> : tensor<6xf32>
// ADAMW-NEXT: %[[DEN:.+]] = arith.addf %[[Q]], %[[EPS]]
// ADAMW-NEXT: %[[C1F:.+]] = arith.truncf %[[C1N]] : tensor<f64> to tensor<f32>
// ADAMW-NEXT: %[[C1S:.+]] = nn.broadcast %[[C1F]] dims []
// ADAMW-NEXT: %[[MH:.+]] = arith.divf %[[M1]], %[[C1S]]
// ADAMW-NEXT: %[[DIR:.+]] = arith.divf %[[MH]], %[[DEN]]
// ADAMW-NEXT: %[[LAMBDA:.+]] = arith.constant dense<1.250000e-01> : tensor<6xf32>
// ADAMW-NEXT: %[[LW:.+]] = arith.mulf %[[LAMBDA]], %[[W]]
// ADAMW-NEXT: %[[DIRW:.+]] = arith.addf %[[DIR]], %[[LW]]
// ADAMW-NEXT: %[[D:.+]] = arith.mulf %[[RATE]], %[[DIRW]]
// ADAMW-NEXT: return %[[D]], %[[M1]], %[[V1]], %[[C1N]], %[[C2N]]

// Without decay the weights are not read.
// ADAM-LABEL: func.func @step(
// ADAM-SAME: %[[W:[^:]+]]: tensor<6xf32> {nn.role = #nn.argument<parameters>},
// ADAM-NOT: %[[W]]{{[^0-9]}}
// ADAM: return
