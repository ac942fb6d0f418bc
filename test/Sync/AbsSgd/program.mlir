// The program of abs-sgd, line by line.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"abs-sgd">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @grads on @world kind(collective)
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen : tensor<i64> role(counter)
// CHECK-NEXT: gsync.cell @budget : tensor<i64> role(setting)
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.role @worker on @world {
// The round before the first: nothing was summed.
// CHECK-NEXT: gsync.init {
// CHECK-NEXT: %[[READY:.+]] = gsync.ready : !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>
// CHECK-NEXT: gsync.yield %[[READY]] : !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>
// CHECK-NEXT: }
// CHECK-NEXT: gsync.strand (%[[A:.+]]: !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>) {
// Gradients are taken at the parameters of this round, as many as fit until
// the sum of the last round has arrived.
// CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[C:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[ZERO1:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[D0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[ZERO2:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[RESULTS:.+]]:4, %[[COUNT:.+]] = gsync.repeat until(%[[A]] : !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>) at_least(%[[C]]) iter(%[[ZERO]], %[[ZERO1]], %[[D0]], %[[ZERO2]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[A1:.+]]: i64, %[[A2:.+]]: tensor<6xf32>, %[[A3:.+]]: tensor<i64>, %[[D:.+]]: tensor<i64>, %[[A4:.+]]: tensor<f64>):
// The reduction that a batch goes into acknowledges it.
// CHECK-NEXT: %[[BATCH:.+]]:4 = gsync.next_batch from(queue acked_by(@grads))
// CHECK-NEXT: %[[GRAD:.+]]:4 = func.call @gradient(%[[W]], %[[BATCH]]#0, %[[BATCH]]#1, %[[BATCH]]#2, %[[BATCH]]#3, %[[SEEN]], %[[A2]])
// CHECK-NEXT: %[[V:.+]] = arith.addi %[[A3]], %[[GRAD]]#1 : tensor<i64>
// CHECK-NEXT: %[[D1:.+]] = arith.addi %[[D]], %[[GRAD]]#2 : tensor<i64>
// CHECK-NEXT: %[[V1:.+]] = arith.addf %[[A4]], %[[GRAD]]#3 : tensor<f64>
// CHECK-NEXT: gsync.yield %[[GRAD]]#0, %[[V]], %[[D1]], %[[V1]] : tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>
// CHECK-NEXT: }
// The next reduction starts before the last one is applied.
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
// CHECK-NEXT: %[[FUTURE:.+]] = gsync.all_reduce sum on @grads(%[[RESULTS]]#0, %[[RESULTS]]#1, %[[RESULTS]]#2, %[[RESULTS]]#3, %[[STOP]])
// CHECK-NEXT: %[[SUMS:.+]]:5 = gsync.await %[[A]]
// CHECK-NEXT: %[[HOST:.+]] = tensor.extract %[[SUMS]]#1[] : tensor<i64>
// CHECK-NEXT: %[[C1:.+]] = arith.constant 0 : i64
// False in the first round only, on every member.
// CHECK-NEXT: %[[TEST:.+]] = arith.cmpi sgt, %[[HOST]], %[[C1]] : i64
// CHECK-NEXT: scf.if %[[TEST]] {
// The learning rate of a batch is linear in its samples: here by one
// micro-batch of each member, within a quarter and four times.
// CHECK-NEXT: %[[MEMBERS:.+]], %[[RANK:.+]] = gsync.view @world : i64, i64
// CHECK-NEXT: %[[C2:.+]] = arith.constant 4 : i64
// CHECK-NEXT: %[[V2:.+]] = arith.muli %[[C2]], %[[MEMBERS]] : i64
// CHECK-NEXT: %[[V3:.+]] = arith.sitofp %[[HOST]] : i64 to f64
// CHECK-NEXT: %[[V4:.+]] = arith.sitofp %[[V2]] : i64 to f64
// CHECK-NEXT: %[[V5:.+]] = arith.divf %[[V3]], %[[V4]] : f64
// CHECK-NEXT: %[[C3:.+]] = arith.constant 2.500000e-01 : f64
// CHECK-NEXT: %[[V6:.+]] = arith.maximumf %[[V5]], %[[C3]] : f64
// CHECK-NEXT: %[[C4:.+]] = arith.constant 4.000000e+00 : f64
// CHECK-NEXT: %[[V7:.+]] = arith.minimumf %[[V6]], %[[C4]] : f64
// CHECK-NEXT: %[[V8:.+]] = arith.truncf %[[V7]] : f64 to f32
// CHECK-NEXT: %[[SPLAT:.+]] = tensor.splat %[[V8]] : tensor<f32>
// CHECK-NEXT: %[[BASE_LR:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[A5:.+]]: tensor<6xf32>, %[[A6:.+]]: tensor<6xf32>, %[[A7:.+]]: tensor<i64>):
// CHECK-NEXT: %[[LR:.+]] = func.call @lr(%[[A7]], %[[SUMS]]#1, %[[BASE_LR]], %[[BUDGET]])
// CHECK-NEXT: %[[V9:.+]] = arith.mulf %[[LR]], %[[SPLAT]] : tensor<f32>
// CHECK-NEXT: %[[STEP:.+]]:2 = func.call @step(%[[A5]], %[[A6]], %[[SUMS]]#0, %[[SUMS]]#2, %[[V9]])
// CHECK-NEXT: %[[V10:.+]] = arith.subf %[[A5]], %[[STEP]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[V11:.+]] = arith.addi %[[A7]], %[[SUMS]]#1 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[V10]], %[[STEP]]#1, %[[V11]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %[[SEEN1:.+]] = gsync.load @seen : tensor<i64>
// CHECK-NEXT: %[[HOST1:.+]] = tensor.extract %[[SEEN1]][] : tensor<i64>
// CHECK-NEXT: %[[BUDGET1:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: %[[HOST2:.+]] = tensor.extract %[[BUDGET1]][] : tensor<i64>
// CHECK-NEXT: %[[TEST1:.+]] = arith.cmpi slt, %[[HOST1]], %[[HOST2]] : i64
// CHECK-NEXT: %[[HOST3:.+]] = tensor.extract %[[SUMS]]#4[] : tensor<i64>
// CHECK-NEXT: %[[C5:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[TEST2:.+]] = arith.cmpi eq, %[[HOST3]], %[[C5]] : i64
// CHECK-NEXT: %[[V12:.+]] = arith.andi %[[TEST1]], %[[TEST2]] : i1
// CHECK-NEXT: gsync.next %[[V12]](%[[FUTURE]] : !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>)
// CHECK-NEXT: }
// The last reduction is applied as any other.
// CHECK-NEXT: gsync.drain (%[[A8:.+]]: !gsync.future<tensor<6xf32>, tensor<i64>, tensor<i64>, tensor<f64>, tensor<i64>>) {
// CHECK-NEXT: %[[SUMS1:.+]]:5 = gsync.await %[[A8]]
// CHECK-NEXT: %[[HOST4:.+]] = tensor.extract %[[SUMS1]]#1[] : tensor<i64>
// CHECK-NEXT: %[[C6:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[TEST3:.+]] = arith.cmpi sgt, %[[HOST4]], %[[C6]] : i64
// CHECK-NEXT: scf.if %[[TEST3]] {
// CHECK-NEXT: %[[MEMBERS1:.+]], %[[RANK1:.+]] = gsync.view @world : i64, i64
// CHECK-NEXT: %[[C7:.+]] = arith.constant 4 : i64
// CHECK-NEXT: %[[V13:.+]] = arith.muli %[[C7]], %[[MEMBERS1]] : i64
// CHECK-NEXT: %[[V14:.+]] = arith.sitofp %[[HOST4]] : i64 to f64
// CHECK-NEXT: %[[V15:.+]] = arith.sitofp %[[V13]] : i64 to f64
// CHECK-NEXT: %[[V16:.+]] = arith.divf %[[V14]], %[[V15]] : f64
// CHECK-NEXT: %[[C8:.+]] = arith.constant 2.500000e-01 : f64
// CHECK-NEXT: %[[V17:.+]] = arith.maximumf %[[V16]], %[[C8]] : f64
// CHECK-NEXT: %[[C9:.+]] = arith.constant 4.000000e+00 : f64
// CHECK-NEXT: %[[V18:.+]] = arith.minimumf %[[V17]], %[[C9]] : f64
// CHECK-NEXT: %[[V19:.+]] = arith.truncf %[[V18]] : f64 to f32
// CHECK-NEXT: %[[SPLAT1:.+]] = tensor.splat %[[V19]] : tensor<f32>
// CHECK-NEXT: %[[BASE_LR1:.+]] = gsync.load @base_lr : tensor<f32>
// CHECK-NEXT: %[[BUDGET2:.+]] = gsync.load @budget : tensor<i64>
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen) {
// CHECK-NEXT: ^bb0(%[[A9:.+]]: tensor<6xf32>, %[[A10:.+]]: tensor<6xf32>, %[[A11:.+]]: tensor<i64>):
// CHECK-NEXT: %[[LR1:.+]] = func.call @lr(%[[A11]], %[[SUMS1]]#1, %[[BASE_LR1]], %[[BUDGET2]])
// CHECK-NEXT: %[[V20:.+]] = arith.mulf %[[LR1]], %[[SPLAT1]] : tensor<f32>
// CHECK-NEXT: %[[STEP1:.+]]:2 = func.call @step(%[[A9]], %[[A10]], %[[SUMS1]]#0, %[[SUMS1]]#2, %[[V20]])
// CHECK-NEXT: %[[V21:.+]] = arith.subf %[[A9]], %[[STEP1]]#0 : tensor<6xf32>
// CHECK-NEXT: %[[V22:.+]] = arith.addi %[[A11]], %[[SUMS1]]#1 : tensor<i64>
// CHECK-NEXT: gsync.yield cells(%[[V21]], %[[STEP1]]#1, %[[V22]] : tensor<6xf32>, tensor<6xf32>, tensor<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W1:.+]] = gsync.load @w : tensor<6xf32>
// CHECK-NEXT: gsync.yield %[[W1]] : tensor<6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: gsync.train
