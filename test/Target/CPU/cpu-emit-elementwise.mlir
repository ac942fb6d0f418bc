// The elementwise emitter: chunks of 16 over [lo, hi), reads before stores,
// rank-0 operands read once, tails without masks.
// RUN: rubato-opt %s -split-input-file -cpu-emit-elementwise -canonicalize -cse | FileCheck %s

#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// CHECK-LABEL: func.func private @momentum(
// CHECK-SAME: %[[W:[a-z0-9]*]]: memref<669706xf32>, %[[V:[a-z0-9]*]]: memref<669706xf32>, %[[G:[a-z0-9]*]]: memref<669706xf32>, %[[LR:[a-z0-9]*]]: memref<f32>, %[[W1:[a-z0-9]*]]: memref<669706xf32>, %[[V1:[a-z0-9]*]]: memref<669706xf32>, %[[LO:[a-z0-9]*]]: index, %[[HI:[a-z0-9]*]]: index)
// CHECK: memref.load %[[LR]][] : memref<f32>
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[END:.*]] step %c16
// CHECK-COUNT-3: vector.load {{.*}} vector<16xf32>
// CHECK-NOT: memref.load
// CHECK-COUNT-2: vector.store {{.*}} vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[END]] to %[[HI]] step %c1
// CHECK-COUNT-3: memref.load
// CHECK-COUNT-2: memref.store
func.func private @momentum(%w: tensor<669706xf32>, %v: tensor<669706xf32>, %g: tensor<669706xf32>, %lr: tensor<f32>) -> (tensor<669706xf32>, tensor<669706xf32>) attributes {rubato.kernel = #nn.kernel<elementwise, split = 669706, index_by_index>} {
  %mu = arith.constant 0.9 : f32
  %e = tensor.empty() : tensor<669706xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #scalar, #id, #id], iterator_types = ["parallel"]} ins(%w, %v, %g, %lr : tensor<669706xf32>, tensor<669706xf32>, tensor<669706xf32>, tensor<f32>) outs(%e, %e : tensor<669706xf32>, tensor<669706xf32>) {
  ^bb0(%wi: f32, %vi: f32, %gi: f32, %l: f32, %o0: f32, %o1: f32):
    %0 = arith.mulf %mu, %vi : f32
    %1 = arith.addf %0, %gi : f32
    %2 = arith.mulf %l, %1 : f32
    %3 = arith.subf %wi, %2 : f32
    linalg.yield %3, %1 : f32, f32
  } -> (tensor<669706xf32>, tensor<669706xf32>)
  return %r#0, %r#1 : tensor<669706xf32>, tensor<669706xf32>
}

// -----

// A broadcast along rows keeps two loops; 22 columns are 16 + 4 + 2.
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[LO:[a-z0-9]*]]: index, %[[HI:[a-z0-9]*]]: index)
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[HI]] step %c1
// CHECK: vector.load {{.*}} memref<22xf32>, vector<16xf32>
// CHECK: vector.broadcast {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK: vector.store {{.*}} vector<2xf32>
// CHECK-NOT: store
func.func private @rows(%x: tensor<8x22xf32>, %b: tensor<22xf32>, %s: tensor<8xf32>) -> tensor<8x22xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 8, index_by_index>} {
  %e = tensor.empty() : tensor<8x22xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %b, %s : tensor<8x22xf32>, tensor<22xf32>, tensor<8xf32>) outs(%e : tensor<8x22xf32>) {
  ^bb0(%xi: f32, %bi: f32, %si: f32, %o: f32):
    %0 = arith.addf %xi, %bi : f32
    %1 = arith.mulf %0, %si : f32
    linalg.yield %1 : f32
  } -> tensor<8x22xf32>
  return %r : tensor<8x22xf32>
}

// -----

// A matrix without broadcasts is one row: 3 x 7 elements from lo * 7 on.
#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func private @flat(
// CHECK: memref.reinterpret_cast {{.*}} memref<3x7xf32> to memref<21xf32>
// CHECK: arith.muli %{{.*}}, %c7
func.func private @flat(%x: tensor<3x7xf32>) -> tensor<3x7xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 3, index_by_index>} {
  %e = tensor.empty() : tensor<3x7xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x7xf32>) outs(%e : tensor<3x7xf32>) {
  ^bb0(%xi: f32, %o: f32):
    %0 = arith.mulf %xi, %xi : f32
    linalg.yield %0 : f32
  } -> tensor<3x7xf32>
  return %r : tensor<3x7xf32>
}

// -----

// A kernel that is not split runs over all of its rows, whatever lo and hi.
#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func private @whole(
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16
func.func private @whole(%x: tensor<35xf32>) -> tensor<35xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 1, index_by_index>} {
  %e = tensor.empty() : tensor<35xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<35xf32>) outs(%e : tensor<35xf32>) {
  ^bb0(%xi: f32, %o: f32):
    %0 = arith.mulf %xi, %xi : f32
    linalg.yield %0 : f32
  } -> tensor<35xf32>
  return %r : tensor<35xf32>
}

// -----

// Left alone: a payload that asks for its index, a transposed read, i1 stored.
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func private @index(
// CHECK: linalg.generic
func.func private @index(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {rubato.kernel} {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%xi: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// CHECK-LABEL: func.func private @transposed(
// CHECK: linalg.generic
func.func private @transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {rubato.kernel} {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%xi: f32, %o: f32):
    linalg.yield %xi : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// CHECK-LABEL: func.func private @bits(
// CHECK: linalg.generic
func.func private @bits(%x: tensor<4x4xf32>) -> tensor<4x4xi1> attributes {rubato.kernel} {
  %e = tensor.empty() : tensor<4x4xi1>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xi1>) {
  ^bb0(%xi: f32, %o: i1):
    %0 = arith.cmpf ogt, %xi, %xi : f32
    linalg.yield %0 : i1
  } -> tensor<4x4xi1>
  return %r : tensor<4x4xi1>
}
