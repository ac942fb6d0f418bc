// What a program becomes: places for its values, segments between two operations
// of the host, a loop whose number of bodies is known, and the two programs that
// look at the present batch alone.
// RUN: rubato-opt %S/Inputs/mlp.mlir --build-training='momentum=0.9' --canonicalize --cse --choose-algorithm --expand-algorithm --canonicalize --cse --form-kernels --build-schedule --sched-verify-segments --canonicalize | FileCheck %s --implicit-check-not=' comm'

// CHECK:      sched.result @gradient gradient in @gradient.sum : tensor<57xf32>
// CHECK-NEXT: sched.result @gradient samples in @gradient.samples : tensor<i64>
// CHECK-NEXT: sched.result @gradient loss in @gradient.loss : tensor<f64>
// CHECK:      sched.role @worker count(rest) model(@worker.model) {
// CHECK-NEXT:   sched.strand "round" runs @worker.round
// CHECK:      sched.arena private({{[0-9]+}}) scratch({{[0-9]+}})
// Places begin at multiples of 256 bytes; cells first.
// CHECK-NEXT: sched.buffer @w private at(0) bytes(228)
// CHECK-NEXT: sched.buffer @state0 private at(256) bytes(228)
// CHECK-NEXT: sched.buffer @seen private at(512) bytes(8)
// What is given away and what arrives has memory of its own.
// CHECK:      sched.buffer @worker.loop value at(0) bytes(228)
// CHECK:      sched.buffer @batch.x scratch at(0) bytes(80)
// What one segment sees is scratch, and shares it by lifetime.
// CHECK:      sched.buffer @worker.fc2.linear.forward scratch at([[AT:[0-9]+]]) bytes(48)
// CHECK:      sched.buffer @worker.fc2.linear.input_gradient scratch at([[AT]]) bytes(96)
// CHECK:      sched.buffer @worker.await value at(1) bytes(228)
// A gradient alone is read at once.
// CHECK:      sched.buffer @gradient.sum scratch at({{[0-9]+}}) bytes(228)
// CHECK:      sched.buffer @gradient.samples private at({{[0-9]+}}) bytes(8)

// CHECK-LABEL: sched.program @worker.round -> i1 {
// CHECK:         %[[QUANTA:.*]] = sched.quanta : i64
// Where no body runs, somebody must have cleared the sums.
// CHECK:         %[[NONE:.*]] = arith.cmpi slt, %[[QUANTA]],
// CHECK-NEXT:    scf.if %[[NONE]] {
// CHECK-NEXT:      sched.clear @worker.loop[0, 228]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[BODY:.*]] = %{{.*}} to %[[QUANTA]] step %{{.*}} : i64 {
// CHECK-NEXT:      sched.batch cursor ()
// CHECK-NEXT:      sched.work begin "gradient"
// CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi eq, %[[BODY]],
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        sched.renew @worker.loop{{$}}
// CHECK-NEXT:        sched.run @worker.round.gradient.0.fresh
// CHECK-NEXT:      } else {
// CHECK-NEXT:        sched.renew @worker.loop keep
// CHECK-NEXT:        sched.run @worker.round.gradient.0{{$}}
// CHECK-NEXT:      }
// CHECK-NEXT:      sched.work end "gradient"
// CHECK:         }
// CHECK:         sched.repeated
// CHECK:         %[[STOP:.*]] = sched.stop_requested : i64
// CHECK-NEXT:    sched.write %[[STOP]], @worker.stop_requested[0, 8] : i64
// CHECK-NEXT:    %[[F:.*]] = sched.start all_reduce channel(0) {{.*}} ins(@worker.loop[0, 228] : f32, @worker.loop.1[0, 8] : i64, @worker.loop.2[0, 8] : i64, @worker.loop.3[0, 8] : f64, @worker.stop_requested[0, 8] : i64)
// CHECK-NEXT:    sched.drop @worker.loop
// CHECK-NEXT:    sched.await %[[F]] outs(@worker.await[0, 228] : f32, @worker.await.1[0, 8] : i64, @worker.await.2[0, 8] : i64, @worker.await.3[0, 8] : f64, @worker.await.4[0, 8] : i64){{$}}
// CHECK:         sched.work begin "step"
// CHECK-NEXT:    sched.run @worker.round.step.2
// CHECK-NEXT:    sched.work end "step"
// CHECK:         sched.drop @worker.await
// CHECK:         sched.read @seen[0, 8] : i64
// CHECK:         sched.return %{{.*}} : i1

// CHECK-LABEL: sched.segment @worker.round.gradient.0 {
// CHECK:         sched.launch compute @fc1.linear.forward
// CHECK:         sched.launch compute @fc2.bias.gradient {{.*}} reads({{.*}}@worker.loop[0, 12]) writes(@worker.loop[0, 12])
// CHECK:         sched.launch compute @fc2.weight.gradient {{.*}} writes(@worker.loop[12, 72])
// CHECK-NEXT:    sched.launch compute @fc1.bias.gradient {{.*}} writes(@worker.loop[84, 24])
// CHECK-NEXT:    sched.launch compute @fc1.weight.gradient {{.*}} writes(@worker.loop[108, 120])
// CHECK-NEXT:  }
// The variant for the first micro-batch neither reads nor clears.
// CHECK-LABEL: sched.segment @worker.round.gradient.0.fresh {
// CHECK:         sched.launch compute @fc2.weight.gradient.fresh
// CHECK-NOT:     reads({{[^)]*}}@worker.loop[
// Parameters and momentum are changed in place, in one launch of all indices.
// CHECK-LABEL: sched.segment @worker.round.step.2 {
// CHECK:         sched.launch compute @step{{[_0-9]*}} [0, 57] {{.*}} writes(@state0[0, 228], @w[0, 228])

// CHECK-LABEL: sched.program @evaluate {
// CHECK-NEXT:    sched.run @evaluation.0
// CHECK-NEXT:    sched.return
// It adds to what is there: the caller clears.
// CHECK-LABEL: sched.program @gradient {
// CHECK-NEXT:    sched.run @differentiation.0
// CHECK-NEXT:    sched.return
// It has places of its own: the strands of a member are not disturbed.
// CHECK-LABEL: sched.segment @differentiation.0 {
// CHECK-NOT:     @worker.
// CHECK:         sched.launch compute @"softmax-cross-entropy" {{.*}} writes(@gradient.loss[0, 8])
// CHECK-NOT:     @worker.
// CHECK:         sched.launch compute @fc1.weight.gradient {{.*}} reads({{.*}}@gradient.sum[108, 120]) writes(@gradient.sum[108, 120])
// CHECK-NEXT:  }
