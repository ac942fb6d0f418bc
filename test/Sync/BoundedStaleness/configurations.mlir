// The configurations of bounded staleness: which rule each name stands for.
// RUN: rubato-opt %s --choose-algorithm="algorithm=k-sync" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,KSYNC
// RUN: rubato-opt %s --choose-algorithm="algorithm=k-async" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,KASYNC
// RUN: rubato-opt %s --choose-algorithm="algorithm=asgd" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,ASGD
// RUN: rubato-opt %s --choose-algorithm="algorithm=adasync" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,ADASYNC
// RUN: rubato-opt %s --choose-algorithm="algorithm=sa-adasync" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,SA
// A user's option goes over a configuration's.
// RUN: rubato-opt %s --choose-algorithm="algorithm=k-sync options=k0=3 options=bound=1" --expand-algorithm --verify-sync | FileCheck %s --check-prefixes=CHECK,GIVEN

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<6xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 3>}, %weights: tensor<4xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<4xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) { ub.unreachable }
func.func @step(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %v: tensor<6xf32> {nn.role = #nn.argument<state>}, %g: tensor<6xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<6xf32> {nn.role = #nn.result<displacement>}, tensor<6xf32> {nn.role = #nn.result<state>}) { ub.unreachable }
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) { ub.unreachable }

// CHECK: gsync.policy @rule "staleness.rule" local with
// KSYNC-SAME: {adapt = false, {{.*}}bound = 0 : i64, {{.*}}guard = false, {{.*}}k0 = "auto"
// KASYNC-SAME: {adapt = false, {{.*}}bound = "unlimited", {{.*}}guard = false, {{.*}}k0 = "auto"
// ASGD-SAME: {adapt = false, {{.*}}bound = "unlimited", {{.*}}guard = false, {{.*}}k0 = 1 : i64
// ADASYNC-SAME: {adapt = true, {{.*}}bound = "unlimited", {{.*}}guard = false, {{.*}}k0 = "auto"
// SA-SAME: {adapt = true, {{.*}}bound = "unlimited", {{.*}}guard = false, {{.*}}k0 = "auto"
// GIVEN-SAME: {adapt = false, {{.*}}bound = 1 : i64, {{.*}}guard = false, {{.*}}k0 = 3 : i64

// CHECK: gsync.collect sum on @ps first(%{{[^)]+}})
// KSYNC-SAME: : tensor
// KASYNC-SAME: : tensor
// ASGD-SAME: : tensor
// ADASYNC-SAME: : tensor
// SA-SAME: by_staleness : tensor
// GIVEN-SAME: : tensor
