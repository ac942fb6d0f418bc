// An optimizer with a state is refused, with what to use in its place.
// RUN: not rubato-opt %s --expand-algorithm 2>&1 | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %v: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
// CHECK: [[#@LINE+1]]:1: error: 'gsync.train' op cannot keep the state of an optimizer: replicas start afresh at every merge; use plain SGD without --momentum, and give the merged model a momentum by --algorithm-option gamma=0.9
gsync.train algorithm(#adaptive_sgd.algorithm) learning_rate(5.000000e-02)
