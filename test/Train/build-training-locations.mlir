// Where an operation comes from is said in every training function.
// RUN: rubato-opt %s --build-training --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

nn.parameter @w parameter : tensor<3x2xf32> loc("fc.weight")
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = nn.get @w : tensor<3x2xf32> loc("fc.weight")
  %0 = nn.matmul %x, %w : tensor<4x3xf32>, tensor<3x2xf32> -> tensor<4x2xf32> loc("net.fc"("fc (MatMul)"))
  %1 = nn.relu %0 : tensor<4x2xf32> loc("relu")
  return %1 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @gradient(
// CHECK: nn.unpack {{.*}} loc("fc.weight")
// CHECK: nn.matmul {{.*}} loc("net.fc"("fc (MatMul)"))
// CHECK: nn.relu {{.*}} loc("relu")
// CHECK: nn.softmax_cross_entropy {{.*}} loc("softmax-cross-entropy")
// The backward pass names the operation whose gradient it forms.
// CHECK: nn.softmax_cross_entropy_grad {{.*}} loc("backward"("softmax-cross-entropy"))
// CHECK: arith.cmpf ugt, {{.*}} loc("backward"("relu"))
// CHECK: arith.select {{.*}} loc("backward"("relu"))
// CHECK: nn.matmul {{.*}} {transpose_lhs} {{.*}} loc("backward"("net.fc"("fc (MatMul)")))
// CHECK: nn.unpack {{.*}} loc("backward"("fc.weight"))
// CHECK: arith.addf {{.*}} loc("backward"("fc.weight"))

// CHECK-LABEL: func.func @evaluate(
// CHECK-NOT: loc("backward"
// CHECK-LABEL: func.func @step(
// CHECK: arith.mulf {{.*}} loc("step")
// CHECK-LABEL: func.func @lr(
// CHECK: return {{.*}} loc("lr")
