// Two buckets: the first one's reduction is given to the comm lane before the
// last gradients are computed, and each bucket is updated when it is complete.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training='momentum=0.9' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule='bucket-bytes=64' --sched-verify-segments | FileCheck %s
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training='momentum=0.9' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule='bucket-bytes=64' --sched-test-remove-events -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVENTS

// Small enough buckets are not made smaller than two; large ones are split.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule='bucket-bytes=1000000' | FileCheck %s --check-prefix=TWO
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule='bucket-bytes=1' | FileCheck %s --check-prefix=FOUR

// CHECK: sched.arena private({{[0-9]+}}) shared({{[0-9]+}}) result({{[0-9]+}})
// CHECK: sched.buffer @w private at(0) bytes(228)
// CHECK: sched.buffer @grads.in0 shared at(0) bytes(228)
// CHECK: sched.buffer @grads.out0 result at(0) bytes(228)

// CHECK-LABEL: sched.segment @synchronise {
// CHECK:       sched.launch compute @fc1.linear.forward
// What rides with the first bucket is ready before it.
// CHECK:       writes(@grads.in2[0, 8])
// CHECK:       writes(@grads.in1[0, 8])
// CHECK:       sched.launch compute @fc2.bias.gradient {{.*}} reads({{.*}}@grads.in0[0, 12]) writes(@grads.in0[0, 12])
// CHECK:       sched.launch compute @fc2.weight.gradient
// CHECK-NEXT:  %[[READY:.*]] = sched.record compute
// CHECK-NEXT:  sched.wait comm, %[[READY]]
// CHECK-NEXT:  sched.collective comm all_reduce channel(0) seq(0) future(0) ins(@grads.in0[0, 84] : f32, @grads.in1[0, 8] : i64, @grads.in2[0, 8] : f64, @grads.in3[0, 8] : i64)
// CHECK-NEXT:  %[[FIRST:.*]] = sched.record comm
// CHECK-NEXT:  sched.launch compute @fc1.bias.gradient
// CHECK-NEXT:  sched.launch compute @fc1.weight.gradient
// CHECK-NEXT:  %[[READY2:.*]] = sched.record compute
// CHECK-NEXT:  sched.wait comm, %[[READY2]]
// CHECK-NEXT:  sched.collective comm all_reduce channel(0) seq(1) future(1) ins(@grads.in0[84, 144] : f32) outs(@grads.out0[84, 144] : f32)
// CHECK-NEXT:  %[[SECOND:.*]] = sched.record comm
// CHECK-NEXT:  sched.wait compute, %[[FIRST]]
// CHECK:       sched.launch compute @step{{[_0-9]*}} [0, 21]
// CHECK-SAME:  writes(@state0[0, 84], @w[0, 84])
// CHECK-NEXT:  sched.wait compute, %[[SECOND]]
// CHECK-NEXT:  sched.launch compute @step{{[_0-9]*}} [21, 57]
// CHECK-SAME:  writes(@state0[84, 144], @w[84, 144])

// The variant for the first micro-batch neither reads nor clears.
// CHECK-LABEL: sched.segment @synchronise.fresh {
// CHECK:       sched.launch compute @fc2.weight.gradient.fresh
// CHECK-NOT:   reads({{[^)]*}}@grads.in0
// CHECK-LABEL: sched.segment @accumulate {
// CHECK-NOT:   sched.collective

// CHECK-LABEL: sched.program @round -> i1 {
// CHECK:       sched.write %{{.*}}, @grads.in1[0, 8] : i64
// CHECK:       %[[STOP:.*]] = sched.stop_requested : i64
// CHECK-NEXT:  sched.write %[[STOP]], @grads.in3[0, 8] : i64
// CHECK:       %[[QUANTA:.*]] = sched.quanta : i64
// CHECK:       scf.if
// CHECK-NEXT:    sched.next_batch
// CHECK-NEXT:    sched.work begin "gradient"
// CHECK-NEXT:    sched.run @synchronise.fresh
// CHECK-NEXT:    sched.work end "gradient"
// CHECK-NEXT:  } else {
// CHECK-NEXT:    sched.next_batch
// CHECK-NEXT:    sched.work begin "gradient"
// CHECK-NEXT:    sched.run @accumulate.fresh
// CHECK-NEXT:    sched.work end "gradient"
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      sched.next_batch
// CHECK-NEXT:      sched.work begin "gradient"
// CHECK-NEXT:      sched.run @accumulate
// CHECK-NEXT:      sched.work end "gradient"
// CHECK-NEXT:    }
// CHECK-NEXT:    sched.next_batch
// CHECK-NEXT:    sched.work begin "gradient"
// CHECK-NEXT:    sched.run @synchronise
// CHECK-NEXT:    sched.work end "gradient"
// CHECK-NEXT:  }
// CHECK:       sched.read @seen[0, 8] : i64
// CHECK:       sched.return %{{.*}} : i1
// CHECK-LABEL: sched.program @gradient {
// CHECK-NEXT:  sched.run @accumulate
// CHECK-LABEL: sched.program @evaluate {

// Every event is needed: without any one of them the proof fails.
// EVENTS: 8 waits, 8 rejected; 8 records, 8 rejected

// TWO-LABEL: sched.segment @synchronise {
// TWO-COUNT-2: sched.collective
// TWO-LABEL: sched.segment @synchronise.fresh
// FOUR-LABEL: sched.segment @synchronise {
// FOUR-COUNT-4: sched.collective
// FOUR-LABEL: sched.segment @synchronise.fresh
