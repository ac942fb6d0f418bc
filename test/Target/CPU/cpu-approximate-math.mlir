// RUN: rubato-opt --cpu-approximate-math --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func private @f32(
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.powf
// CHECK:         math.sqrt
func.func private @f32(%x: f32, %v: vector<16xf32>) -> (f32, vector<16xf32>, f32, f32, f32) attributes {rubato.kernel} {
  %0 = math.exp %x : f32
  %1 = math.tanh %v : vector<16xf32>
  %2 = math.powf %x, %x : f32
  %3 = math.exp2 %x : f32
  %4 = math.sqrt %x : f32
  return %0, %1, %2, %3, %4 : f32, vector<16xf32>, f32, f32, f32
}

// CHECK-LABEL: func.func private @f64(
// CHECK:         math.exp %{{.*}} : f64
func.func private @f64(%x: f64) -> f64 attributes {rubato.kernel} {
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @host(
// CHECK:         math.exp %{{.*}} : f32
func.func @host(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

func.func private @unknown(%x: f32) -> f32 attributes {rubato.kernel} {
  // expected-error @below {{kernel 'unknown': 'math.log10' has no form in f32 without a call to libm}}
  %0 = math.log10 %x : f32
  return %0 : f32
}
