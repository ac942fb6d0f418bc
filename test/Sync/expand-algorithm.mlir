// The algorithm's attribute writes the program in place of gsync.train.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %v: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
gsync.train algorithm(#allreduce.algorithm) learning_rate(2.500000e-01)
func.func private @behind()

// CHECK: module attributes {rubato.stage = "sync"}
// CHECK: func.func @lr
// CHECK: gsync.group
// CHECK: default(2.500000e-01)
// CHECK: gsync.role
// CHECK: gsync.model
// CHECK: func.func private @behind
// CHECK-NOT: gsync.train
