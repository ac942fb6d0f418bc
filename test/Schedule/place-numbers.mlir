// RUN: rubato-opt %s --place-numbers --split-input-file | FileCheck %s
// It changes nothing more when it runs again.
// RUN: rubato-opt %s --place-numbers --place-numbers --split-input-file | FileCheck %s

// Of the host: touched by no launch, and copied to none of a kernel's. Of both
// sides: together behind all else. A kernel's alone, and what is no number, stays
// in front and closes up.

// CHECK-LABEL: module @numbers
// CHECK: sched.arena private(1024) scratch(256) host(24) numbers[768, 24]
// CHECK-DAG: sched.buffer @w private at(0) bytes(512)
// CHECK-DAG: sched.buffer @counter host at(0) bytes(8)
// CHECK-DAG: sched.buffer @copied host at(8) bytes(8)
// CHECK-DAG: sched.buffer @unused host at(16) bytes(8)
// CHECK-DAG: sched.buffer @loss private at(768) bytes(8)
// CHECK-DAG: sched.buffer @from_loss private at(776) bytes(8)
// CHECK-DAG: sched.buffer @came private at(784) bytes(8)
// CHECK-DAG: sched.buffer @inner private at(512) bytes(8)
// CHECK-DAG: sched.buffer @small scratch at(0) bytes(8)
module @numbers {
  sched.arena private(2304) scratch(256)
  sched.buffer @counter private at(0) bytes(8)
  sched.buffer @w private at(256) bytes(512)
  sched.buffer @copied private at(768) bytes(8)
  sched.buffer @loss private at(1024) bytes(8)
  sched.buffer @from_loss private at(1280) bytes(8)
  sched.buffer @inner private at(1536) bytes(8)
  sched.buffer @unused private at(1792) bytes(8)
  sched.buffer @came private at(2048) bytes(8)
  sched.buffer @small scratch at(0) bytes(8)
  llvm.func @kernel(!llvm.ptr, i64, i64, !llvm.ptr)
  sched.segment @s {
    sched.launch compute @kernel [0, 1] args(@w, @loss, @inner, @small, @came) reads(@w[0, 512], @came[0, 8]) writes(@loss[0, 8], @inner[0, 8], @small[0, 8])
  }
  sched.program @p {
    %n = sched.read @counter[0, 8] : i64
    sched.copy @counter[0, 8] to @copied[0, 8]
    sched.run @s
    %l = sched.read @loss[0, 8] : f64
    sched.copy @loss[0, 8] to @from_loss[0, 8]
    %f = sched.pull channel(0) after(%n)
    sched.await %f outs(@came[0, 8] : i64)
    sched.return
  }
}

// -----

// What the runtime reads through the device stays there.

// CHECK-LABEL: module @results
// CHECK: sched.arena private(256) numbers[0, 24]
// CHECK: sched.buffer @loss private at(0) bytes(8)
module @results {
  sched.arena private(768)
  sched.buffer @loss private at(0) bytes(8)
  sched.buffer @correct private at(256) bytes(8)
  sched.buffer @valid private at(512) bytes(8)
  sched.program @evaluate {
    sched.return
  }
  sched.result @evaluate loss in @loss : tensor<f64>
  sched.result @evaluate correct in @correct : tensor<i64>
  sched.result @evaluate valid in @valid : tensor<i64>
}

// -----

// Buffers that lie in each other: nothing moves.

// CHECK-LABEL: module @overlap
// CHECK: sched.arena private(512)
// CHECK-NOT: host
module @overlap {
  sched.arena private(512)
  sched.buffer @a private at(0) bytes(8)
  sched.buffer @b private at(4) bytes(8)
}
