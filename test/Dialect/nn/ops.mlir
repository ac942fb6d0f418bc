// Every operation and attribute of nn survives printing, parsing and bytecode.
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s

// CHECK: nn.parameter @fc.weight parameter : tensor<4x3xf32>
nn.parameter @fc.weight parameter : tensor<4x3xf32>
// CHECK: nn.parameter @bn.mean statistic : tensor<4xf64> {note = "kept"}
nn.parameter @bn.mean statistic : tensor<4xf64> {note = "kept"}
// CHECK: nn.parameter @"odd name/0" frozen : tensor<i64>
nn.parameter @"odd name/0" frozen : tensor<i64>

// Offsets and roles are printed; an empty layout is legal.
// CHECK: nn.layout @params [#nn.slot<"fc.weight" : tensor<4x3xf32> at 0 parameter>,
// CHECK-SAME: #nn.slot<"mean" : tensor<4xf32> at 12 statistic>,
// CHECK-SAME: #nn.slot<"mask" : tensor<f32> at 16 frozen>]
nn.layout @params [#nn.slot<"fc.weight" : tensor<4x3xf32> at 0 parameter>,
                   #nn.slot<"mean" : tensor<4xf32> at 12 statistic>,
                   #nn.slot<"mask" : tensor<f32> at 16 frozen>]
// CHECK: nn.layout @empty []
nn.layout @empty []

// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[FLAT:.+]]: tensor<17xf32>)
func.func @stored(%flat: tensor<17xf32>) -> (tensor<4x3xf32>, tensor<17xf32>) {
  // CHECK: nn.get @fc.weight : tensor<4x3xf32>
  %get = nn.get @fc.weight : tensor<4x3xf32>
  // CHECK: %[[W:.+]] = nn.unpack %[[FLAT]] @params["fc.weight"] : tensor<17xf32> -> tensor<4x3xf32>
  %w = nn.unpack %flat @params["fc.weight"] : tensor<17xf32> -> tensor<4x3xf32>
  // CHECK: %[[MEAN:.+]] = nn.unpack %[[FLAT]] @params["mean"] : tensor<17xf32> -> tensor<4xf32>
  %mean = nn.unpack %flat @params["mean"] : tensor<17xf32> -> tensor<4xf32>
  // CHECK: %[[MASK:.+]] = nn.unpack %[[FLAT]] @params["mask"] : tensor<17xf32> -> tensor<f32>
  %mask = nn.unpack %flat @params["mask"] : tensor<17xf32> -> tensor<f32>
  // CHECK: nn.pack @params(%[[W]], %[[MEAN]], %[[MASK]]) : (tensor<4x3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<17xf32>
  %again = nn.pack @params(%w, %mean, %mask) : (tensor<4x3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<17xf32>
  return %get, %again : tensor<4x3xf32>, tensor<17xf32>
}

// CHECK-LABEL: func.func @products(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<3x2xf32>)
func.func @products(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // CHECK: nn.matmul %[[A]], %[[B]] : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %nn = nn.matmul %a, %b : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  // CHECK: nn.matmul %[[A]], %[[A]] {transpose_rhs} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2xf32>
  %nt = nn.matmul %a, %a {transpose_rhs} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2xf32>
  // CHECK: nn.matmul %[[A]], %[[A]] {transpose_lhs} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<3x3xf32>
  %tn = nn.matmul %a, %a {transpose_lhs} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<3x3xf32>
  // CHECK: nn.matmul %[[A]], %[[B]] {transpose_lhs, transpose_rhs} : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<3x3xf32>
  %tt = nn.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: %[[V:.+]]: tensor<3xf32>, %[[X:.+]]: tensor<2x3xf64>, %[[S:.+]]: tensor<i1>)
func.func @shapes(%v: tensor<3xf32>, %x: tensor<2x3xf64>, %s: tensor<i1>) {
  // CHECK: nn.broadcast %[[V]] dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  %b = nn.broadcast %v dims [1] : tensor<3xf32> -> tensor<2x3xf32>
  // CHECK: nn.broadcast %[[S]] dims [] : tensor<i1> -> tensor<2x2xi1>
  %s2 = nn.broadcast %s dims [] : tensor<i1> -> tensor<2x2xi1>
  // CHECK: nn.reduce sum %[[X]] dims [1, 0] : tensor<2x3xf64> -> tensor<f64>
  %r = nn.reduce sum %x dims [1, 0] : tensor<2x3xf64> -> tensor<f64>
  // CHECK: nn.transpose %[[X]] perm [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
  %t = nn.transpose %x perm [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
  // CHECK: nn.reshape %[[X]] : tensor<2x3xf64> -> tensor<1x6x1xf64>
  %v6 = nn.reshape %x : tensor<2x3xf64> -> tensor<1x6x1xf64>
  return
}

// CHECK-LABEL: func.func @scores(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<2xi64>, %[[G:.+]]: tensor<2xf32>)
func.func @scores(%x: tensor<2x3xf32>, %y: tensor<2xi64>, %g: tensor<2xf32>) {
  // CHECK: nn.relu %[[X]] : tensor<2x3xf32>
  %r = nn.relu %x : tensor<2x3xf32>
  // CHECK: nn.sigmoid %[[X]] : tensor<2x3xf32>
  %s = nn.sigmoid %x : tensor<2x3xf32>
  // CHECK: nn.softmax %[[X]] axis 1 : tensor<2x3xf32>
  %p = nn.softmax %x axis 1 : tensor<2x3xf32>
  // CHECK: nn.log_softmax %[[X]] axis 0 : tensor<2x3xf32>
  %l = nn.log_softmax %x axis 0 : tensor<2x3xf32>
  // CHECK: nn.softmax_cross_entropy %[[X]], %[[Y]] : tensor<2x3xf32>, tensor<2xi64> -> tensor<2xf32>
  %ce = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<2xi64> -> tensor<2xf32>
  // CHECK: nn.softmax_cross_entropy_grad %[[X]], %[[Y]], %[[G]] : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>
  %d = nn.softmax_cross_entropy_grad %x, %y, %g : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>
  // CHECK: nn.count_correct %[[X]], %[[Y]], %[[G]] : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<i64>
  %c = nn.count_correct %x, %y, %g : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32> -> tensor<i64>
  return
}

// Roles and names of arguments and results.
// CHECK-LABEL: func.func @roles
// CHECK-SAME: tensor<6xf32> {nn.role = #nn.argument<parameters>}
// CHECK-SAME: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}
// CHECK-SAME: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 10>}
// CHECK-SAME: tensor<4x2xf32> {nn.name = "z", nn.role = #nn.argument<label>}
// CHECK-SAME: -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.name = "n", nn.role = #nn.result<samples>})
func.func @roles(%w: tensor<6xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %y: tensor<4xi64> {nn.name = "y", nn.role = #nn.argument<label classes 10>}, %z: tensor<4x2xf32> {nn.name = "z", nn.role = #nn.argument<label>}) -> (tensor<6xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.name = "n", nn.role = #nn.result<samples>}) {
  ub.unreachable
}
