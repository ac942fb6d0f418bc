// The program of accelerated gossip: two strands that meet at a rendezvous.
// RUN: rubato-opt %s --expand-algorithm | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"a2cid2">) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @start on @world kind(collective)
// CHECK-NEXT: gsync.channel @gossip on @world kind(pair)
// CHECK-NEXT: gsync.channel @average on @world kind(collective)
// CHECK-NEXT: gsync.rendezvous @turn
// CHECK-NEXT: gsync.policy @match "gossip.matcher" central with {accelerate = true, goal = 1099511627776 : i64, rate = 1.000000e+00 : f64, repair = "close", topology = "complete"} {
// CHECK-NEXT: gsync.entry @constants : () -> (f64, f64)
// CHECK-NEXT: gsync.entry @report : (i64, i64) -> i1
// CHECK-NEXT: gsync.entry @next : () -> (i64, i64, i1)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.policy @quota "gossip.quota" local with {deterministic = false, rate = 1.000000e+00 : f64} {
// CHECK-NEXT: gsync.entry @averaged : () -> i1
// CHECK-NEXT: }
// CHECK-NEXT: gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
// CHECK-NEXT: gsync.cell @state0 : tensor<6xf32> role(optimizer)
// CHECK-NEXT: gsync.cell @seen
// CHECK-NEXT: gsync.cell @budget
// CHECK-NEXT: gsync.cell @base_lr
// CHECK-NEXT: gsync.cell @xt : tensor<6xf32> role(state)
// CHECK-NEXT: gsync.cell @last : f64 role(state)
// CHECK-NEXT: gsync.cell @dt : f64 role(state)
// CHECK-NEXT: gsync.cell @eta : f64 role(state)
// CHECK-NEXT: gsync.cell @eta_graph : f64 role(state)
// CHECK-NEXT: gsync.cell @alpha : f64 role(state)
// CHECK-NEXT: gsync.cell @gradients : i64 role(state)
// CHECK-NEXT: gsync.cell @averagings : i64 role(state)
// CHECK-NEXT: gsync.cell @members : i64 role(state)

// c = -1/2 expm1(-2 eta (now - last) / dt); d = c (xt - x); x + d, xt - d.
// CHECK-NEXT: func.func private @mix(%[[X:.+]]: tensor<6xf32>, %[[XT:.+]]: tensor<6xf32>, %[[LAST:.+]]: f64, %[[NOW:.+]]: f64, %[[DT:.+]]: f64, %[[ETA:.+]]: f64) -> (tensor<6xf32>, tensor<6xf32>) attributes {no_inline} {
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[TIMED:.+]] = arith.cmpf ogt, %[[DT]], %[[ZERO]] : f64
// CHECK-NEXT: %[[GONE:.+]] = arith.subf %[[NOW]], %[[LAST]] : f64
// CHECK-NEXT: %[[UNITS:.+]] = arith.divf %[[GONE]], %[[DT]] : f64
// CHECK-NEXT: %[[ELAPSED:.+]] = arith.select %[[TIMED]], %[[UNITS]], %[[ZERO]] : f64
// CHECK-NEXT: %[[MTWO:.+]] = arith.constant -2.000000e+00 : f64
// CHECK-NEXT: %[[A:.+]] = arith.mulf %[[MTWO]], %[[ETA]] : f64
// CHECK-NEXT: %[[E:.+]] = arith.mulf %[[A]], %[[ELAPSED]] : f64
// CHECK-NEXT: %[[MHALF:.+]] = arith.constant -5.000000e-01 : f64
// CHECK-NEXT: %[[EXPM1:.+]] = math.expm1 %[[E]] : f64
// CHECK-NEXT: %[[C:.+]] = arith.mulf %[[MHALF]], %[[EXPM1]] : f64
// CHECK-NEXT: %[[CF:.+]] = arith.truncf %[[C]]
// CHECK-NEXT: %[[CS:.+]] = tensor.splat %[[CF]]
// CHECK-NEXT: %[[GAP:.+]] = arith.subf %[[XT]], %[[X]]
// CHECK-NEXT: %[[D:.+]] = arith.mulf %[[CS]], %[[GAP]]
// CHECK-NEXT: %[[X1:.+]] = arith.addf %[[X]], %[[D]]
// CHECK-NEXT: %[[XT1:.+]] = arith.subf %[[XT]], %[[D]]
// CHECK-NEXT: return %[[X1]], %[[XT1]]
// CHECK-NEXT: }

// CHECK-NEXT: gsync.role @worker on @world {
// One model for all; then gradients on a batch that is not consumed, the
// second of them timed.
// CHECK-NEXT: gsync.init {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: %[[ROOT:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[F:.+]] = gsync.broadcast from(%[[ROOT]]) on @start(%[[W]])
// CHECK-NEXT: %[[X:.+]] = gsync.await %[[F]]
// CHECK: %[[MEMBERS:.+]], %{{.+}} = gsync.view @world
// CHECK-NEXT: %[[K:.+]]:2 = gsync.ask @match::@constants()
// CHECK-NEXT: %[[TWO:.+]] = arith.constant 2 : i64
// CHECK: %[[R:.+]]:5, %{{.+}} = gsync.repeat at_least(%[[TWO]]) at_most(%[[TWO]])
// CHECK: %[[BEGIN:.+]] = gsync.now
// CHECK-NEXT: gsync.next_batch from(peek)
// CHECK-NEXT: func.call @gradient(%[[X]],
// CHECK: gsync.yield {{.*}}, %[[BEGIN]] :
// CHECK-NEXT: }
// CHECK-NEXT: gsync.atomic (@w, @xt, @last, @dt, @eta, @eta_graph, @alpha, @members) {
// CHECK: %[[NOW:.+]] = gsync.now
// CHECK-NEXT: %[[DT:.+]] = arith.subf %[[NOW]], %[[R]]#4 : f64
// CHECK-NEXT: gsync.yield cells(%[[X]], %[[X]], %[[NOW]], %[[DT]], %[[K]]#0, %[[K]]#0, %[[K]]#1, %[[MEMBERS]] :

// CHECK: gsync.strand @compute {
// CHECK-NEXT: %[[START:.+]] = gsync.now
// CHECK-NEXT: %[[MEMBERS:.+]], %{{.+}} = gsync.view @world
// Another number of members has other constants.
// CHECK-NEXT: %[[KNOWN:.+]] = gsync.load @members
// CHECK-NEXT: %[[CHANGED:.+]] = arith.cmpi ne, %[[MEMBERS]], %[[KNOWN]]
// CHECK-NEXT: scf.if %[[CHANGED]] {
// CHECK-NEXT: %[[K:.+]]:2 = gsync.ask @match::@constants()
// CHECK-NEXT: gsync.atomic (@eta, @eta_graph, @alpha, @members) repeatable {
// CHECK: gsync.yield cells(%[[K]]#0, %[[K]]#0, %[[K]]#1, %[[MEMBERS]] :
// CHECK: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen
// CHECK-NEXT: gsync.next_batch from(queue) :
// CHECK: %[[G:.+]]:4 = func.call @gradient(%[[W]],
// CHECK-NEXT: %[[N:.+]] = arith.addi %{{.+}}, %[[G]]#1
// CHECK-NEXT: %[[DIVISOR:.+]] = arith.addi %{{.+}}, %[[G]]#2
// The report is the last that may fail, so it comes before cells change. It
// tells the share of the budget, rounded up.
// CHECK: %[[TOTAL:.+]] = arith.addi %[[SEEN]], %[[N]]
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested
// CHECK-NEXT: %[[TOTALI:.+]] = tensor.extract %[[TOTAL]]
// CHECK: %[[BUDGET:.+]] = arith.maxsi
// CHECK: %[[ALL:.+]] = arith.constant 0x4270000000000000 : f64
// CHECK-NEXT: %[[P:.+]] = arith.mulf %{{.+}}, %[[ALL]]
// CHECK: %[[Q:.+]] = arith.divf %[[P]],
// CHECK-NEXT: %[[UP:.+]] = math.ceil %[[Q]]
// CHECK-NEXT: %[[PARTS:.+]] = arith.fptosi %[[UP]]
// CHECK-NEXT: %[[STOPI:.+]] = tensor.extract %[[STOP]]
// CHECK-NEXT: %[[LIVE:.+]] = gsync.ask @match::@report(%[[PARTS]], %[[STOPI]])
// CHECK-NEXT: %[[ALL:.+]] = tensor.from_elements %[[MEMBERS]]
// CHECK-NEXT: %[[SHARE:.+]] = arith.muli %[[N]], %[[ALL]]
// CHECK-NEXT: gsync.atomic (@w, @state0, @seen, @xt, @last, @dt, @eta, @gradients) {
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<6xf32>, %[[V:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>, %[[XT:.+]]: tensor<6xf32>, %[[LAST:.+]]: f64, %[[DT:.+]]: f64, %[[ETA:.+]]: f64, %[[COUNT:.+]]: i64):
// CHECK-NEXT: %[[NOW:.+]] = gsync.now
// CHECK-NEXT: %[[M:.+]]:2 = func.call @mix(%[[X]], %[[XT]], %[[LAST]], %[[NOW]], %[[DT]], %[[ETA]])
// CHECK-NEXT: %[[CLOCK:.+]] = arith.muli %[[SEEN]], %[[ALL]]
// CHECK: %[[LR:.+]] = func.call @lr(%[[CLOCK]], %[[SHARE]],
// CHECK-NEXT: %[[D:.+]]:2 = func.call @step(%[[M]]#0, %[[V]], %[[G]]#0, %[[DIVISOR]], %[[LR]])
// CHECK-NEXT: %[[X1:.+]] = arith.subf %[[M]]#0, %[[D]]#0
// CHECK-NEXT: %[[SEEN1:.+]] = arith.addi %[[SEEN]], %[[N]]
// CHECK-NEXT: %[[XT1:.+]] = arith.subf %[[M]]#1, %[[D]]#0
// CHECK: %[[COUNT1:.+]] = arith.addi %[[COUNT]],
// CHECK-NEXT: gsync.yield cells(%[[X1]], %[[D]]#1, %[[SEEN1]], %[[XT1]], %[[NOW]], %[[DT]], %[[ETA]], %[[COUNT1]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[ON:.+]] = scf.if %[[LIVE]] -> (i1) {
// CHECK-NEXT: %[[MET:.+]] = gsync.meet @turn
// CHECK-NEXT: scf.yield %[[MET]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[NO:.+]] = arith.constant false
// CHECK-NEXT: scf.yield %[[NO]]
// CHECK-NEXT: }
// The period includes the wait; eta falls where the network does not keep up.
// CHECK-NEXT: gsync.atomic (@dt, @eta, @eta_graph, @gradients, @averagings) {
// CHECK-NEXT: ^bb0(%[[DT:.+]]: f64, %{{.+}}: f64, %[[GRAPH:.+]]: f64, %[[GRADIENTS:.+]]: i64, %[[AVERAGINGS:.+]]: i64):
// CHECK-NEXT: %[[NOW:.+]] = gsync.now
// CHECK-NEXT: %[[PERIOD:.+]] = arith.subf %[[NOW]], %[[START]]
// CHECK: %[[OLD:.+]] = arith.mulf %{{.+}}, %[[DT]]
// CHECK: %[[NEW:.+]] = arith.mulf %{{.+}}, %[[PERIOD]]
// CHECK-NEXT: %[[DT1:.+]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[AF:.+]] = arith.sitofp %[[AVERAGINGS]]
// CHECK-NEXT: %[[A1:.+]] = arith.addf %[[AF]], %[[ONE]]
// CHECK-NEXT: %[[GF:.+]] = arith.sitofp %[[GRADIENTS]]
// CHECK-NEXT: %[[G1:.+]] = arith.addf %[[GF]], %[[ONE]]
// CHECK-NEXT: %[[RATIO:.+]] = arith.divf %[[A1]], %[[G1]]
// CHECK-NEXT: %[[RATE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[SHARE:.+]] = arith.divf %[[RATIO]], %[[RATE]]
// CHECK-NEXT: %[[FACTOR:.+]] = arith.minimumf %[[SHARE]], %[[ONE]]
// CHECK-NEXT: %[[ETA1:.+]] = arith.mulf %[[GRAPH]], %[[FACTOR]]
// CHECK-NEXT: gsync.yield cells(%[[DT1]], %[[ETA1]], %[[GRAPH]], %[[GRADIENTS]], %[[AVERAGINGS]] :
// CHECK-NEXT: }
// CHECK-NEXT: gsync.next %[[ON]]

// CHECK: gsync.strand @gossip {
// CHECK-NEXT: %[[N:.+]]:3 = gsync.ask @match::@next()
// CHECK-NEXT: %[[OWED:.+]] = scf.if %[[N]]#2 -> (i1) {
// CHECK: %[[FOUND:.+]] = arith.cmpi sge, %[[N]]#0,
// CHECK-NEXT: scf.if %[[FOUND]]
// Mix, then send a snapshot.
// CHECK-NEXT: %[[S:.+]] = gsync.atomic (@w, @xt, @last, @dt, @eta) repeatable -> (tensor<6xf32>) {
// CHECK: %[[NOW:.+]] = gsync.now
// CHECK-NEXT: %[[M:.+]]:2 = func.call @mix(
// CHECK-NEXT: gsync.yield cells(%[[M]]#0, %[[M]]#1, %[[NOW]], {{.*}}) %[[M]]#0
// CHECK-NEXT: }
// CHECK-NEXT: %[[F:.+]] = gsync.exchange(%[[S]]) with(%[[N]]#0) tag(%[[N]]#1) on @gossip
// CHECK-NEXT: %[[R:.+]] = gsync.await %[[F]]
// Apply the difference of the snapshots, not of what is there by now.
// CHECK-NEXT: gsync.atomic (@w, @xt, @last, @dt, @eta, @alpha, @averagings) {
// CHECK-NEXT: ^bb0({{.*}}, %[[ALPHA:[^:]+]]: f64, %[[COUNT:[^:]+]]: i64):
// CHECK-NEXT: %[[NOW:.+]] = gsync.now
// CHECK-NEXT: %[[M:.+]]:2 = func.call @mix(
// CHECK-NEXT: %[[DIFF:.+]] = arith.subf %[[S]], %[[R]]
// CHECK-NEXT: %[[HALF:.+]] = arith.constant 5.000000e-01 : f64
// CHECK-NEXT: %[[HALFF:.+]] = arith.truncf %[[HALF]]
// CHECK-NEXT: %[[HALVES:.+]] = tensor.splat %[[HALFF]]
// CHECK-NEXT: %[[DX:.+]] = arith.mulf %[[HALVES]], %[[DIFF]]
// CHECK-NEXT: %[[ALPHAF:.+]] = arith.truncf %[[ALPHA]]
// CHECK-NEXT: %[[ALPHAS:.+]] = tensor.splat %[[ALPHAF]]
// CHECK-NEXT: %[[DXT:.+]] = arith.mulf %[[ALPHAS]], %[[DIFF]]
// CHECK-NEXT: %[[X1:.+]] = arith.subf %[[M]]#0, %[[DX]]
// CHECK-NEXT: %[[XT1:.+]] = arith.subf %[[M]]#1, %[[DXT]]
// CHECK: %[[COUNT1:.+]] = arith.addi %[[COUNT]],
// CHECK-NEXT: gsync.yield cells(%[[X1]], %[[XT1]], %[[NOW]], {{.*}}, %[[ALPHA]], %[[COUNT1]] :
// CHECK-NEXT: }
// CHECK-NEXT: %[[DUE:.+]] = gsync.ask @quota::@averaged()
// CHECK-NEXT: scf.yield %[[DUE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: arith.constant true
// CHECK: } else {
// CHECK-NEXT: arith.constant false
// CHECK: scf.if %[[OWED]] {
// CHECK-NEXT: gsync.meet @turn
// CHECK-NEXT: }
// CHECK-NEXT: gsync.next %[[N]]#2

// CHECK: gsync.drain {
// CHECK: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @average(%[[W]], %{{.+}})
// CHECK-NEXT: %[[SUM:.+]]:2 = gsync.await %[[F]]
// CHECK: %[[MEAN:.+]] = arith.divf %[[SUM]]#0,
// CHECK-NEXT: gsync.atomic (@w, @xt) {
// CHECK: gsync.yield cells(%[[MEAN]], %[[MEAN]] :
// CHECK: gsync.model {
// CHECK-NOT: gsync.atomic
// CHECK: %[[F:.+]] = gsync.all_reduce sum on @average
// CHECK-NEXT: %[[SUM:.+]]:2 = gsync.await %[[F]]
// CHECK: %[[MEAN:.+]] = arith.divf %[[SUM]]#0,
// CHECK-NEXT: gsync.yield %[[MEAN]]
// CHECK-NOT: gsync.train
