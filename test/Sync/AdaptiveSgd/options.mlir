// What the options of adaptive model averaging change, and what they may be.
// RUN: rubato-opt %s --choose-algorithm="algorithm=k-avg options=local-steps=3" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=KAVG
// RUN: rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=gamma=0 options=renormalise=false" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=SCALED
// RUN: rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=quantum=8 options=max-batch=64 options=min-batch=16 options=b-ref=32 options=mega-batch=1000 options=total-samples=5000 options=batch-rule=sign options=step=8 options=gain=4 options=guard=false options=skip-at-bounds=true options=rate=0.25 options=warmup-samples=100 options=warmup-batch=16 options=discarded=2 options=weighting=updates options=perturbation=0.2 options=norm-threshold=1 options=dimension=10" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=ALL
// An eighth of a small largest batch is still a whole quantum.
// RUN: rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=max-batch=12" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=SMALL
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=gamma=1" 2>&1 | FileCheck %s --check-prefix=GAMMA
// RUN: not rubato-opt %s --choose-algorithm="algorithm=k-avg options=batch-rule=cubic" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=max-batch=10" --expand-algorithm 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=min-batch=256" --expand-algorithm 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=warmup-batch=256" --expand-algorithm 2>&1 | FileCheck %s --check-prefix=WARMUP
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adaptive-sgd options=guard=false" --expand-algorithm 2>&1 | FileCheck %s --check-prefix=GAIN

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }

// The plain mean after as many steps for everybody: no norms, no momentum.
// KAVG: with {"batch-rule" = "fixed", {{.*}}"equal-shares" = true, {{.*}}"mega-batch" = 1099511627776 : i64, {{.*}}perturbation = 0.000000e+00 : f64, {{.*}}weighting = "uniform"}
// KAVG-NOT: @wprev
// KAVG-NOT: @norm
// KAVG: gsync.strand
// KAVG: scf.while (%{{[^ ]+}} = %{{[^ ]+}}, %[[U:[^ ]+]] = %
// KAVG: %[[UNUSED:.+]] = arith.cmpi slt
// KAVG-NEXT: %[[K:.+]] = arith.constant 3 : i64
// KAVG-NEXT: %[[EARLY:.+]] = arith.cmpi slt, %[[U]], %[[K]]
// KAVG-NEXT: %[[LEFT:.+]] = arith.andi %[[UNUSED]], %[[EARLY]]
// KAVG-NEXT: %[[C:.+]]:4 = scf.if %[[LEFT]]
// KAVG-NEXT: gsync.ask @dispatch::@claim(%[[U]])
// KAVG: } else {
// KAVG: arith.constant false
// KAVG: scf.condition(%[[C]]#3)
// KAVG: gsync.atomic (@w, @seen) {
// KAVG-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %{{.+}}: tensor<i64>):
// KAVG-NEXT: %[[W1:.+]] = arith.subf %[[W]], %{{.+}} : tensor<6xf32>
// KAVG-NEXT: %[[SEEN1:.+]] = arith.addi
// KAVG-NEXT: gsync.yield cells(%[[W1]], %[[SEEN1]] :

// Where weights may add up to more than one, the merge scales by their sum.
// SCALED: %[[A:.+]]:2 = gsync.ask @dispatch::@weight
// SCALED: %[[DIVISOR:.+]] = arith.select
// SCALED-NEXT: arith.divf %[[A]]#1, %[[DIVISOR]]
// SCALED: gsync.atomic (@w, @seen) {
// SCALED-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %{{.+}}: tensor<i64>):
// SCALED-NEXT: %[[MERGED:.+]] = arith.subf %[[W]],
// SCALED-NEXT: %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// SCALED-NEXT: %[[EXCESS:.+]] = arith.subf %[[A]]#1, %[[ONE]]
// SCALED: %[[E:.+]] = tensor.splat
// SCALED-NEXT: %[[MORE:.+]] = arith.mulf %[[E]], %[[W]]
// SCALED-NEXT: %[[W1:.+]] = arith.addf %[[MERGED]], %[[MORE]]
// SCALED: gsync.yield cells(%[[W1]],

// ALL: with {"batch-rule" = "sign", dimension = 1.000000e+01 : f64, discarded = 2 : i64, "equal-shares" = false, gain = 4.000000e+00 : f64, guard = false, "max-batch" = 64 : i64, "mega-batch" = 1000 : i64, "min-batch" = 16 : i64, "norm-threshold" = 1.000000e+00 : f64, perturbation = 2.000000e-01 : f64, quantum = 8 : i64, rate = 2.500000e-01 : f64, renormalise = true, "skip-at-bounds" = true, step = 8 : i64, "total-samples" = 5000 : i64, "warmup-batch" = 16 : i64, "warmup-samples" = 100 : i64, weighting = "updates"}
// ALL: call @lr
// ALL: arith.constant 32 : i64

// SMALL: "max-batch" = 12 : i64, "mega-batch" = 1200 : i64, "min-batch" = 4 : i64

// GAMMA: error: option 'gamma' of adaptive-sgd must be a number, at least 0, at most 0.999999, not '1'
// RULE: error: option 'batch-rule' of k-avg must be one of linear, sign, proportional, fixed, not 'cubic'
// MULTIPLE: error: 'gsync.train' op option 'max-batch' must be a multiple of the quantum 4, not 10
// ORDER: error: 'gsync.train' op option 'min-batch' must be at most max-batch (128), not 256
// WARMUP: error: 'gsync.train' op option 'warmup-batch' must be at most max-batch (128), not 256
// GAIN: error: 'gsync.train' op without its guard the linear rule needs a gain: set option 'gain', or guard=true
