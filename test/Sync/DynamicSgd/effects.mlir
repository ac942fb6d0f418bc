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
func.func private @gradient(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}, tensor<i64> {nn.role = #nn.argument<step>}, tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>})
func.func private @evaluate(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, tensor<4xf32> {nn.role = #nn.argument<weights>}, tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func private @step(tensor<6xf32> {nn.role = #nn.argument<parameters>}, tensor<6xf32> {nn.role = #nn.argument<state>}, tensor<6xf32> {nn.role = #nn.argument<gradient>}, tensor<i64> {nn.role = #nn.argument<divisor>}, tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>})
func.func private @lr(tensor<i64> {nn.role = #nn.argument<seen>}, tensor<i64> {nn.role = #nn.argument<samples>}, tensor<f32> {nn.role = #nn.argument<base_rate>}, tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>})
gsync.train algorithm(#gsync.algorithm<"dynamic-sgd">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK: gsync.channel @grads
// CHECK: gsync.policy @ramp
// CHECK: gsync.entry @factor
// CHECK: gsync.cell @w
// CHECK: gsync.cell @state0
// CHECK: gsync.cell @seen
// CHECK: gsync.cell @budget
// CHECK: gsync.cell @base_lr
// CHECK: gsync.role @worker
// CHECK: gsync.strand
// CHECK: gsync.view @world
// CHECK: gsync.load @w :
// CHECK: gsync.load @seen :
// CHECK: gsync.quanta
// CHECK: gsync.repeat
// CHECK: gsync.next_batch from(cursor
// CHECK: call @gradient
// CHECK: gsync.stop_requested
// CHECK: gsync.all_reduce sum on @grads
// CHECK: gsync.await
// CHECK: gsync.round_samples
// CHECK: gsync.commit on @world
// CHECK: scf.if
// CHECK: gsync.ask @ramp::@factor
// CHECK: gsync.load @base_lr :
// CHECK: gsync.load @budget :
// CHECK: gsync.atomic (@w, @state0, @seen)
// CHECK: call @lr
// CHECK: call @step
// CHECK: gsync.load @seen :
// CHECK: gsync.load @budget :
// CHECK: gsync.next
// CHECK: gsync.model
// CHECK: gsync.load @w :
