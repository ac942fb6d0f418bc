// Options that make no sense together: each run must name what is wrong.
// RUN: not rubato-opt %s --build-training="loss=hinge" 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not rubato-opt %s --build-training="optimizer=lion" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not rubato-opt %s --build-training="optimizer=adamw momentum=0.5" 2>&1 | FileCheck %s --check-prefix=ADAMW
// RUN: not rubato-opt %s --build-training="optimizer=adamw nesterov=true" 2>&1 | FileCheck %s --check-prefix=ADAMW
// RUN: not rubato-opt %s --build-training="nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not rubato-opt %s --build-training="momentum=1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rubato-opt %s --build-training="momentum=-0.5" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rubato-opt %s --build-training="weight-decay=-1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not rubato-opt %s --build-training="optimizer=adamw beta1=1" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not rubato-opt %s --build-training="optimizer=adamw beta2=-0.5" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not rubato-opt %s --build-training="optimizer=adamw epsilon=0" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not rubato-opt %s --build-training="schedule=linear" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not rubato-opt %s --build-training="schedule=step" 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not rubato-opt %s --build-training="schedule=step step-every=10 step-factor=0" 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not rubato-opt %s --build-training="warmup=-1" 2>&1 | FileCheck %s --check-prefix=WARMUP

// LOSS: error: unknown loss 'hinge'; use softmax-cross-entropy or mse
// OPTIMIZER: error: unknown optimizer 'lion'; use sgd or adamw
// ADAMW: error: adamw has no momentum; set beta1 instead
// NESTEROV: error: nesterov needs a momentum above 0
// RANGE: error: momentum must lie in [0, 1) and weight decay must not be negative
// BETA: error: beta1 and beta2 must lie in [0, 1), epsilon above 0
// SCHEDULE: error: unknown schedule 'linear'; use constant, step or cosine
// STEP: error: schedule step needs step-every and step-factor above 0
// WARMUP: error: warmup must not be negative

nn.parameter @w parameter : tensor<3x2xf32>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32>
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
