// RUN: rubato-opt --nn-to-linalg --cpu-lower-reference-kernels --split-input-file %s | FileCheck %s

// The product is computed inside the loops of its epilogue: no scratch, and
// the destination is written once per element.

// CHECK-LABEL: func.func private @epilogue(
// CHECK-SAME:    %[[X:.*]]: memref<7x5xf32>, %[[W:.*]]: memref<3x5xf32>, %[[B:.*]]: memref<3xf32>, %[[Y:.*]]: memref<7x3xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME:    rubato.kernel
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to %c7
// CHECK:           scf.for %[[J:.*]] = %c0{{.*}} to %c3
// CHECK:             %[[SUM:.*]] = scf.for %[[K:.*]] = %c0{{.*}} to %c5{{.*}} iter_args
// CHECK:               memref.load %[[X]][%[[I]], %[[K]]]
// CHECK:               memref.load %[[W]][%[[J]], %[[K]]]
// CHECK:             memref.load %[[B]][%[[J]]]
// CHECK:             arith.addf %[[SUM]]
// CHECK:             memref.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
// CHECK-NOT:     memref.store
// CHECK:         return
func.func private @epilogue(%x: tensor<7x5xf32>, %w: tensor<3x5xf32>, %b: tensor<3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel} {
  %0 = nn.matmul %x, %w {transpose_rhs} : tensor<7x5xf32>, tensor<3x5xf32> -> tensor<7x3xf32>
  %1 = nn.broadcast %b dims [1] : tensor<3xf32> -> tensor<7x3xf32>
  %2 = arith.addf %0, %1 : tensor<7x3xf32>
  return %2 : tensor<7x3xf32>
}

// -----

// An elementwise kernel computes the rows [lo, hi).

// CHECK-LABEL: func.func private @relu(
// CHECK-SAME:    %[[LO:[^:]*]]: index, %[[HI:[^:]*]]: index)
// CHECK:         scf.for %{{.*}} = %[[LO]] to %[[HI]]
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c3
func.func private @relu(%x: tensor<7x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel} {
  %0 = nn.relu %x : tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// What is read more than once is stored on the stack.

// CHECK-LABEL: func.func private @softmax(
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<7xf32>
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<7xf32>
// CHECK-NOT:     memref.alloc
func.func private @softmax(%x: tensor<7x3xf32>) -> tensor<7x3xf32> attributes {rubato.kernel} {
  %0 = nn.softmax %x axis 1 : tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// A reshape at the end is a view of the destination.

// CHECK-LABEL: func.func private @reshape(
// CHECK-SAME:    %[[Y:[^:]*]]: memref<21xf32>, %{{[^:]*}}: index, %{{[^:]*}}: index)
// CHECK:         %[[VIEW:.*]] = memref.expand_shape %[[Y]]
// CHECK:         memref.store %{{.*}}, %[[VIEW]]
// CHECK-NOT:     memref.store
func.func private @reshape(%x: tensor<7x3xf32>) -> tensor<21xf32> attributes {rubato.kernel} {
  %0 = nn.relu %x : tensor<7x3xf32>
  %1 = nn.reshape %0 : tensor<7x3xf32> -> tensor<21xf32>
  return %1 : tensor<21xf32>
}

// -----

// A constant tensor lies beside the kernel.

// CHECK:         memref.global "private" constant @add.constant : memref<3xf32> = dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK-LABEL: func.func private @add(
// CHECK:         memref.get_global @add.constant
func.func private @add(%x: tensor<3xf32>) -> tensor<3xf32> attributes {rubato.kernel} {
  %c = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %0 = arith.addf %x, %c : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A function that is no kernel, and a kernel in memref form, stay.

// CHECK-LABEL: func.func @no_kernel(
// CHECK:         linalg.generic
func.func @no_kernel(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.relu %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func private @emitted(
// CHECK-SAME:    %{{.*}}: memref<3xf32>, %{{.*}}: index, %{{.*}}: index) attributes {rubato.kernel
func.func private @emitted(%x: memref<3xf32>, %lo: index, %hi: index) attributes {rubato.kernel} {
  return
}
