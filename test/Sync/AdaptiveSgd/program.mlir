// The program of adaptive model averaging: a loop of claims, then one merge.
// RUN: rubato-opt %s --expand-algorithm --verify-sync | FileCheck %s
// RUN: rubato-opt %s --expand-algorithm | rubato-opt --verify-sync | FileCheck %s

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }
gsync.train algorithm(#gsync.algorithm<"adaptive-sgd">) learning_rate(5.000000e-02)

// Batches follow the micro-batch of four rows: at most 32 of them, at least an
// eighth of that, a hundred of the largest between two merges.
// CHECK: gsync.group @world
// CHECK-NEXT: gsync.channel @merge on @world kind(collective)
// CHECK-NEXT: gsync.policy @dispatch "adaptive.dispatch" central with {"batch-rule" = "linear", dimension = 6.000000e+00 : f64, discarded = 1 : i64, "equal-shares" = false, gain = "unlimited", guard = true, "max-batch" = 128 : i64, "mega-batch" = 12800 : i64, "min-batch" = 16 : i64, "norm-threshold" = 1.000000e-01 : f64, perturbation = 1.000000e-01 : f64, quantum = 4 : i64, rate = 5.000000e-01 : f64, renormalise = true, "skip-at-bounds" = false, step = 32 : i64, "total-samples" = 0 : i64, "warmup-batch" = 0 : i64, "warmup-samples" = 0 : i64, weighting = "balanced"} {
// CHECK-NEXT: gsync.entry @claim : (i64) -> (i64, i64, i64, i1)
// CHECK-NEXT: gsync.entry @weight : (i64, f64) -> (f64, f64)
// CHECK-NEXT: }
// CHECK-NEXT: gsync.cell @w :
// CHECK-NEXT: gsync.cell @seen :
// CHECK-NEXT: gsync.cell @budget :
// CHECK-NEXT: gsync.cell @base_lr :
// CHECK-NEXT: gsync.cell @wprev : tensor<6xf32> role(state)

// CHECK-NEXT: func.func private @norm(%[[X:.+]]: tensor<6xf32>) -> f64 attributes {no_inline} {
// CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[SUM:.+]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[X]] : tensor<6xf32>) outs(%[[ZERO]] : tensor<f64>) {
// CHECK-NEXT: ^bb0(%[[IN:.+]]: f32, %[[OUT:.+]]: f64):
// CHECK-NEXT: %[[E:.+]] = arith.extf %[[IN]]
// CHECK-NEXT: %[[SQUARE:.+]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT: %[[NEXT:.+]] = arith.addf %[[OUT]], %[[SQUARE]]
// CHECK-NEXT: linalg.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[S:.+]] = tensor.extract %[[SUM]]
// CHECK-NEXT: %[[ROOT:.+]] = math.sqrt %[[S]]
// CHECK-NEXT: return %[[ROOT]]
// CHECK-NEXT: }

// CHECK-NEXT: gsync.role @worker on @world {
// CHECK-NEXT: gsync.init {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: gsync.atomic (@wprev) {
// CHECK: gsync.yield cells(%[[W]] :
// CHECK: gsync.strand {
// CHECK-NEXT: %[[W:.+]] = gsync.load @w
// CHECK-NEXT: %[[U0:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[N0:.+]] = gsync.zero : tensor<i64>
// CHECK-NEXT: %[[L0:.+]] = gsync.zero : tensor<f64>
// CHECK-NEXT: %[[SEEN:.+]] = gsync.load @seen
// CHECK-NEXT: %[[T0:.+]] = tensor.extract %[[SEEN]]
// A claim acknowledges the rows before it; once the budget is dealt there is
// none.
// CHECK-NEXT: %[[R:.+]]:8 = scf.while (%[[Y:.+]] = %[[W]], %[[U:.+]] = %[[U0]], %[[N:.+]] = %[[N0]], %[[L:.+]] = %[[L0]], %[[T:.+]] = %[[T0]])
// CHECK-NEXT: %[[BUDGET:.+]] = gsync.load @budget
// CHECK-NEXT: %[[BUDGETI:.+]] = tensor.extract %[[BUDGET]]
// CHECK-NEXT: %[[LEFT:.+]] = arith.cmpi slt, %[[T]], %[[BUDGETI]]
// CHECK-NEXT: %[[C:.+]]:4 = scf.if %[[LEFT]]
// CHECK-NEXT: gsync.ask @dispatch::@claim(%[[U]])
// CHECK: } else {
// CHECK: arith.constant false
// CHECK: scf.condition(%[[C]]#3) %[[Y]], %[[U]], %[[N]], %[[L]], %[[T]], %[[C]]#0, %[[C]]#1, %[[C]]#2
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[Y:.+]]: tensor<6xf32>, %[[U:.+]]: i64, %[[N:.+]]: tensor<i64>, %[[L:.+]]: tensor<f64>, %{{.+}}: i64, %[[BEGIN:.+]]: i64, %[[END:.+]]: i64, %[[CLOCK:.+]]: i64):
// CHECK-NEXT: %[[ROWS:.+]] = arith.constant 4 : i64
// CHECK-NEXT: %[[LENGTH:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK-NEXT: %[[COUNT:.+]] = arith.ceildivsi %[[LENGTH]], %[[ROWS]]
// CHECK: %[[G:.+]]:4, %{{.+}} = gsync.repeat at_least(%[[COUNT]]) at_most(%[[COUNT]])
// CHECK-NEXT: ^bb0(%[[I:.+]]: i64, %[[ACC:.+]]: tensor<6xf32>,
// CHECK-NEXT: %[[SKIP:.+]] = arith.muli %[[I]], %[[ROWS]]
// CHECK-NEXT: %[[FROM:.+]] = arith.addi %[[BEGIN]], %[[SKIP]]
// CHECK-NEXT: %[[FULL:.+]] = arith.addi %[[FROM]], %[[ROWS]]
// CHECK-NEXT: %[[TO:.+]] = arith.minsi %[[FULL]], %[[END]]
// CHECK-NEXT: %[[B:.+]]:4 = gsync.next_batch from(range(%[[FROM]], %[[TO]])) :
// CHECK-NEXT: %[[STEP:.+]] = tensor.from_elements %[[FROM]]
// CHECK-NEXT: func.call @gradient(%[[Y]], %[[B]]#0, %[[B]]#1, %[[B]]#2, %[[B]]#3, %[[STEP]], %[[ACC]])
// CHECK: }
// The rate is in proportion to the batch.
// CHECK-NEXT: %[[SEEN:.+]] = tensor.from_elements %[[CLOCK]]
// CHECK: %[[LR:.+]] = func.call @lr(%[[SEEN]], %[[G]]#1,
// CHECK-NEXT: %[[BATCH:.+]] = arith.sitofp %[[G]]#1
// CHECK-NEXT: arith.constant 128 : i64
// CHECK: %[[REF:.+]] = tensor.splat
// CHECK-NEXT: %[[RATIO:.+]] = arith.divf %[[BATCH]], %[[REF]]
// CHECK-NEXT: %[[RATE:.+]] = arith.mulf %[[LR]], %[[RATIO]]
// CHECK-NEXT: %[[D:.+]] = func.call @step(%[[Y]], %[[G]]#0, %[[G]]#2, %[[RATE]])
// CHECK-NEXT: %[[Y1:.+]] = arith.subf %[[Y]], %[[D]]
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[U1:.+]] = arith.addi %[[U]], %[[ONE]]
// CHECK-NEXT: %[[N1:.+]] = arith.addi %[[N]], %[[G]]#1
// CHECK-NEXT: %[[L1:.+]] = arith.addf %[[L]], %[[G]]#3
// CHECK-NEXT: %[[T1:.+]] = arith.addi %[[CLOCK]], %[[LENGTH]]
// CHECK-NEXT: scf.yield %[[Y1]], %[[U1]], %[[N1]], %[[L1]], %[[T1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[NORM:.+]] = func.call @norm(%[[R]]#0)
// CHECK-NEXT: %[[A:.+]]:2 = gsync.ask @dispatch::@weight(%[[R]]#1, %[[NORM]])
// Displacements w - y travel: where nobody moved they are +0, and w - (+0) is w
// to the last bit, even for -0.
// CHECK-NEXT: %[[ALPHAF:.+]] = arith.truncf %[[A]]#0
// CHECK-NEXT: %[[ALPHA:.+]] = tensor.splat %[[ALPHAF]]
// CHECK-NEXT: %[[GONE:.+]] = arith.subf %[[W]], %[[R]]#0
// CHECK-NEXT: %[[SHARE:.+]] = arith.mulf %[[ALPHA]], %[[GONE]]
// CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested
// CHECK-NEXT: %[[AT:.+]] = tensor.from_elements %[[A]]#0
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @merge(%[[SHARE]], %[[AT]], %[[R]]#2, %[[R]]#3, %[[STOP]])
// CHECK-NEXT: %[[S:.+]]:5 = gsync.await %[[F]]
// CHECK-NEXT: %[[SA:.+]] = tensor.extract %[[S]]#1
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[ANY:.+]] = arith.cmpf ogt, %[[SA]], %[[ZERO]]
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT: %[[DIVISOR:.+]] = arith.select %[[ANY]], %[[SA]], %[[ONE]]
// CHECK-NEXT: %[[FACTOR:.+]] = arith.divf %[[ONE]], %[[DIVISOR]]
// CHECK-NEXT: %[[FACTORF:.+]] = arith.truncf %[[FACTOR]]
// CHECK-NEXT: %[[FACTORS:.+]] = tensor.splat %[[FACTORF]]
// CHECK-NEXT: %[[MOVE:.+]] = arith.mulf %[[FACTORS]], %[[S]]#0
// CHECK-NEXT: %[[DEALT:.+]] = tensor.extract %[[S]]#2
// CHECK-NEXT: %[[NONE:.+]] = arith.constant 0 : i64
// CHECK-NEXT: %[[SOME:.+]] = arith.cmpi sgt, %[[DEALT]], %[[NONE]]
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK-NEXT: gsync.atomic (@w, @seen, @wprev) {
// CHECK-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>, %[[P:.+]]: tensor<6xf32>):
// CHECK-NEXT: %[[MERGED:.+]] = arith.subf %[[W]], %[[MOVE]]
// CHECK-NEXT: %[[LAST:.+]] = arith.subf %[[W]], %[[P]]
// CHECK-NEXT: arith.constant 9.000000e-01 : f64
// CHECK: %[[GAMMA:.+]] = tensor.splat
// CHECK-NEXT: %[[MOMENTUM:.+]] = arith.mulf %[[GAMMA]], %[[LAST]]
// CHECK-NEXT: %[[W1:.+]] = arith.addf %[[MERGED]], %[[MOMENTUM]]
// CHECK-NEXT: %[[SEEN1:.+]] = arith.addi %[[SEEN]], %[[S]]#2
// CHECK-NEXT: gsync.yield cells(%[[W1]], %[[SEEN1]], %[[W]] :
// CHECK: %[[WITHIN:.+]] = arith.andi
// CHECK-NEXT: %[[GO:.+]] = arith.andi %[[WITHIN]], %[[SOME]]
// CHECK-NEXT: gsync.next %[[GO]]
// CHECK: gsync.model
// CHECK-NOT: gsync.train
