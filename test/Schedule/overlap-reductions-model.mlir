// A model with two buckets: the first one is handed over before the last
// gradients are computed, and each one is updated when its sum has arrived.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training='momentum=0.9' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule --canonicalize --overlap-reductions='bucket-bytes=64' --assign-lanes --sched-verify-segments | FileCheck %s
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training='momentum=0.9' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule --canonicalize --overlap-reductions='bucket-bytes=64' --assign-lanes --sched-test-remove-events -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVENTS

// Small enough buckets are not made smaller than two; large ones are split.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule --overlap-reductions='bucket-bytes=1000000' | FileCheck %s --check-prefix=TWO
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule --overlap-reductions='bucket-bytes=1' | FileCheck %s --check-prefix=FOUR
// What the target likes is more than this model has.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training --choose-algorithm --expand-algorithm --form-kernels --build-schedule --overlap-reductions='target=cpu' | FileCheck %s --check-prefix=TWO
// RUN: not rubato-opt %S/Inputs/mlp.mlir --overlap-reductions='target=abacus' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}abacus

// CHECK-LABEL: sched.program @worker.round -> i1 {
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[QUANTA:.*]] step
// The first body may be the last one.
// CHECK:           scf.if
// CHECK:             %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : i64
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[QUANTA]] : i64
// CHECK-NEXT:        scf.if %[[LAST]] {
// CHECK-NEXT:          sched.renew @worker.loop{{$}}
// CHECK-NEXT:          sched.run @worker.round.gradient.0.fresh.last
// CHECK-NEXT:        } else {
// CHECK-NEXT:          sched.renew @worker.loop{{$}}
// CHECK-NEXT:          sched.run @worker.round.gradient.0.fresh{{$}}
// CHECK-NEXT:        }
// CHECK-NEXT:      } else {
// CHECK:             scf.if
// CHECK-NEXT:          sched.renew @worker.loop keep
// CHECK-NEXT:          sched.run @worker.round.gradient.0.last
// CHECK-NEXT:        } else {
// CHECK-NEXT:          sched.renew @worker.loop keep
// CHECK-NEXT:          sched.run @worker.round.gradient.0{{$}}
// The start brings the other operands, and all of the first one.
// CHECK:         sched.start all_reduce channel(0) {{.*}} ins(@worker.loop[0, 228] : f32, @worker.loop.1[0, 8] : i64, @worker.loop.2[0, 8] : i64, @worker.loop.3[0, 8] : f64, @worker.stop_requested[0, 8] : i64) {rubato.overlap = "2 buckets, from @worker.round.gradient.0.fresh.last and @worker.round.gradient.0.last on"}
// CHECK:         sched.await {{.*}} outs(@worker.await[0, 228] : f32, @worker.await.1[0, 8] : i64, {{.*}}) first(84) {rubato.overlap = "2 buckets, in @worker.round.step.2"}

// Bodies before the last say nothing.
// CHECK-LABEL: sched.segment @worker.round.gradient.0 {
// CHECK-NOT:     comm
// CHECK-LABEL: sched.segment @worker.round.gradient.0.last {
// CHECK:         sched.launch compute @fc2.bias.gradient {{.*}} reads({{.*}}@worker.loop[0, 12]) writes(@worker.loop[0, 12])
// CHECK:         sched.launch compute @fc2.weight.gradient
// CHECK-NEXT:    %[[E:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[E]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 84) ins(@worker.loop[0, 228] : f32) done({{.*}}e-01)
// CHECK-NEXT:    sched.launch compute @fc1.bias.gradient
// CHECK-NEXT:    sched.launch compute @fc1.weight.gradient
// CHECK-NEXT:    %[[E2:.*]] = sched.record compute
// CHECK-NEXT:    sched.wait comm, %[[E2]]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(84, 228) ins(@worker.loop[0, 228] : f32) done(1.000000e+00)
// CHECK-NEXT:  }
// CHECK-LABEL: sched.segment @worker.round.gradient.0.fresh {
// CHECK-NOT:     comm
// CHECK-LABEL: sched.segment @worker.round.gradient.0.fresh.last {
// CHECK:         sched.launch compute @fc2.weight.gradient.fresh
// CHECK:         sched.ready comm channel(0) bytes(0, 84)
// CHECK-NEXT:    sched.launch compute @fc1.bias.gradient.fresh
// CHECK-LABEL: sched.segment @worker.round.step.2 {
// CHECK-NEXT:    %[[BEGIN:.*]] = sched.record compute
// CHECK-NEXT:    sched.launch compute @step.mean
// CHECK-NEXT:    sched.launch compute @step{{[_0-9]*}} [0, 21]
// CHECK-SAME:      reads(@worker.await[0, 84], @worker.step.mean[0, 4], @state0[0, 84], @base_lr[0, 4], @w[0, 84]) writes(@state0[0, 84], @w[0, 84])
// The sum arrives meanwhile, behind nothing but what ran before the segment.
// CHECK-NEXT:    sched.wait comm, %[[BEGIN]]
// CHECK-NEXT:    sched.arrive comm outs(@worker.await[84, 144] : f32) done(
// CHECK-NEXT:    %[[E3:.*]] = sched.record comm
// CHECK-NEXT:    sched.wait compute, %[[E3]]
// CHECK-NEXT:    sched.launch compute @step{{[_0-9]*}} [21, 57]
// CHECK-SAME:      writes(@state0[84, 144], @w[84, 144]) {rubato.label = "step"}
// CHECK-NEXT:  }
// Nobody talks in an evaluation or for a gradient alone.
// CHECK-LABEL: sched.program @evaluate {
// CHECK-NOT:     comm

// Every event is needed: without any one of them the proof fails.
// EVENTS: 6 waits, 6 rejected; 6 records, 6 rejected

// TWO-LABEL: sched.segment @worker.round.gradient.0.last {
// TWO-COUNT-2: sched.ready
// TWO-NOT: sched.ready
// TWO-LABEL: sched.segment @worker.round.gradient.0.fresh {
// FOUR-LABEL: sched.segment @worker.round.gradient.0.last {
// FOUR-COUNT-4: sched.ready
// FOUR-NOT: sched.ready
// FOUR-LABEL: sched.segment @worker.round.gradient.0.fresh {
// FOUR-LABEL: sched.segment @worker.round.step.2 {
// FOUR-COUNT-3: sched.arrive
// FOUR-NOT: sched.arrive
