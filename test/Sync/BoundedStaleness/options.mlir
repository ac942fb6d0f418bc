// What each option of bounded staleness changes, and what it may be.
// RUN: rubato-opt %s --choose-algorithm="algorithm=bounded-staleness options=k0=4 options=cap-growth=true options=alpha=1 options=bound-floor=2 options=guard-ratio=1.5 options=smoothing=0.5 options=initial-loss=2 options=loss-floor=0.25 options=target-loss=0.5" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=RULE
// RUN: rubato-opt %s --choose-algorithm="algorithm=bounded-staleness options=steps=2 options=data=leased" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=JOB
// RUN: rubato-opt %s --choose-algorithm="algorithm=bounded-staleness options=server-momentum=0.5 options=exempt=2" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=MOMENTUM
// RUN: rubato-opt %s --choose-algorithm="algorithm=adasync options=loss=exact" --expand-algorithm --verify-sync | FileCheck %s --check-prefix=EXACT
// RUN: not rubato-opt %s --choose-algorithm="algorithm=bounded-staleness options=steps=0" 2>&1 | FileCheck %s --check-prefix=NOSTEPS
// RUN: not rubato-opt %s --choose-algorithm="algorithm=asgd options=data=cursor" 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not rubato-opt %s --choose-algorithm="algorithm=k-sync options=tau=3" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not rubato-opt %s --choose-algorithm="algorithm=adasync options=smoothing=1" 2>&1 | FileCheck %s --check-prefix=SMOOTHING

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }

// RULE: with {adapt = true, alpha = 1.000000e+00 : f64, bound = "auto", "bound-floor" = 2 : i64, "cap-growth" = true, guard = true, "guard-ratio" = 1.500000e+00 : f64, "initial-loss" = 2.000000e+00 : f64, k0 = 4 : i64, "loss-floor" = 2.500000e-01 : f64, smoothing = 5.000000e-01 : f64, "target-loss" = 5.000000e-01 : f64}

// A leased batch returns to the stream when the ticket becomes void.
// JOB: %[[M:.+]]:4 = gsync.await
// JOB: %[[STEPS:.+]] = arith.constant 2 : i64
// JOB: gsync.next_batch from(queue lease(%[[M]]#2)) :

// A soft bound is a matter of the channel's ledger.
// MOMENTUM: gsync.channel @ps on @all kind(mailbox) server(@server) exempt(2)
// MOMENTUM: gsync.cell @velocity : tensor<6xf32> role(state)
// MOMENTUM: gsync.atomic (@w, @seen, @velocity) -> (tensor<6xf32>, tensor<i64>) {
// MOMENTUM-NEXT: ^bb0(%[[W:.+]]: tensor<6xf32>, %[[SEEN:.+]]: tensor<i64>, %[[V:.+]]: tensor<6xf32>):
// MOMENTUM: %[[MEAN:.+]] = arith.divf
// MOMENTUM-NEXT: %[[HALF:.+]] = arith.constant 5.000000e-01 : f64
// MOMENTUM: %[[BETA:.+]] = tensor.splat
// MOMENTUM-NEXT: %[[KEPT:.+]] = arith.mulf %[[BETA]], %[[V]]
// MOMENTUM-NEXT: %[[V1:.+]] = arith.addf %[[KEPT]], %[[MEAN]]
// MOMENTUM-NEXT: %[[W1:.+]] = arith.addf %[[W]], %[[V1]]
// MOMENTUM-NEXT: %[[SEEN1:.+]] = arith.addi
// MOMENTUM-NEXT: gsync.yield cells(%[[W1]], %[[SEEN1]], %[[V1]] :

// The server evaluates all samples at its first model and after every update;
// the last batch may be padded, so the sum is divided by what was valid.
// EXACT: gsync.entry @start_at : (i64, f64) -> (i64, i64)
// EXACT: gsync.role @server
// EXACT: %[[W0:.+]] = gsync.load @w
// EXACT: %[[N:.+]] = gsync.data_samples : i64
// EXACT: %[[B:.+]] = arith.ceildivsi %[[N]], %{{.+}} : i64
// EXACT: %[[SUMS:.+]]:2, %{{.+}} = gsync.repeat at_least(%[[B]]) at_most(%[[B]]) iter(
// EXACT-NEXT: ^bb0(%[[I:.+]]: i64, %[[ACC:.+]]: tensor<f64>, %[[VALID:.+]]: tensor<i64>):
// EXACT: gsync.next_batch from(whole(%[[I]]))
// EXACT: %[[E:.+]]:3 = func.call @evaluate(%[[W0]],
// EXACT: %[[NEXT:.+]] = arith.addf %[[ACC]], %[[E]]#0 : tensor<f64>
// EXACT: %[[COUNTED:.+]] = arith.addi %[[VALID]], %[[E]]#2 : tensor<i64>
// EXACT: gsync.yield %[[NEXT]], %[[COUNTED]]
// EXACT: %[[LOSS:.+]] = tensor.extract %[[SUMS]]#0[]
// EXACT: %[[LEAST:.+]] = arith.maxsi %[[SUMS]]#1, %{{.+}} : tensor<i64>
// EXACT: %[[COUNT:.+]] = tensor.extract %[[LEAST]][]
// EXACT: %[[REAL:.+]] = arith.sitofp %[[COUNT]]
// EXACT: %[[F:.+]] = arith.divf %[[LOSS]], %[[REAL]]
// EXACT: gsync.ask @rule::@start_at(%{{.+}}, %[[F]])
// EXACT: %[[NEW:.+]]:2 = gsync.atomic (@w, @seen)
// EXACT: gsync.repeat
// EXACT: func.call @evaluate(%[[NEW]]#0,
// EXACT: %[[F1:.+]] = arith.divf
// EXACT: gsync.ask @rule::@round(%[[F1]],

// NOSTEPS: error: option 'steps' of bounded-staleness must be a whole number, at least 1, at most 1e+06, not '0'
// DATA: error: option 'data' of asgd must be one of keyed, leased, not 'cursor'
// UNKNOWN: error: k-sync has no option 'tau'; it has steps, data, k0,
// SMOOTHING: error: option 'smoothing' of adasync must be a number, at least 0, at most 0.999999, not '1'
