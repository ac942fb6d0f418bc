// The contraction emitter: accumulators in registers, one micro-kernel per
// height of row tile, epilogues on the tile, packing where it pays.
// RUN: rubato-opt %s -split-input-file -cpu-emit-contractions -canonicalize -cse | FileCheck %s
// RUN: rubato-opt %s -split-input-file -cpu-emit-contractions | FileCheck %s --check-prefix=NEVER

// Accumulators are plain vectors, and scratch lives on the stack.
// NEVER-NOT: vector<{{[0-9]+}}x{{[0-9]+}}xf32>
// NEVER-NOT: memref.alloc(

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>

// 128 rows are 18 tiles of 6 and 4 of 5; no remainder of 2 rows.
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME: %[[X:.*]]: memref<128x784xf32>, %[[W:.*]]: memref<512x784xf32>, %[[B:.*]]: memref<512xf32>, %[[Y:.*]]: memref<128x512xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<784x16xf32>
// CHECK: scf.for %[[COL:.*]] = %c0 to %c512 step %c16
// CHECK: scf.for %{{.*}} = %c0 to %c784 step %c8
// CHECK-COUNT-48: vector.shuffle
// CHECK: scf.for %{{.*}} = %c0 to %c18 step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c784 step %c1 iter_args
// CHECK: vector.load %[[PANEL]]
// CHECK-COUNT-12: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.fma
// CHECK: vector.load %[[B]][%[[COL]]]
// CHECK: arith.cmpf ogt
// CHECK: arith.select
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: scf.for %{{.*}} = %c18 to %c22 step %c1
// CHECK-COUNT-10: math.fma
// CHECK-NOT: math.fma
func.func private @forward(%x: tensor<128x784xf32>, %w: tensor<512x784xf32>, %b: tensor<512xf32>) -> tensor<128x512xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<128x784xf32>, tensor<512x784xf32>) outs(%f : tensor<128x512xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x512xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b : tensor<128x512xf32>, tensor<512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.addf %l, %r : f32
    %1 = arith.cmpf ogt, %zero, %0 : f32
    %2 = arith.select %1, %zero, %0 : f32
    linalg.yield %2 : f32
  } -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

// -----

// The left operand is stored column by column with long rows: its tiles are
// packed too, by row blocks that fit into 256 KiB. The accumulated tile is asked
// for ahead, both ends of each row: they may lie in two cache lines.
#id = affine_map<(m, n) -> (m, n)>
#at = affine_map<(m, n, k) -> (k, m)>
#bn = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func private @weight_gradient(
// CHECK: %[[TILES:.*]] = memref.alloca() {alignment = 64 : i64} : memref<33024xf32>
// CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c86 step %c43
// CHECK: vector.store {{.*}}, %[[TILES]]
// CHECK: vector.store {{.*}}, %[[PANEL]]
// CHECK-COUNT-12: memref.prefetch %[[G:.*]][{{.*}}], read, locality<3>, data
// CHECK: memref.load %[[TILES]]
// CHECK: math.fma
// CHECK: vector.load %[[G]]
func.func private @weight_gradient(%dy: tensor<128x512xf32>, %x: tensor<128x784xf32>, %g: tensor<512x784xf32>) -> tensor<512x784xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x784xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x784xf32>) -> tensor<512x784xf32>
  %p = linalg.generic {indexing_maps = [#at, #bn, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %x : tensor<128x512xf32>, tensor<128x784xf32>) outs(%f : tensor<512x784xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<512x784xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %p : tensor<512x784xf32>, tensor<512x784xf32>) outs(%e : tensor<512x784xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.addf %l, %r : f32
    linalg.yield %0 : f32
  } -> tensor<512x784xf32>
  return %y : tensor<512x784xf32>
}

// -----

// Ten columns are a panel of 8 + 2, zeros behind them; K is cut where the
// panel would not fit, and sums rest in scratch between the blocks.
// CHECK-LABEL: func.func private @head(
// CHECK-SAME: %[[Y:[a-z0-9]*]]: memref<64x10xf32>, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index)
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1504x16xf32>
// CHECK: %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<36x16xf32>
// CHECK: vector.store {{.*}}, %[[SUMS]]
// CHECK: vector.load %[[SUMS]]
// CHECK: vector.store {{.*}}, %[[Y]]{{.*}} vector<8xf32>
// CHECK: vector.store {{.*}}, %[[Y]]{{.*}} vector<2xf32>
func.func private @head(%x: tensor<64x3000xf32>, %w: tensor<3000x10xf32>) -> tensor<64x10xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x10xf32>) -> tensor<64x10xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x3000xf32>, tensor<3000x10xf32>) outs(%f : tensor<64x10xf32>) -> tensor<64x10xf32>
  return %p : tensor<64x10xf32>
}

// -----

// Left alone: f64, a product that starts from an operand, and a function that
// is no kernel.
// CHECK-LABEL: func.func private @f64(
// CHECK: linalg.matmul
func.func private @f64(%x: tensor<8x8xf64>, %w: tensor<8x8xf64>) -> tensor<8x8xf64> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x8xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
  %p = linalg.matmul ins(%x, %w : tensor<8x8xf64>, tensor<8x8xf64>) outs(%f : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %p : tensor<8x8xf64>
}
// CHECK-LABEL: func.func private @accumulate(
// CHECK: linalg.matmul
func.func private @accumulate(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {rubato.kernel} {
  %p = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// CHECK-LABEL: func.func private @no_kernel(
// CHECK: linalg.matmul
func.func private @no_kernel(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
