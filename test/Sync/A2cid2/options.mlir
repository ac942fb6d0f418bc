// What the options of accelerated gossip change, and what they may be.
// RUN: rubato-opt %s --choose-algorithm="algorithm=gossip" --expand-algorithm | FileCheck %s --check-prefix=PLAIN
// RUN: rubato-opt %s --choose-algorithm="algorithm=a2cid2 options=topology=ring options=repair=induced options=rate=0.5 options=deterministic=true" --expand-algorithm | FileCheck %s --check-prefix=SELDOM
// RUN: rubato-opt %s --choose-algorithm="algorithm=a2cid2 options=ema=0.75 options=warmup-gradients=3 options=scale-eta=false" --expand-algorithm | FileCheck %s --check-prefix=TIME
// RUN: rubato-opt %s --choose-algorithm="algorithm=a2cid2 options=repeats=true" --expand-algorithm | FileCheck %s --check-prefix=REPEATS
// RUN: not rubato-opt %s --choose-algorithm="algorithm=a2cid2 options=topology=moebius" 2>&1 | FileCheck %s --check-prefix=TOPOLOGY
// RUN: not rubato-opt %s --choose-algorithm="algorithm=gossip options=rate=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not rubato-opt %s --choose-algorithm="algorithm=gossip options=eta=0" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }

// PLAIN: gsync.policy @match "gossip.matcher" central with {accelerate = false,

// REPEATS: gsync.policy @match "gossip.matcher" central with {{{.*}}repeats = true,

// SELDOM: "gossip.matcher" central with {accelerate = true, goal = 1099511627776 : i64, rate = 5.000000e-01 : f64, repair = "induced", topology = "ring"}
// SELDOM: "gossip.quota" local with {deterministic = true, rate = 5.000000e-01 : f64}
// Below one averaging per gradient, the averaging strand comes to every turn
// and the computing one asks.
// SELDOM: gsync.strand @compute
// SELDOM: %[[LIVE:.+]] = gsync.ask @match::@report
// SELDOM: scf.if %[[LIVE]]
// SELDOM-NEXT: %[[DUE:.+]] = gsync.ask @quota::@computed()
// SELDOM-NEXT: scf.if %[[DUE]]
// SELDOM-NEXT: gsync.meet @turn
// SELDOM: } else {
// SELDOM-NEXT: arith.constant true
// SELDOM: gsync.strand @gossip
// SELDOM-NOT: @averaged
// SELDOM: gsync.meet @turn

// TIME: gsync.init
// TIME: arith.constant 4 : i64
// TIME: gsync.atomic (@dt, @eta, @eta_graph, @gradients, @averagings) {
// TIME-NEXT: ^bb0(%[[DT:.+]]: f64, %{{.+}}: f64, %[[GRAPH:.+]]: f64,
// However long the memory, the first estimate counts as one gradient.
// TIME: %[[EMA:.+]] = arith.constant 7.500000e-01 : f64
// TIME: %[[SHARE:.+]] = arith.divf
// TIME-NEXT: %[[PAST:.+]] = arith.minimumf %[[EMA]], %[[SHARE]]
// TIME-NEXT: %[[REST:.+]] = arith.subf %{{.+}}, %[[PAST]]
// TIME-NEXT: arith.mulf %[[PAST]], %[[DT]]
// TIME-NEXT: arith.mulf %[[REST]],
// TIME-NEXT: %[[DT1:.+]] = arith.addf
// TIME-NEXT: gsync.yield cells(%[[DT1]], %[[GRAPH]], %[[GRAPH]],

// TOPOLOGY: error: option 'topology' of a2cid2 must be one of complete, ring, exponential, exponential-simple, star, path, two-clusters, torus, hypercube, random-regular, erdos-renyi, not 'moebius'
// ZERO: error: option 'rate' of gossip must be a number, at least 0.001, at most 1000, not '0'
// UNKNOWN: error: gossip has no option 'eta'; it has topology, topology-rows, topology-degree, topology-seed, topology-file, repair, rate,
