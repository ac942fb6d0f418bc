// The program of bounded staleness: a worker's job, a server's round.
// RUN: rubato-opt %s --expand-algorithm --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"bounded-staleness">) learning_rate(5.000000e-02)

// CHECK: gsync.group @all roles(@server = 1, @worker = rest)
// CHECK-NEXT: gsync.channel @ps on @all kind(mailbox) server(@server){{$}}
// CHECK-NEXT: gsync.policy @rule "staleness.rule" local with {adapt = true, alpha = 5.000000e-01 : f64, bound = "auto", "bound-floor" = 1 : i64, "cap-growth" = false, guard = true, "guard-ratio" = 1.200000e+00 : f64, "initial-loss" = "auto", k0 = "auto", "loss-floor" = 0.000000e+00 : f64, smoothing = 9.000000e-01 : f64, "target-loss" = "auto"} {
// CHECK-NEXT: gsync.entry @start : (i64) -> (i64, i64)
// CHECK-NEXT: gsync.entry @round : (f64, i64, i64, i64, i64) -> (i64, i64, i1)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.cell @w :
// The optimizer's state lives no longer than a job: it is no cell.
// CHECK-NEXT: gsync.cell @seen :
// CHECK-NEXT: gsync.cell @budget :
// CHECK-NEXT: gsync.cell @base_lr : tensor<f32> role(setting) default(5.000000e-02)
// CHECK-NEXT: gsync.role @worker on @all {
// CHECK-NEXT: gsync.init {
// CHECK-NEXT: %[[NEVER:.+]] = arith.constant -1 : i64
// CHECK-NEXT: %[[FIRST:.+]] = gsync.pull on @ps after(%[[NEVER]])
// CHECK-NEXT: gsync.yield %[[FIRST]]
// CHECK-NEXT: }
// CHECK-NEXT: gsync.strand (%[[CARRIED:.+]]: !gsync.future<tensor<6xf32>, tensor<i64>, i64, i1>) {
// Model, samples seen, ticket, go.
// CHECK-NEXT: %[[M:.+]]:4 = gsync.await %[[CARRIED]]
// CHECK-NEXT: %{{.+}}, %[[RANK:.+]] = gsync.view @all
// A newer model ends this job; after the end of the run there is none.
// CHECK-NEXT: %[[FRESH:.+]] = scf.if %[[M]]#3
// CHECK-NEXT: %[[P:.+]] = gsync.pull on @ps after(%[[M]]#2)
// CHECK-NEXT: scf.yield %[[P]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P:.+]] = gsync.ready
// CHECK-NEXT: scf.yield %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[STEPS:.+]] = arith.constant 5 : i64
// CHECK-NEXT: %[[NONE:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[MOST:.+]] = arith.select %[[M]]#3, %[[STEPS]], %[[NONE]] : i64
// CHECK-NEXT: %[[N0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[L0:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[V0:.+]] = gsync.zero : tensor<6xf32>
// CHECK-NEXT: %[[LEAST:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[R:.+]]:4, %[[K:.+]] = gsync.repeat until(%[[FRESH]] : {{.*}}) at_least(%[[LEAST]]) at_most(%[[MOST]]) iter(%[[M]]#0, %[[N0]], %[[L0]], %[[V0]] :
// CHECK-NEXT: ^bb0(%[[I:.+]]: i64, %[[Y:.+]]: tensor<6xf32>, %[[N:.+]]: tensor<i64>, %[[L:.+]]: tensor<f64>, %[[V:.+]]: tensor<6xf32>):
// CHECK-NEXT: %[[B:.+]]:4 = gsync.next_batch from(keyed(%[[RANK]], %[[M]]#2, %[[I]])) :
// CHECK-NEXT: %[[STEP:.+]] = arith.addi %[[M]]#1, %[[N]] : tensor<i64>
// CHECK: %[[G:.+]]:4 = func.call @gradient(%[[Y]], %[[B]]#0, %[[B]]#1, %[[B]]#2, %[[B]]#3, %[[STEP]],
// CHECK: %[[DN:.+]] = arith.addi %{{.+}}, %[[G]]#1
// CHECK: %[[DD:.+]] = arith.addi %{{.+}}, %[[G]]#2
// CHECK: %[[DL:.+]] = arith.addf %{{.+}}, %[[G]]#3
// The schedule counts what has reached the model.
// CHECK: %[[LR:.+]] = func.call @lr(%[[M]]#1, %[[DN]],
// CHECK: %[[D:.+]]:2 = func.call @step(%[[Y]], %[[V]], %[[G]]#0, %[[DD]], %[[LR]])
// The loss that steers is the mean of the first batch, at the downloaded model.
// CHECK: %[[LEAST:.+]] = arith.maxsi %[[DD]], %{{.+}} : tensor<i64>
// CHECK-NEXT: %[[DDF:.+]] = arith.sitofp %[[LEAST]]
// CHECK-NEXT: %[[MEAN:.+]] = arith.divf %[[DL]], %[[DDF]] : tensor<f64>
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[FIRST:.+]] = arith.cmpi eq, %[[I]], %[[ZERO]] : i64
// CHECK-NEXT: %[[Y1:.+]] = arith.subf %[[Y]], %[[D]]#0
// CHECK-NEXT: %[[N1:.+]] = arith.addi %[[N]], %[[DN]]
// CHECK-NEXT: %[[L1:.+]] = arith.select %[[FIRST]], %[[MEAN]], %[[L]] : tensor<f64>
// CHECK-NEXT: gsync.yield %[[Y1]], %[[N1]], %[[L1]], %[[D]]#1
// CHECK-NEXT: }
// Only a whole job is uploaded.
// CHECK-NEXT: %[[WHOLE:.+]] = arith.cmpi eq, %[[K]], %[[STEPS]] : i64
// CHECK-NEXT: %[[UPLOAD:.+]] = arith.andi %[[M]]#3, %[[WHOLE]] : i1
// CHECK-NEXT: scf.if %[[UPLOAD]] {
// CHECK-NEXT: %[[CHANGE:.+]] = arith.subf %[[R]]#0, %[[M]]#0
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested
// CHECK-NEXT: gsync.push on @ps(%[[CHANGE]], %[[R]]#2, %[[R]]#1, %[[STOP]]) ticket(%[[M]]#2)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.next %[[M]]#3(%[[FRESH]] :
// CHECK-NEXT: }
// CHECK-NEXT: gsync.drain (%[[LAST:.+]]: !gsync
// CHECK-NEXT: gsync.await %[[LAST]]
// CHECK-NEXT: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: gsync.role @server on @all device(host) {
// CHECK-NEXT: gsync.init {
// CHECK-NEXT: %[[WORKERS:.+]] = gsync.workers on @ps
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[ALIVE:.+]] = arith.maxsi %[[WORKERS]], %[[ONE]] : i64
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: %[[S:.+]]:2 = gsync.ask @rule::@start(%[[ALIVE]])
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen
// CHECK-NEXT: gsync.grant on @ps(%[[W]], %[[SEEN]]) stale_after(%[[S]]#1)
// CHECK-NEXT: gsync.yield %[[S]]#0 : i64
// CHECK-NEXT: }
// CHECK-NEXT: gsync.strand (%[[COUNT:.+]]: i64) {
// CHECK-NEXT: %[[SUM:.+]]:4, %[[WHO:.+]] = gsync.collect sum on @ps first(%[[COUNT]]) :
// CHECK-NEXT: %[[SIZE:.+]] = gsync.size %[[WHO]]
// CHECK-NEXT: %[[A:.+]]:2 = gsync.atomic (@w, @seen) -> (tensor<6xf32>, tensor<i64>) {
// CHECK-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>):
// CHECK: %[[DIVISOR:.+]] = tensor.splat
// CHECK-NEXT: %[[MOVE:.+]] = arith.divf %[[SUM]]#0, %[[DIVISOR]]
// CHECK-NEXT: %[[W1:.+]] = arith.addf %[[W]], %[[MOVE]]
// CHECK-NEXT: %[[SEEN1:.+]] = arith.addi %[[SEEN]], %[[SUM]]#2
// CHECK-NEXT: gsync.yield cells(%[[W1]], %[[SEEN1]] : tensor<6xf32>, tensor<i64>) %[[W1]], %[[SEEN1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[SEEN:.+]] = tensor.extract %[[A]]#1
// CHECK-NEXT: %[[LOSS:.+]] = tensor.extract %[[SUM]]#1
// CHECK-NEXT: %[[SIZEF:.+]] = arith.sitofp %[[SIZE]]
// CHECK-NEXT: %[[F:.+]] = arith.divf %[[LOSS]], %[[SIZEF]] : f64
// CHECK-NEXT: %[[ALIVE:.+]] = gsync.workers on @ps
// A request to stop may come from anybody, and the budget ends the run too.
// CHECK-NEXT: %[[THEIRS:.+]] = tensor.extract %[[SUM]]#3
// CHECK-NEXT: %[[OWN:.+]] = gsync.stop_requested
// CHECK-NEXT: %[[OWNI:.+]] = tensor.extract %[[OWN]]
// CHECK-NEXT: %[[REQUESTS:.+]] = arith.addi %[[THEIRS]], %[[OWNI]]
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget
// CHECK-NEXT: %[[BUDGETI:.+]] = tensor.extract %[[BUDGET]]
// CHECK-NEXT: %[[USED:.+]] = arith.cmpi sge, %[[SEEN]], %[[BUDGETI]] : i64
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[OVER:.+]] = arith.select %[[USED]], %[[ONE]], %[[REQUESTS]] : i64
// CHECK-NEXT: %[[NEXT:.+]]:3 = gsync.ask @rule::@round(%[[F]], %[[SIZE]], %[[ALIVE]], %[[SEEN]], %[[OVER]])
// CHECK-NEXT: scf.if %[[NEXT]]#2 {
// CHECK-NEXT: gsync.grant on @ps(%[[A]]#0, %[[A]]#1) to(%[[WHO]]) stale_after(%[[NEXT]]#1)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.next %[[NEXT]]#2(%[[NEXT]]#0 : i64)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.drain
// CHECK-NEXT: gsync.close on @ps
// CHECK-NEXT: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: gsync.model {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: gsync.yield %[[W]]
// CHECK-NOT: gsync.train
