// The program of dc-asgd: a worker's job, a server's round.
// RUN: rubato-opt %s --expand-algorithm --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"dc-asgd">) learning_rate(5.000000e-02)

// CHECK: gsync.group @all roles(@server = 1, @worker = rest)
// CHECK-NEXT: gsync.channel @ps on @all kind(mailbox) server(@server){{$}}
// CHECK-NEXT: gsync.cell @w :
// The optimizer is the server's.
// CHECK-NEXT: gsync.cell @state0 :
// CHECK-NEXT: gsync.cell @seen :
// CHECK-NEXT: gsync.cell @budget :
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.cell @mean_square : tensor<6xf32> role(state)
// CHECK-NEXT: gsync.role @worker on @all {
// CHECK-NEXT: gsync.init {
// CHECK: %[[FIRST:.+]] = gsync.pull on @ps
// CHECK: gsync.strand (%[[CARRIED:.+]]: !gsync.future<tensor<6xf32>, tensor<i64>, i64, i1>) {
// Model, samples seen, ticket, go.
// CHECK-NEXT: %[[M:.+]]:4 = gsync.await %[[CARRIED]]
// CHECK-NEXT: %{{.+}}, %[[RANK:.+]] = gsync.view @all
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[NONE:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[MANY:.+]] = arith.select %[[M]]#3, %[[ONE]], %[[NONE]] : i64
// CHECK: %[[G:.+]]:4, %{{.+}} = gsync.repeat at_least(%[[MANY]]) at_most(%[[MANY]]) iter(
// CHECK-NEXT: ^bb0(%[[I:.+]]: i64, %[[SUM:.+]]: tensor<6xf32>, %[[N:.+]]: tensor<i64>, %[[D:.+]]: tensor<i64>, %[[L:.+]]: tensor<f64>):
// CHECK-NEXT: %[[B:.+]]:4 = gsync.next_batch from(keyed(%[[RANK]], %[[M]]#2, %[[I]])) :
// CHECK-NEXT: %[[STEP:.+]] = arith.addi %[[M]]#1, %[[N]] : tensor<i64>
// All micro-batches of a job at the one model.
// CHECK-NEXT: func.call @gradient(%[[M]]#0, %[[B]]#0, %[[B]]#1, %[[B]]#2, %[[B]]#3, %[[STEP]], %[[SUM]])
// The model goes back with the gradient.
// CHECK: scf.if %[[M]]#3 {
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested
// CHECK-NEXT: gsync.push on @ps(%[[G]]#0, %[[M]]#0, %[[G]]#1, %[[G]]#2, %[[STOP]]) ticket(%[[M]]#2)
// CHECK-NEXT: }
// CHECK-NEXT: %[[FRESH:.+]] = scf.if %[[M]]#3
// CHECK-NEXT: gsync.pull on @ps after(%[[M]]#2)
// CHECK: gsync.next %[[M]]#3(%[[FRESH]] :
// CHECK: gsync.role @server on @all device(host) {
// CHECK-NEXT: gsync.init {
// CHECK: %[[NEVER:.+]] = arith.constant 9223372036854775807 : i64
// CHECK-NEXT: gsync.grant on @ps(%{{.+}}, %{{.+}}) stale_after(%[[NEVER]])
// CHECK: gsync.strand {
// CHECK-NEXT: %[[FIRST:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[U:.+]]:5, %[[WHO:.+]] = gsync.collect sum on @ps first(%[[FIRST]]) :
// CHECK: %[[LEAST:.+]] = arith.maxsi %[[U]]#3, %{{.+}} : tensor<i64>
// CHECK: %[[COUNT:.+]] = tensor.splat
// CHECK-NEXT: %[[MEAN:.+]] = arith.divf %[[U]]#0, %[[COUNT]]
// MS = decay MS + (1 - decay) g g, then lambda / sqrt(MS + epsilon).
// CHECK: %[[MS:.+]] = gsync.atomic (@mean_square) -> (tensor<6xf32>) {
// CHECK-NEXT: ^bb0(%[[OLD:.+]]: tensor<6xf32>):
// CHECK: arith.constant 0.94999999999999996 : f64
// CHECK: %[[KEPT:.+]] = arith.mulf %{{.+}}, %[[OLD]]
// CHECK-NEXT: %[[SQUARE:.+]] = arith.mulf %[[MEAN]], %[[MEAN]]
// CHECK: %[[ADDED:.+]] = arith.mulf %{{.+}}, %[[SQUARE]]
// CHECK-NEXT: %[[NEW:.+]] = arith.addf %[[KEPT]], %[[ADDED]]
// CHECK-NEXT: gsync.yield cells(%[[NEW]] : tensor<6xf32>) %[[NEW]] : tensor<6xf32>
// CHECK: %[[MORE:.+]] = arith.addf %[[MS]], %{{.+}}
// CHECK-NEXT: %[[ROOT:.+]] = math.sqrt %[[MORE]]
// CHECK-NEXT: %[[FACTOR:.+]] = arith.divf %{{.+}}, %[[ROOT]]
// CHECK: %[[A:.+]]:2 = gsync.atomic (@w, @state0, @seen) -> (tensor<6xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %[[V:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>):
// CHECK: %[[WAY:.+]] = arith.subf %[[W]], %[[U]]#1
// CHECK-NEXT: %[[SQUARE:.+]] = arith.mulf %[[MEAN]], %[[MEAN]]
// CHECK-NEXT: %[[CHANGE:.+]] = arith.mulf %[[SQUARE]], %[[WAY]]
// CHECK-NEXT: %[[CORRECTION:.+]] = arith.mulf %[[FACTOR]], %[[CHANGE]]
// CHECK-NEXT: %[[WHOLE:.+]] = arith.mulf %[[COUNT]], %[[CORRECTION]]
// CHECK-NEXT: %[[USED:.+]] = arith.addf %[[U]]#0, %[[WHOLE]]
// CHECK-NEXT: func.call @step(%[[W]], %[[V]], %[[USED]], %[[U]]#3,
// CHECK: }
// CHECK: %[[OWN:.+]] = gsync.stop_requested
// CHECK-NEXT: arith.addi %[[U]]#4, %[[OWN]]
// CHECK: %[[GO:.+]] = arith.andi
// CHECK-NEXT: scf.if %[[GO]] {
// CHECK: gsync.grant on @ps(%[[A]]#0, %[[A]]#1) to(%[[WHO]]) stale_after(
// CHECK: gsync.next %[[GO]]
// CHECK: gsync.drain
// CHECK-NEXT: gsync.close on @ps
// CHECK-NOT: gsync.train
