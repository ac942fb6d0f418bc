// What the train stage promises, one broken promise per case.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --verify-train

// The contract holds; the cases below break one line of this module each.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// expected-error@+1 {{train stage: has no nn.layout @params}}
module {
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
  func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no nn.layout @params}}
module {
  nn.layout @params []
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
  func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no function @gradient}}
module {
  nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
  func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no function @evaluate}}
module {
  nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
  func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no function @step}}
module {
  nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no function @lr}}
module {
  nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
}

// -----

// expected-error@+1 {{train stage: has no function @lr}}
module {
  nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
  func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
  func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
  func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
  func.func private @lr(tensor<i64>, tensor<i64>, tensor<f32>, tensor<i64>) -> tensor<f32>
}

// -----

nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }
// expected-error@+1 {{train stage: @forward must be gone; run build-training on an import-stage module}}
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x3xf32> { ub.unreachable }

// -----

nn.parameter @w parameter : tensor<6xf32>
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> {
  // expected-error@+1 {{train stage: parameters are slots of the flat vector; use nn.unpack}}
  %0 = nn.get @w : tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// W has another length than @params.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<7xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<i64>, %a6: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Acc is no flat vector.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<i64>, %a6: tensor<f32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Step is no i64 scalar.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<f32>, %a6: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Losses must be f64.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<i64>, %a6: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f32>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Samples must be i64.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<i64>, %a6: tensor<6xf32>) -> (tensor<6xf32>, tensor<f64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// A result is missing.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>, %a5: tensor<i64>, %a6: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// The batch is missing.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
// expected-error@+1 {{train stage: @gradient must have the form (w, batch…, step, acc) -> (sum, samples, losses)}}
func.func @gradient(%a0: tensor<6xf32>, %a1: tensor<i64>, %a2: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// W is missing.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
// expected-error@+1 {{train stage: @evaluate must have the form (w, batch…) -> (losses, correct, samples)}}
func.func @evaluate(%a0: tensor<4x3xf32>, %a1: tensor<4xi64>, %a2: tensor<4xf32>, %a3: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Losses and counts are swapped.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
// expected-error@+1 {{train stage: @evaluate must have the form (w, batch…) -> (losses, correct, samples)}}
func.func @evaluate(%a0: tensor<6xf32>, %a1: tensor<4x3xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xi64>) -> (tensor<i64>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// There is no displacement.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<6xf32>, %a2: tensor<i64>, %a3: tensor<f32>) -> tensor<f32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// State goes in but not out.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>, %a3: tensor<i64>, %a4: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// State changes its type.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>, %a3: tensor<i64>, %a4: tensor<f32>) -> (tensor<6xf32>, tensor<f64>) { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// Samples must be i64.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<6xf32>, %a2: tensor<f32>, %a3: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// The sum is no flat vector.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<f32>, %a2: tensor<i64>, %a3: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// The rate has another element type.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
// expected-error@+1 {{train stage: @step must have the form (w, state…, sum, samples, lr) -> (displacement, state…)}}
func.func @step(%a0: tensor<6xf32>, %a1: tensor<6xf32>, %a2: tensor<i64>, %a3: tensor<f64>) -> tensor<6xf32> { ub.unreachable }
func.func @lr(%seen: tensor<i64>, %n: tensor<i64>, %base: tensor<f32>, %budget: tensor<i64>) -> tensor<f32> { ub.unreachable }

// -----

// The rate has another element type.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
// expected-error@+1 {{train stage: @lr must have the form (seen, samples, base, budget) -> rate}}
func.func @lr(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<f32>, %a3: tensor<i64>) -> tensor<f64> { ub.unreachable }

// -----

// The budget is missing.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
// expected-error@+1 {{train stage: @lr must have the form (seen, samples, base, budget) -> rate}}
func.func @lr(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<f32>) -> tensor<f32> { ub.unreachable }

// -----

// The base is no rate.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
func.func @gradient(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>, %step: tensor<i64>, %acc: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>, tensor<f64>) { ub.unreachable }
func.func @evaluate(%w: tensor<6xf32>, %x: tensor<4x3xf32>, %y: tensor<4xi64>, %weights: tensor<4xf32>, %ids: tensor<4xi64>) -> (tensor<f64>, tensor<i64>, tensor<i64>) { ub.unreachable }
func.func @step(%w: tensor<6xf32>, %g: tensor<6xf32>, %n: tensor<i64>, %lr: tensor<f32>) -> tensor<6xf32> { ub.unreachable }
// expected-error@+1 {{train stage: @lr must have the form (seen, samples, base, budget) -> rate}}
func.func @lr(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<i64>, %a3: tensor<i64>) -> tensor<f32> { ub.unreachable }
