// What the sum of a reduction is used for, and whether parts of it may be used
// before the rest has arrived.
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' | FileCheck %s
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' --assign-lanes --sched-verify-segments -o /dev/null
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' --assign-lanes --sched-test-remove-events -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVENTS --implicit-check-not=accepted
// EVENTS: 9 waits, 9 rejected; 9 records, 9 rejected

nn.layout @params [#nn.slot<"a" : tensor<64xf32> at 0 parameter>, #nn.slot<"b" : tensor<64xf32> at 64 parameter>, #nn.slot<"c" : tensor<8xf32> at 128 parameter>]
sched.arena private(8192) scratch(1024)
sched.buffer @w private at(0) bytes(544)
sched.buffer @m private at(1024) bytes(544)
sched.buffer @n private at(2048) bytes(8)
sched.buffer @lr scratch at(0) bytes(4)
sched.buffer @g private at(3072) bytes(544)
sched.buffer @old scratch at(64) bytes(544)
sched.buffer @new scratch at(320) bytes(544)
sched.buffer @sum value at(0) bytes(544)
sched.buffer @odd value at(1) bytes(64)

func.func private @rate(tensor<i64>) -> tensor<f32> attributes {rubato.kernel = #nn.kernel<elementwise>}
func.func private @norm(tensor<136xf32>) -> tensor<f32> attributes {rubato.kernel = #nn.kernel<rows>}
func.func private @step(tensor<136xf32>, tensor<f32>, tensor<136xf32>) -> tensor<136xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 136, index_by_index>}
func.func private @momentum(tensor<136xf32>, tensor<136xf32>) -> tensor<136xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 136, index_by_index>}

// The await goes on with the first bucket; the segment waits for each further one
// in front of its part of the launches.
// CHECK-LABEL: sched.segment @used.s {
// CHECK-NEXT:    sched.launch compute @rate [0, 1]
// CHECK-NEXT:    sched.launch compute @momentum [0, 64] args(@sum, @m, @m) reads(@sum[0, 256], @m[0, 256]) writes(@m[0, 256])
// CHECK-NEXT:    sched.launch compute @step [0, 64] args(@m, @lr, @w, @w) reads(@m[0, 256], @lr[0, 4], @w[0, 256]) writes(@w[0, 256])
// CHECK-NEXT:    sched.arrive comm outs(@sum[256, 256] : f32) done(4.2{{[0-9]*}}e-01)
// CHECK-NEXT:    sched.launch compute @momentum [64, 128]
// CHECK-NEXT:    sched.launch compute @step [64, 128] args(@m, @lr, @w, @w) reads(@m[256, 256], @lr[0, 4], @w[256, 256]) writes(@w[256, 256])
// CHECK-NEXT:    sched.arrive comm outs(@sum[512, 32] : f32) done(7.1{{[0-9]*}}e-01)
// CHECK-NEXT:    sched.launch compute @momentum [128, 136]
// CHECK-NEXT:    sched.launch compute @step [128, 136]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @used {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32, @n[0, 8] : i64) first(256) {rubato.overlap = "3 buckets, in @used.s"}
// CHECK-NEXT:    sched.lock 0
// CHECK-NEXT:    sched.run @used.s
sched.segment @used.s {
  sched.launch compute @rate [0, 1] args(@n, @lr) reads(@n[0, 8]) writes(@lr[0, 4])
  sched.launch compute @momentum [0, 136] args(@sum, @m, @m) reads(@sum[0, 544], @m[0, 544]) writes(@m[0, 544])
  sched.launch compute @step [0, 136] args(@m, @lr, @w, @w) reads(@m[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @used {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32, @n[0, 8] : i64)
  sched.await %f outs(@sum[0, 544] : f32, @n[0, 8] : i64)
  sched.lock 0
  sched.run @used.s
  sched.unlock 0
  sched.drop @sum
  sched.return
}

// Scratch that shares bytes under another name is not cut: the first part of the
// second launch would write over what the second part of the first one reads.
// CHECK-LABEL: sched.segment @reused.s {
// CHECK-NEXT:    sched.launch compute @momentum [0, 136]
// CHECK-NEXT:    sched.launch compute @momentum [0, 136] args(@m, @m, @new)
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @reused {
// CHECK:         {rubato.overlap = "whole: @reused.s needs more of the sum at once than one index"}
sched.segment @reused.s {
  sched.launch compute @momentum [0, 136] args(@sum, @old, @m) reads(@sum[0, 544], @old[0, 544]) writes(@m[0, 544])
  sched.launch compute @momentum [0, 136] args(@m, @m, @new) reads(@m[0, 544], @m[0, 544]) writes(@new[0, 544])
}
sched.program @reused {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @reused.s
  sched.drop @sum
  sched.return
}

// A slice of the sum that a launch takes for something small is there when the
// sum is: it is awaited whole.
// CHECK-LABEL: sched.program @slice {
// CHECK:         {rubato.overlap = "whole: @slice.s needs more of the sum at once than one index"}
sched.segment @slice.s {
  sched.launch compute @step [0, 136] args(@sum, @sum[512], @w, @w) reads(@sum[0, 544], @sum[512, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @slice {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @slice.s
  sched.drop @sum
  sched.return
}

// Nothing else is awaited while a sum arrives.
// CHECK-LABEL: sched.program @second {
// CHECK:         {rubato.overlap = "whole: another await comes before what it brings is used"}
sched.segment @second.s {
  sched.launch compute @momentum [0, 136] args(@sum, @m, @m) reads(@sum[0, 544], @m[0, 544]) writes(@m[0, 544])
}
sched.program @second {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  %e = sched.start all_reduce channel(0) root(%zero) ins(@n[0, 8] : i64)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.await %e outs(@n[0, 8] : i64)
  sched.run @second.s
  sched.drop @sum
  sched.return
}

// A segment that others run stays as it is.
// CHECK-LABEL: sched.segment @twice.s {
// CHECK-NEXT:    sched.launch compute @momentum [0, 136]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @twice {
// CHECK:         {rubato.overlap = "whole: @twice.s runs elsewhere too"}
sched.segment @twice.s {
  sched.launch compute @momentum [0, 136] args(@sum, @m, @m) reads(@sum[0, 544], @m[0, 544]) writes(@m[0, 544])
}
sched.program @twice {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @twice.s
  sched.run @twice.s
  sched.drop @sum
  sched.return
}

// What does not compute index by index moves to the front where it can.
// CHECK-LABEL: sched.segment @gathered.s {
// CHECK-NEXT:    sched.launch compute @rate [0, 1]
// CHECK-NEXT:    sched.launch compute @momentum [0, 64]
// CHECK-NEXT:    sched.launch compute @step [0, 64]
// CHECK-NEXT:    sched.arrive comm outs(@sum[256, 256] : f32)
// CHECK-LABEL: sched.program @gathered {
// CHECK:         first(256) {rubato.overlap = "3 buckets, in @gathered.s"}
sched.segment @gathered.s {
  sched.launch compute @momentum [0, 136] args(@sum, @m, @m) reads(@sum[0, 544], @m[0, 544]) writes(@m[0, 544])
  sched.launch compute @rate [0, 1] args(@n, @lr) reads(@n[0, 8]) writes(@lr[0, 4])
  sched.launch compute @step [0, 136] args(@m, @lr, @w, @w) reads(@m[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @gathered {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @gathered.s
  sched.return
}

// Only the end of a segment is cut: what is in front of it must not touch the sum.
// CHECK-LABEL: sched.segment @tail.s {
// CHECK-NEXT:    sched.launch compute @momentum [0, 136] args(@g,
// CHECK-NEXT:    sched.launch compute @norm [0, 1]
// CHECK-NEXT:    sched.launch compute @step [0, 64]
// CHECK-NEXT:    sched.arrive
// CHECK-LABEL: sched.program @tail {
// CHECK:         first(256)
sched.segment @tail.s {
  sched.launch compute @momentum [0, 136] args(@g, @m, @m) reads(@g[0, 544], @m[0, 544]) writes(@m[0, 544])
  sched.launch compute @norm [0, 1] args(@m, @lr) reads(@m[0, 544]) writes(@lr[0, 4])
  sched.launch compute @step [0, 136] args(@sum, @lr, @w, @w) reads(@sum[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @tail {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @tail.s
  sched.return
}

// A norm needs all of it.
// CHECK-LABEL: sched.segment @norm.s {
// CHECK-NEXT:    sched.launch compute @norm [0, 1]
// CHECK-NEXT:    sched.launch compute @step [0, 136]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @norms {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: @norm.s needs more of the sum at once than one index"}
sched.segment @norm.s {
  sched.launch compute @norm [0, 1] args(@sum, @lr) reads(@sum[0, 544]) writes(@lr[0, 4])
  sched.launch compute @step [0, 136] args(@sum, @lr, @w, @w) reads(@sum[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @norms {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @norm.s
  sched.return
}

// So does one behind what computes index by index.
// CHECK-LABEL: sched.segment @norm_last.s {
// CHECK-NEXT:    sched.launch compute @step [0, 136]
// CHECK-NEXT:    sched.launch compute @norm [0, 1]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @norm_last {
// CHECK:         {rubato.overlap = "whole: @norm_last.s needs more of the sum at once than one index"}
sched.segment @norm_last.s {
  sched.launch compute @step [0, 136] args(@sum, @lr, @w, @w) reads(@sum[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
  sched.launch compute @norm [0, 1] args(@w, @lr) reads(@w[0, 544]) writes(@lr[0, 4])
}
sched.program @norm_last {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @norm_last.s
  sched.return
}

// A launch of a part is no part of a launch.
// CHECK-LABEL: sched.program @parts {
// CHECK:         {rubato.overlap = "whole: @parts.s needs more of the sum at once than one index"}
sched.segment @parts.s {
  sched.launch compute @step [0, 100] args(@sum, @lr, @w, @w) reads(@sum[0, 400], @lr[0, 4], @w[0, 400]) writes(@w[0, 400])
  sched.launch compute @step [100, 136] args(@sum, @lr, @w, @w) reads(@sum[400, 144], @lr[0, 4], @w[400, 144]) writes(@w[400, 144])
}
sched.program @parts {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.run @parts.s
  sched.return
}

// Who may not come cannot wait for the rest.
// CHECK-LABEL: sched.program @condition {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: what it brings is used under a condition"}
sched.segment @condition.s {
  sched.launch compute @step [0, 136] args(@sum, @lr, @w, @w) reads(@sum[0, 544], @lr[0, 4], @w[0, 544]) writes(@w[0, 544])
}
sched.program @condition {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  %done = sched.done %f
  sched.await %f outs(@sum[0, 544] : f32)
  scf.if %done {
    sched.run @condition.s
  }
  sched.run @condition.s
  sched.return
}

// CHECK-LABEL: sched.program @looped {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: it is not a segment that uses what it brings first"}
sched.program @looped {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  scf.for %i = %zero to %one step %one : i64 {
    sched.run @condition.s
  }
  sched.return
}

// CHECK-LABEL: sched.program @copied {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: it is not a segment that uses what it brings first"}
sched.program @copied {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.copy @sum[0, 544] to @w[0, 544]
  sched.run @condition.s
  sched.return
}

// To let it go is no use of it.
// CHECK-LABEL: sched.program @dropped {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: it is not a segment that uses what it brings first"}
sched.program @dropped {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %f outs(@sum[0, 544] : f32)
  sched.drop @sum
  sched.return
}

// CHECK-LABEL: sched.program @dropped_somewhere {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: it is not a segment that uses what it brings first"}
sched.program @dropped_somewhere {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  %done = sched.done %f
  sched.await %f outs(@sum[0, 544] : f32)
  scf.if %done {
    sched.drop @sum
  }
  sched.return
}

// CHECK-LABEL: sched.program @uncut {
// CHECK:         outs(@odd[0, 64] : f32) {rubato.overlap = "whole: its first value cannot be cut"}
// CHECK:         outs(@w[0, 544] : f32) {rubato.overlap = "whole: its first value cannot be cut"}
// CHECK:         outs(@n[0, 8] : i64, @sum[0, 544] : f32) {rubato.overlap = "whole: its first value cannot be cut"}
sched.program @uncut {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 64] : f32)
  sched.await %f outs(@odd[0, 64] : f32)
  %a = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  sched.await %a outs(@w[0, 544] : f32)
  %b = sched.start all_reduce channel(0) root(%zero) ins(@n[0, 8] : i64, @g[0, 544] : f32)
  sched.await %b outs(@n[0, 8] : i64, @sum[0, 544] : f32)
  sched.return
}

// An await elsewhere may be of another start; what no reduction brings stays.
// CHECK-LABEL: sched.program @elsewhere {
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32) {rubato.overlap = "whole: it is awaited in another block"}
// CHECK:         sched.await %{{.*}} outs(@sum[0, 544] : f32){{$}}
sched.program @elsewhere {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 544] : f32)
  %done = sched.done %f
  scf.if %done {
    sched.await %f outs(@sum[0, 544] : f32)
    sched.run @condition.s
  }
  %e = sched.exchange channel(1) with(%zero) tag(%zero) ins(@g[0, 544] : f32)
  sched.await %e outs(@sum[0, 544] : f32)
  sched.run @condition.s
  sched.return
}
