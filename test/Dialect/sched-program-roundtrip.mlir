// Calls of programs print as they were written, in text and through bytecode.
// RUN: rubato-opt %s | FileCheck %s
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s

// No optimisation drops, merges or moves what others can notice.
// RUN: rubato-opt %s --canonicalize --cse --symbol-dce | FileCheck %s

// CHECK: sched.arena private(4096) scratch(64)
sched.arena private(4096) scratch(64)
sched.buffer @w private at(0) bytes(2048)
sched.buffer @n private at(2048) bytes(8)
// CHECK: sched.buffer @batch scratch at(0) bytes(64)
sched.buffer @batch scratch at(0) bytes(64)
// CHECK: sched.buffer @v value at(1) bytes(64)
sched.buffer @v value at(1) bytes(64)
// CHECK: sched.buffer @sum value at(2) bytes(64)
sched.buffer @sum value at(2) bytes(64)

// CHECK-LABEL: sched.program @worker.round -> i1 {
sched.program @worker.round -> i1 {
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i64
  %one = arith.constant 1 : i64
  // CHECK: sched.batch cursor ()
  sched.batch cursor ()
  // CHECK-NEXT: sched.batch queue acked_by(0) ()
  sched.batch queue acked_by(0) ()
  // CHECK-NEXT: sched.batch keyed (%[[ONE]], %[[ONE]])
  sched.batch keyed(%one, %one)
  // CHECK-NEXT: sched.work begin "gradient"
  sched.work begin "gradient"
  // CHECK-NEXT: sched.work end "gradient"
  sched.work end "gradient"
  // CHECK-NEXT: %[[NOW:.*]] = sched.now
  %now = sched.now
  // CHECK-NEXT: sched.computed %[[ONE]], %[[NOW]]
  sched.computed %one, %now
  // CHECK-NEXT: sched.lock 0 "w seen"
  sched.lock 0 "w seen"
  // CHECK-NEXT: sched.unlock 0
  sched.unlock 0
  // CHECK-NEXT: sched.lock 1
  sched.lock 1
  // CHECK-NEXT: sched.unlock 1
  sched.unlock 1
  // CHECK-NEXT: sched.copy @w[0, 64] to @w[64, 64]
  sched.copy @w[0, 64] to @w[64, 64]
  // CHECK-NEXT: sched.clear @w[0, 8]
  sched.clear @w[0, 8]
  // CHECK-NEXT: sched.look @w[0, 64] in @v lock(0)
  sched.look @w[0, 64] in @v lock(0)
  // CHECK-NEXT: sched.renew @v
  sched.renew @v
  // CHECK-NEXT: sched.renew @v keep
  sched.renew @v keep
  // CHECK-NEXT: sched.drop @v
  sched.drop @v
  // CHECK-NEXT: %[[F:.*]] = sched.start all_reduce channel(0) root(%[[ONE]]) ins(@w[0, 64] : f32, @n[0, 8] : i64)
  %f = sched.start all_reduce channel(0) root(%one) ins(@w[0, 64] : f32, @n[0, 8] : i64)
  // CHECK-NEXT: %[[DONE:.*]] = sched.done %[[F]]
  %done = sched.done %f
  // CHECK-NEXT: sched.body
  sched.body
  // CHECK-NEXT: sched.poll %[[F]] ahead(2)
  %ended = sched.poll %f ahead(2)
  // CHECK-NEXT: sched.await %[[F]] outs(@w[0, 64] : f32, @n[0, 8] : i64)
  sched.await %f outs(@w[0, 64] : f32, @n[0, 8] : i64)
  // CHECK-NEXT: %[[G:.*]] = sched.start all_reduce channel(0) root(%[[ONE]]) ins(@v[0, 64] : f32)
  %g = sched.start all_reduce channel(0) root(%one) ins(@v[0, 64] : f32)
  // CHECK-NEXT: sched.await %[[G]] outs(@sum[0, 64] : f32, @n[0, 8] : i64) first(32) {note = "early"}
  sched.await %g outs(@sum[0, 64] : f32, @n[0, 8] : i64) first(32) {note = "early"}
  // CHECK-NEXT: %[[E:.*]] = sched.exchange channel(1) with(%[[ONE]]) tag(%[[ONE]]) ins(@w[0, 64] : f32)
  %e = sched.exchange channel(1) with(%one) tag(%one) ins(@w[0, 64] : f32)
  // CHECK-NEXT: sched.await %[[E]] outs(@w[64, 64] : f32)
  sched.await %e outs(@w[64, 64] : f32)
  // CHECK-NEXT: %[[P:.*]] = sched.pull channel(2) after(%[[ONE]])
  %p = sched.pull channel(2) after(%one)
  // CHECK-NEXT: sched.await %[[P]] outs(@w[0, 64] : f32)
  sched.await %p outs(@w[0, 64] : f32)
  // CHECK-NEXT: sched.repeated %[[ONE]]
  sched.repeated %one
  // CHECK-NEXT: sched.push channel(2) ticket(%[[ONE]]) ins(@w[0, 64] : f32)
  sched.push channel(2) ticket(%one) ins(@w[0, 64] : f32)
  // CHECK-NEXT: %[[WHO:.*]] = sched.collect channel(2) first(%[[ONE]]) by_staleness outs(@w[0, 64] : f32)
  %who = sched.collect channel(2) first(%one) by_staleness outs(@w[0, 64] : f32)
  // CHECK-NEXT: sched.grant channel(2) to(%[[WHO]]) stale_after(%[[ONE]]) ins(@w[0, 64] : f32)
  sched.grant channel(2) to(%who) stale_after(%one) ins(@w[0, 64] : f32)
  // CHECK-NEXT: sched.grant channel(2) stale_after(%[[ONE]]) ins(@w[0, 64] : f32)
  sched.grant channel(2) stale_after(%one) ins(@w[0, 64] : f32)
  // CHECK-NEXT: sched.workers channel(2)
  %workers = sched.workers channel(2)
  // CHECK-NEXT: sched.close channel(2)
  sched.close channel(2)
  // CHECK-NEXT: sched.ask policy(0) entry(1) (%[[ONE]], %[[NOW]], %[[DONE]]) : (i64, f64, i1) -> (i64, f64, i1)
  %a:3 = sched.ask policy(0) entry(1) (%one, %now, %done) : (i64, f64, i1) -> (i64, f64, i1)
  // CHECK-NEXT: sched.meet 0
  %met = sched.meet 0
  // CHECK-NEXT: sched.round_samples : i64
  %samples = sched.round_samples : i64
  // CHECK-NEXT: sched.data_samples : i64
  %everything = sched.data_samples : i64
  // CHECK-NEXT: %[[OK:.*]] = sched.commit
  %ok = sched.commit %samples, %workers
  // CHECK-NEXT: sched.return %[[OK]] : i1
  sched.return %ok : i1
}
