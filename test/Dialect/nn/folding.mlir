// Folders and canonicalization patterns of nn, and where they must not apply.
// RUN: rubato-opt %s --split-input-file --canonicalize | FileCheck %s

nn.layout @params [#nn.slot<"a" : tensor<2x2xf32> at 0 parameter>,
                   #nn.slot<"b" : tensor<4xf32> at 4 parameter>]
nn.layout @others [#nn.slot<"b" : tensor<4xf32> at 0 parameter>,
                   #nn.slot<"a" : tensor<2x2xf32> at 4 parameter>]

// A slot of a freshly packed vector is the value that was packed there.
// CHECK-LABEL: func.func @unpack_of_pack(
// CHECK-SAME: %[[A:.+]]: tensor<2x2xf32>, %[[B:.+]]: tensor<4xf32>)
// CHECK-NEXT: return %[[B]], %[[A]]
func.func @unpack_of_pack(%a: tensor<2x2xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %flat = nn.pack @params(%a, %b) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<8xf32>
  %0 = nn.unpack %flat @params["b"] : tensor<8xf32> -> tensor<4xf32>
  %1 = nn.unpack %flat @params["a"] : tensor<8xf32> -> tensor<2x2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x2xf32>
}

// Under another layout the same name means another part of the vector.
// CHECK-LABEL: func.func @DontUnpackAcrossLayouts(
// CHECK: %[[FLAT:.+]] = nn.pack @params
// CHECK: %[[B:.+]] = nn.unpack %[[FLAT]] @others["b"]
// CHECK: return %[[B]]
func.func @DontUnpackAcrossLayouts(%a: tensor<2x2xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %flat = nn.pack @params(%a, %b) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<8xf32>
  %0 = nn.unpack %flat @others["b"] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A transposed operand becomes a flag of the product.
// CHECK-LABEL: func.func @matmul_absorbs_transposes(
// CHECK-SAME: %[[A:.+]]: tensor<3x2xf32>, %[[B:.+]]: tensor<4x3xf32>)
// CHECK-NEXT: %[[C:.+]] = nn.matmul %[[A]], %[[B]] {transpose_lhs, transpose_rhs} : tensor<3x2xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[C]]
func.func @matmul_absorbs_transposes(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %at = nn.transpose %a perm [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %bt = nn.transpose %b perm [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  %c = nn.matmul %at, %bt : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// A flag and a transpose cancel.
// CHECK-LABEL: func.func @matmul_flag_cancels(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<3x4xf32>)
// CHECK-NEXT: %[[C:.+]] = nn.matmul %[[A]], %[[B]] : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
func.func @matmul_flag_cancels(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %bt = nn.transpose %b perm [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %c = nn.matmul %a, %bt {transpose_rhs} : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
  return %c : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_to_itself(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[A]]
func.func @broadcast_to_itself(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.broadcast %a dims [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A splat stays a splat under every operation that only moves elements.
// CHECK-LABEL: func.func @splats(
// CHECK-DAG: %[[B:.+]] = arith.constant dense<2.000000e+00> : tensor<4x2x3xf32>
// CHECK-DAG: %[[T:.+]] = arith.constant dense<7> : tensor<3x2xi64>
// CHECK-DAG: %[[R:.+]] = arith.constant dense<true> : tensor<6xi1>
// CHECK-NEXT: return %[[B]], %[[T]], %[[R]]
func.func @splats() -> (tensor<4x2x3xf32>, tensor<3x2xi64>, tensor<6xi1>) {
  %two = arith.constant dense<2.0> : tensor<2x3xf32>
  %b = nn.broadcast %two dims [1, 2] : tensor<2x3xf32> -> tensor<4x2x3xf32>
  %seven = arith.constant dense<7> : tensor<2x3xi64>
  %t = nn.transpose %seven perm [1, 0] : tensor<2x3xi64> -> tensor<3x2xi64>
  %true = arith.constant dense<true> : tensor<2x3xi1>
  %r = nn.reshape %true : tensor<2x3xi1> -> tensor<6xi1>
  return %b, %t, %r : tensor<4x2x3xf32>, tensor<3x2xi64>, tensor<6xi1>
}

// Constants that are no splats stay small: no operation multiplies them.
// CHECK-LABEL: func.func @DontFoldDenseConstants(
// CHECK: nn.broadcast
// CHECK: nn.transpose
func.func @DontFoldDenseConstants() -> (tensor<4x2xf32>, tensor<2x2xf32>) {
  %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = nn.broadcast %v dims [1] : tensor<2xf32> -> tensor<4x2xf32>
  %m = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %t = nn.transpose %m perm [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  return %b, %t : tensor<4x2xf32>, tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @reduce_over_nothing(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[A]]
func.func @reduce_over_nothing(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reduce sum %a dims [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The sum of a splat is not a splat of the same value.
// CHECK-LABEL: func.func @DontReduceSplat(
// CHECK: nn.reduce sum
func.func @DontReduceSplat() -> tensor<3xf32> {
  %two = arith.constant dense<2.0> : tensor<2x3xf32>
  %0 = nn.reduce sum %two dims [0] : tensor<2x3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @identity_transpose(
// CHECK-SAME: %[[A:.+]]: tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[A]]
func.func @identity_transpose(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %a perm [0, 1, 2] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// Two rotations that undo each other.
// CHECK-LABEL: func.func @transpose_undone(
// CHECK-SAME: %[[A:.+]]: tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[A]]
func.func @transpose_undone(%a: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %a perm [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 perm [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// The same rotation twice is another rotation, though every dimension is equal.
// CHECK-LABEL: func.func @DontUndoRotations(
// CHECK: nn.transpose
// CHECK: nn.transpose
func.func @DontUndoRotations(%a: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %0 = nn.transpose %a perm [1, 2, 0] : tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  %1 = nn.transpose %0 perm [1, 2, 0] : tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  return %1 : tensor<2x2x2xf32>
}

// Swapping a square matrix changes it, though its type stays.
// CHECK-LABEL: func.func @DontFoldSquareTranspose(
// CHECK: nn.transpose
func.func @DontFoldSquareTranspose(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.transpose %a perm [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_to_itself(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[A]]
func.func @reshape_to_itself(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reshape %a : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape(
// CHECK-SAME: %[[A:.+]]: tensor<2x6xf32>)
// CHECK-NEXT: %[[R:.+]] = nn.reshape %[[A]] : tensor<2x6xf32> -> tensor<3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @reshape_of_reshape(%a: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = nn.reshape %a : tensor<2x6xf32> -> tensor<12xf32>
  %1 = nn.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// There and back again is nothing at all.
// CHECK-LABEL: func.func @reshape_round_trip(
// CHECK-SAME: %[[A:.+]]: tensor<2x6xf32>)
// CHECK-NEXT: return %[[A]]
func.func @reshape_round_trip(%a: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = nn.reshape %a : tensor<2x6xf32> -> tensor<12xf32>
  %1 = nn.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: func.func @relu_of_relu(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.+]] = nn.relu %[[A]] : tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @relu_of_relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.relu %a : tensor<4xf32>
  %1 = nn.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @DontFoldSigmoids(
// CHECK: nn.sigmoid
// CHECK: nn.sigmoid
func.func @DontFoldSigmoids(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.sigmoid %a : tensor<4xf32>
  %1 = nn.sigmoid %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Pure operations without users disappear, equal ones are one.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT: return
func.func @dead(%x: tensor<2x3xf32>, %y: tensor<2xi64>) {
  %0 = nn.softmax %x axis 1 : tensor<2x3xf32>
  %1 = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}
