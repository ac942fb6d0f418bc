// Learning-rate schedules, clocked in samples.
// RUN: rubato-opt %s --build-training --verify-train | FileCheck %s --check-prefixes=CHECK,CONSTANT
// RUN: rubato-opt %s --build-training="schedule=cosine" --verify-train | FileCheck %s --check-prefixes=CHECK,COSINE
// RUN: rubato-opt %s --build-training="schedule=step step-every=1000 step-factor=0.5" --verify-train | FileCheck %s --check-prefixes=CHECK,STEP
// RUN: rubato-opt %s --build-training="warmup=500" --verify-train | FileCheck %s --check-prefixes=CHECK,WARMUP
// RUN: rubato-opt %s --build-training="schedule=cosine warmup=500" --verify-train | FileCheck %s --check-prefixes=CHECK,BOTH

nn.parameter @w parameter : tensor<3x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @lr(
// CHECK-SAME: %[[SEEN:[^:]+]]: tensor<i64> {nn.role = #nn.argument<seen>}, %[[N:[^:]+]]: tensor<i64> {nn.role = #nn.argument<samples>}, %[[BASE:[^:]+]]: tensor<f32> {nn.role = #nn.argument<base_rate>}, %[[BUDGET:[^:]+]]: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) {

// CONSTANT-NEXT: return %[[BASE]]

// base · ½ (1 + cos(pi seen / budget)); the ratio is formed in f64
// COSINE-NEXT: %[[S:.+]] = arith.sitofp %[[SEEN]] : tensor<i64> to tensor<f64>
// COSINE-NEXT: %[[B:.+]] = arith.sitofp %[[BUDGET]] : tensor<i64> to tensor<f64>
// COSINE-NEXT: %[[Q:.+]] = arith.divf %[[S]], %[[B]] : tensor<f64>
// COSINE-NEXT: %[[QF:.+]] = arith.truncf %[[Q]] : tensor<f64> to tensor<f32>
// COSINE-NEXT: %[[PI:.+]] = arith.constant dense<3.14159274> : tensor<f32>
// COSINE-NEXT: %[[ANGLE:.+]] = arith.mulf %[[QF]], %[[PI]]
// COSINE-NEXT: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// COSINE-NEXT: %[[COS:.+]] = math.cos %[[ANGLE]]
// COSINE-NEXT: %[[RAISED:.+]] = arith.addf %[[ONE]], %[[COS]]
// COSINE-NEXT: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<f32>
// COSINE-NEXT: %[[FACTOR:.+]] = arith.mulf %[[HALF]], %[[RAISED]]
// COSINE-NEXT: %[[RATE:.+]] = arith.mulf %[[BASE]], %[[FACTOR]]
// COSINE-NEXT: return %[[RATE]]

// base · exp(log(factor) · floor(seen / every))
// STEP-NEXT: %[[EVERY:.+]] = arith.constant dense<1000> : tensor<i64>
// STEP-NEXT: %[[K:.+]] = arith.divsi %[[SEEN]], %[[EVERY]]
// STEP-NEXT: %[[KF:.+]] = arith.sitofp %[[K]] : tensor<i64> to tensor<f32>
// STEP-NEXT: %[[LOG:.+]] = arith.constant dense<-0.693147182> : tensor<f32>
// STEP-NEXT: %[[E:.+]] = arith.mulf %[[KF]], %[[LOG]]
// STEP-NEXT: %[[FACTOR:.+]] = math.exp %[[E]]
// STEP-NEXT: %[[RATE:.+]] = arith.mulf %[[BASE]], %[[FACTOR]]
// STEP-NEXT: return %[[RATE]]

// base · min((seen + n) / warmup, 1): the first step already moves
// WARMUP-NEXT: %[[AFTER:.+]] = arith.addi %[[SEEN]], %[[N]]
// WARMUP-NEXT: %[[OVER:.+]] = arith.constant dense<500> : tensor<i64>
// WARMUP-NEXT: %[[A:.+]] = arith.sitofp %[[AFTER]] : tensor<i64> to tensor<f64>
// WARMUP-NEXT: %[[O:.+]] = arith.sitofp %[[OVER]] : tensor<i64> to tensor<f64>
// WARMUP-NEXT: %[[Q:.+]] = arith.divf %[[A]], %[[O]] : tensor<f64>
// WARMUP-NEXT: %[[PART:.+]] = arith.truncf %[[Q]] : tensor<f64> to tensor<f32>
// WARMUP-NEXT: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<f32>
// WARMUP-NEXT: %[[WARM:.+]] = arith.cmpf olt, %[[PART]], %[[ONE]]
// WARMUP-NEXT: %[[FACTOR:.+]] = arith.select %[[WARM]], %[[PART]], %[[ONE]]
// WARMUP-NEXT: %[[RATE:.+]] = arith.mulf %[[BASE]], %[[FACTOR]]
// WARMUP-NEXT: return %[[RATE]]

// Warm-up multiplies whatever the schedule gives.
// BOTH: %[[OUTER:.+]] = arith.mulf %[[BASE]],
// BOTH: %[[FACTOR:.+]] = arith.select
// BOTH-NEXT: %[[RATE:.+]] = arith.mulf %[[OUTER]], %[[FACTOR]]
// BOTH-NEXT: return %[[RATE]]
