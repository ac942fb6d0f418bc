// Upstream passes leave the program what it is: the same operations on
// channels, cells, policies and data, in the same order, and no others.
// DEFINE: %{check} = FileCheck %s --implicit-check-not=gsync.all_reduce --implicit-check-not=gsync.await --implicit-check-not=gsync.next_batch --implicit-check-not=gsync.ask --implicit-check-not=gsync.commit --implicit-check-not=gsync.atomic
// RUN: rubato-opt %s --expand-algorithm | %{check}
// RUN: rubato-opt %s --expand-algorithm --canonicalize | %{check}
// RUN: rubato-opt %s --expand-algorithm --cse | %{check}
// RUN: rubato-opt %s --expand-algorithm --sccp | %{check}
// RUN: rubato-opt %s --expand-algorithm --inline | %{check}
// RUN: rubato-opt %s --expand-algorithm --symbol-dce | %{check}
// RUN: rubato-opt %s --expand-algorithm --remove-dead-values | %{check}
// RUN: rubato-opt %s --expand-algorithm --loop-invariant-code-motion | %{check}
// RUN: rubato-opt %s --expand-algorithm --canonicalize --cse --sccp --inline --loop-invariant-code-motion --remove-dead-values --canonicalize | %{check}

nn.layout @params [#nn.slot<"w" : tensor<6xf32> at 0 parameter>]
func.func private @gradient(tensor<6xf32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<i64>, tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>)
func.func private @step(tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<i64>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
func.func private @lr(tensor<i64>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<f32>
gsync.train algorithm(#local_sgd.algorithm) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK: gsync.channel @average
// CHECK: gsync.cell @w
// CHECK: gsync.cell @state0
// CHECK: gsync.cell @seen
// CHECK: gsync.cell @budget
// CHECK: gsync.cell @base_lr
// CHECK: gsync.role @worker
// CHECK: gsync.strand
// CHECK: gsync.load @w :
// CHECK: gsync.load @state0 :
// CHECK: gsync.view @world
// CHECK: gsync.load @seen :
// CHECK: gsync.repeat
// CHECK: gsync.next_batch from(queue
// CHECK: call @gradient
// CHECK: gsync.load @base_lr :
// CHECK: gsync.load @budget :
// CHECK: call @lr
// CHECK: call @step
// CHECK: gsync.stop_requested
// CHECK: gsync.all_reduce sum on @average
// CHECK: gsync.await
// CHECK: gsync.atomic (@w, @state0, @seen)
// CHECK: gsync.load @seen :
// CHECK: gsync.load @budget :
// CHECK: gsync.next
// CHECK: gsync.model
// CHECK: gsync.load @w :
