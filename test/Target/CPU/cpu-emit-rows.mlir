// The row emitter: chains of operations on rows, in one loop over the rows.
// RUN: rubato-opt %s -split-input-file -cpu-emit-rows -canonicalize -cse | FileCheck %s
// RUN: rubato-opt %s -split-input-file -cpu-emit-rows -canonicalize -cse | FileCheck %s --check-prefix=NEVER

// NEVER-NOT: memref.alloc(
// NEVER-NOT: vector.reduction
// NEVER-NOT: vector.multi_reduction
// NEVER-NOT: fastmath

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// 100 columns: a group of 64, two vectors of 16, then 4 in the tree.
// CHECK-LABEL: func.func private @row_sum(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<8x100xf32>, %[[Y:[a-z0-9]*]]: memref<8xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK: %[[ROWS:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %[[ROWS]] step
// CHECK: vector.load %[[X]][%[[ROW]], %{{.*}}] : memref<8x100xf32>, vector<16xf32>
// CHECK-COUNT-4: arith.addf {{.*}} : vector<16xf32>
// Two more vectors, then four running sums become one.
// CHECK: vector.load %[[X]][%[[ROW]], %c64]
// CHECK: %[[A:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK: vector.load %[[X]][%[[ROW]], %c80]
// CHECK: %[[B:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK: %[[CD:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK: %[[V16:.*]] = arith.addf %[[AB]], %[[CD]] : vector<16xf32>
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V16]] {offsets = [0], sizes = [8]
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[V16]] {offsets = [8], sizes = [8]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: %[[V4:.*]] = arith.addf {{.*}} : vector<4xf32>
// CHECK: %[[TAIL:.*]] = vector.load %[[X]][%[[ROW]], %c96] : memref<8x100xf32>, vector<4xf32>
// CHECK: arith.addf %[[V4]], %[[TAIL]] : vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: memref.store %{{.*}}, %[[Y]][%[[ROW]]]
// CHECK-NOT: linalg
func.func private @row_sum(%x: tensor<8x100xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#id = affine_map<(m) -> (m)>
#none = affine_map<(m) -> ()>

// Ten columns are 8 and 2; the label's column is read alone, if it exists; the
// total is carried from row to row.
// CHECK-LABEL: func.func private @loss(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<64x10xf32>, %[[LABELS:[a-z0-9]*]]: memref<64xi64>, %[[OUT:[a-z0-9]*]]: memref<f64>
// CHECK: %[[TOTAL:.*]] = scf.for %[[ROW:.*]] = {{.*}} iter_args(%[[RUNNING:.*]] = {{.*}}) -> (f64)
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: math.exp {{.*}} : vector<2xf32>
// CHECK: %[[LABEL:.*]] = memref.load %[[LABELS]][%[[ROW]]]
// CHECK: %[[COLUMN:.*]] = arith.index_cast %[[LABEL]] : i64 to index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[COLUMN]], %c10
// CHECK: %[[PICKED:.*]] = scf.if %[[EXISTS]] -> (f32)
// CHECK: memref.load %[[X]][%[[ROW]], %[[COLUMN]]]
// CHECK: arith.subf {{.*}}, %[[PICKED]] : f32
// CHECK: %[[NEXT:.*]] = arith.addf %[[RUNNING]], %{{.*}} : f64
// CHECK: scf.yield %[[NEXT]] : f64
// CHECK: memref.store %[[TOTAL]], %[[OUT]][]
func.func private @loss(%x: tensor<64x10xf32>, %y: tensor<64xi64>) -> tensor<f64> attributes {rubato.kernel} {
  %zero = arith.constant 0.0 : f32
  %nothing = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x10xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = math.exp %v : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %picked = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<64x10xf32>, tensor<64xi64>) outs(%f : tensor<64xf32>) {
  ^bb0(%v: f32, %label: i64, %acc: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpi eq, %1, %label : i64
    %3 = arith.select %2, %v, %acc : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  %t = tensor.empty() : tensor<f64>
  %start = linalg.fill ins(%nothing : f64) outs(%t : tensor<f64>) -> tensor<f64>
  %total = linalg.generic {indexing_maps = [#id, #id, #none], iterator_types = ["reduction"]} ins(%sum, %picked : tensor<64xf32>, tensor<64xf32>) outs(%start : tensor<f64>) {
  ^bb0(%s: f32, %p: f32, %acc: f64):
    %0 = math.log %s : f32
    %1 = arith.subf %0, %p : f32
    %2 = arith.extf %1 : f32 to f64
    %3 = arith.addf %acc, %2 : f64
    linalg.yield %3 : f64
  } -> tensor<f64>
  return %total : tensor<f64>
}

// -----

// A row that a later step reads lies on the stack; column numbers are a vector.
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// CHECK-LABEL: func.func private @scratch(
// CHECK: %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK: scf.for
// CHECK: vector.step : vector<16xindex>
// CHECK: vector.store %{{.*}}, %[[SCRATCH]]
// CHECK: arith.maximumf {{.*}} : vector<16xf32>
// CHECK: vector.load %[[SCRATCH]]
func.func private @scratch(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {rubato.kernel} {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%v: f32, %out: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %v, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x32xf32>
  %r = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%scaled : tensor<4x32xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.maximumf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%scaled, %max : tensor<4x32xf32>, tensor<4xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%v: f32, %m: f32, %out: f32):
    %0 = arith.subf %v, %m : f32
    linalg.yield %0 : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

// An elementwise kernel that asks for its column keeps its units.
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// CHECK-LABEL: func.func private @one_hot(
// CHECK-SAME: %[[LABELS:[a-z0-9]*]]: memref<6xi64>, %[[OUT:[a-z0-9]*]]: memref<6x20xf32>, %[[LO:[a-z0-9]*]]: index, %[[HI:[a-z0-9]*]]: index)
// CHECK: scf.for %[[ROW:.*]] = %[[LO]] to %[[HI]] step
// CHECK: memref.load %[[LABELS]][%[[ROW]]]
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[ROW]], %{{.*}}] : memref<6x20xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[ROW]], %c16] : memref<6x20xf32>, vector<4xf32>
func.func private @one_hot(%y: tensor<6xi64>) -> tensor<6x20xf32> attributes {rubato.kernel} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x20xf32>
  %r = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<6xi64>) outs(%e : tensor<6x20xf32>) {
  ^bb0(%label: i64, %out: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpi eq, %1, %label : i64
    %3 = arith.select %2, %one, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<6x20xf32>
  return %r : tensor<6x20xf32>
}

// -----

// Left alone: a sum down the columns; a value of another row; a reduction
// whose order matters; a total that a row needs; a label that may stand for
// several columns.
#all = affine_map<(m, n) -> (m, n)>
#swap = affine_map<(m, n) -> (n, m)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>
#id = affine_map<(m) -> (m)>
#none = affine_map<(m) -> ()>

// CHECK-LABEL: func.func private @down(
// CHECK-SAME: tensor<8x8xf32>
// CHECK: linalg.generic
func.func private @down(%x: tensor<8x8xf32>, %f: tensor<8xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %f0 = arith.constant dense<0.0> : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#swap, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%f0 : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
// CHECK-LABEL: func.func private @other_row(
// CHECK-SAME: tensor<8x8xf32>
// CHECK: linalg.generic
func.func private @other_row(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {rubato.kernel} {
  %f = arith.constant dense<0.0> : tensor<8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x8xf32>, tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %m: f32, %out: f32):
    %0 = arith.subf %v, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
// CHECK-LABEL: func.func private @ordered(
// CHECK-SAME: tensor<8x8xf32>
// CHECK: linalg.generic
func.func private @ordered(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %f = arith.constant dense<0.0> : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.subf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
// CHECK-LABEL: func.func private @total_first(
// CHECK-SAME: tensor<8xf32>
// CHECK: linalg.generic
func.func private @total_first(%x: tensor<8xf32>) -> tensor<8xf32> attributes {rubato.kernel} {
  %f = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%f : tensor<f32>) {
  ^bb0(%v: f32, %acc: f32):
    %0 = arith.addf %acc, %v : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]} ins(%x, %s : tensor<8xf32>, tensor<f32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %m: f32, %out: f32):
    %0 = arith.subf %v, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
// CHECK-LABEL: func.func private @narrow_label(
// CHECK-SAME: tensor<8x300xf32>
// CHECK: linalg.generic
func.func private @narrow_label(%x: tensor<8x300xf32>, %y: tensor<8xi8>) -> tensor<8xf32> attributes {rubato.kernel} {
  %f = arith.constant dense<0.0> : tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<8x300xf32>, tensor<8xi8>) outs(%f : tensor<8xf32>) {
  ^bb0(%v: f32, %label: i8, %acc: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i8
    %2 = arith.cmpi eq, %1, %label : i8
    %3 = arith.select %2, %v, %acc : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
