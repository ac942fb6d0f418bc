// The first gradients are complete at element 123. The border between the two
// buckets is rounded down to 64 elements: what is left of the slot is reduced
// with the second bucket, later than it could be, never earlier. Buffers begin
// at multiples of 256 bytes.
// RUN: rubato-opt %s --build-training --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule --overlap-reductions='bucket-bytes=492' --assign-lanes --sched-verify-segments --describe-unit --mlir-print-local-scope | FileCheck %s

// CHECK:       sched.bucket [0, 64] of ["fc2.bias", "fc2.weight"]
// CHECK-NEXT:  sched.bucket [64, 299] of ["fc2.weight", "fc1.bias", "fc1.weight"]
// CHECK:       sched.buffer @w private at(0) bytes(1452)
// CHECK-NEXT:  sched.buffer @seen private at(1536) bytes(8)
// CHECK-NEXT:  sched.buffer @budget private at(1792) bytes(8)

// CHECK:       sched.await {{.*}} first(256)
// CHECK-LABEL: sched.segment @worker.round.gradient.0.last {
// CHECK:       sched.launch compute @fc2.weight.gradient {{.*}} writes(@worker.loop[12, 480])
// CHECK-NEXT:  sched.record compute
// CHECK-NEXT:  sched.wait comm
// CHECK-NEXT:  sched.ready comm channel(0) bytes(0, 256) ins(@worker.loop[0, 1452] : f32)
// CHECK:       sched.launch compute @fc1.weight.gradient
// CHECK-NEXT:  sched.record compute
// CHECK-NEXT:  sched.wait comm
// CHECK-NEXT:  sched.ready comm channel(0) bytes(256, 1452) ins(@worker.loop[0, 1452] : f32)
// CHECK-LABEL: sched.segment @worker.round.step.2 {
// CHECK:       sched.launch compute @step{{[_0-9]*}} [0, 64]
// CHECK:       sched.arrive comm outs(@worker.await[256, 1196] : f32)
// CHECK:       sched.launch compute @step{{[_0-9]*}} [64, 363]
module @mlp {
  nn.parameter @fc1.weight parameter : tensor<40x5xf32>
  nn.parameter @fc1.bias parameter : tensor<40xf32>
  nn.parameter @fc2.weight parameter : tensor<3x40xf32>
  nn.parameter @fc2.bias parameter : tensor<3xf32>
  func.func @forward(%x: tensor<4x5xf32> {nn.name = "x"}) -> tensor<4x3xf32> {
    %w1 = nn.get @fc1.weight : tensor<40x5xf32>
    %b1 = nn.get @fc1.bias : tensor<40xf32>
    %w2 = nn.get @fc2.weight : tensor<3x40xf32>
    %b2 = nn.get @fc2.bias : tensor<3xf32>
    %0 = nn.matmul %x, %w1 {transpose_rhs} : tensor<4x5xf32>, tensor<40x5xf32> -> tensor<4x40xf32> loc("fc1/linear (Gemm)")
    %1 = nn.broadcast %b1 dims [1] : tensor<40xf32> -> tensor<4x40xf32>
    %2 = arith.addf %0, %1 : tensor<4x40xf32>
    %3 = nn.relu %2 : tensor<4x40xf32>
    %4 = nn.matmul %3, %w2 {transpose_rhs} : tensor<4x40xf32>, tensor<3x40xf32> -> tensor<4x3xf32> loc("fc2/linear (Gemm)")
    %5 = nn.broadcast %b2 dims [1] : tensor<3xf32> -> tensor<4x3xf32>
    %6 = arith.addf %4, %5 : tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
}
