// The reduction emitter: sums over rows, four registers of columns at a time.
// RUN: rubato-opt %s -split-input-file -cpu-emit-reductions -canonicalize -cse | FileCheck %s

#in = affine_map<(n, m) -> (m, n)>
#out = affine_map<(n, m) -> (n)>
#id = affine_map<(n) -> (n)>

// 43 columns are 32, then 8 + 2 + 1.
// CHECK-LABEL: func.func private @bias_gradient(
// CHECK-SAME: %[[DY:[a-z0-9]*]]: memref<128x43xf32>, %[[G:[a-z0-9]*]]: memref<43xf32>, %[[OUT:[a-z0-9]*]]: memref<43xf32>,
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c1 iter_args
// CHECK-COUNT-4: arith.addf {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK: vector.load %[[G]]
// CHECK: vector.store {{.*}}, %[[OUT]]
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c1 iter_args
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT: linalg
func.func private @bias_gradient(%dy: tensor<128x43xf32>, %g: tensor<43xf32>) -> tensor<43xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<43xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<43xf32>) -> tensor<43xf32>
  %s = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%dy : tensor<128x43xf32>) outs(%f : tensor<43xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %0 = arith.addf %acc, %x : f32
    linalg.yield %0 : f32
  } -> tensor<43xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%g, %s : tensor<43xf32>, tensor<43xf32>) outs(%e : tensor<43xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<43xf32>
  return %r : tensor<43xf32>
}

// -----

// A sum along rows is left alone, and so is a maximum.
#in = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

// CHECK-LABEL: func.func private @row_sum(
// CHECK: linalg.generic
func.func private @row_sum(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#in, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
// CHECK-LABEL: func.func private @column_max(
// CHECK: linalg.generic
func.func private @column_max(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#in, #col], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.maximumf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
