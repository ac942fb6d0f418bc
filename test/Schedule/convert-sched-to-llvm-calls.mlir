// What programs do besides running segments becomes calls of the C ABI: fallible
// ones are checked, answers come back through the stack.
// RUN: rubato-opt %s --convert-sched-to-llvm | FileCheck %s --implicit-check-not=sched.
// RUN: rubato-opt %s --convert-sched-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// IR-DAG: @"name.w seen" = private unnamed_addr constant [7 x i8] c"w seen\00"
// IR-DAG: @values.worker.round.0 = private unnamed_addr constant [2 x { i32, i32, i64, i64 }] [{ i32, i32, i64, i64 } { i32 0, i32 0, i64 0, i64 16 }, { i32, i32, i64, i64 } { i32 0, i32 2, i64 2048, i64 1 }]

sched.arena private(4096) scratch(64)
sched.buffer @w private at(0) bytes(2048)
sched.buffer @n private at(2048) bytes(8)
sched.buffer @batch scratch at(0) bytes(64)
sched.buffer @v value at(2) bytes(64)

// CHECK-LABEL: llvm.func internal @program.worker.round
// CHECK-SAME:    (%[[CTX:.*]]: !llvm.ptr, %[[GO:.*]]: !llvm.ptr) -> i32
sched.program @worker.round -> i1 {
  // Room for the question with most numbers: three in, three out.
  // CHECK: %[[SIX:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK: %[[WORDS:.*]] = llvm.alloca %[[SIX]] x i64
  %one = arith.constant 1 : i64
  // CHECK: llvm.call @rb_batch(%[[CTX]], %{{.*}}, %{{.*}}, %[[WORDS]], %{{.*}}) : (!llvm.ptr, i32, i32, !llvm.ptr, i64) -> i32
  // CHECK-NEXT: llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: llvm.icmp "ne"
  // CHECK-NEXT: llvm.cond_br
  sched.batch queue acked_by(3) ()
  // CHECK: llvm.call @rb_work
  sched.work begin "gradient"
  // CHECK: %[[NOW:.*]] = llvm.call @rb_now(%[[CTX]]) : (!llvm.ptr) -> f64
  %now = sched.now
  // LLVM would make it an exp that loses digits.
  // CHECK: %[[C:.*]] = llvm.call @expm1(%[[NOW]]) : (f64) -> f64
  %c = math.expm1 %now : f64
  // CHECK: llvm.call @rb_computed(%[[CTX]], %{{.*}}, %[[C]]) : (!llvm.ptr, i64, f64) -> i32
  sched.computed %one, %c
  // CHECK: llvm.call @rb_lock(%[[CTX]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  sched.lock 0 "w seen"
  // CHECK: llvm.call @rb_unlock
  sched.unlock 0
  // CHECK: llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.call @rb_lock
  sched.lock 1
  // CHECK: llvm.call @rb_unlock
  sched.unlock 1
  // CHECK: llvm.call @rb_copy(%[[CTX]], {{.*}}) : (!llvm.ptr, i32, i64, i32, i64, i64) -> i32
  sched.copy @w[0, 64] to @w[64, 64]
  // CHECK: llvm.call @rb_clear(%[[CTX]], {{.*}}) : (!llvm.ptr, i32, i64, i64) -> i32
  sched.clear @batch[0, 8]
  // The third value is region 4 of the ABI.
  // CHECK: %[[V:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK: llvm.call @rb_look(%[[CTX]], %[[V]], {{.*}}) : (!llvm.ptr, i32, i32, i64, i32) -> i32
  sched.look @w[64, 64] in @v lock(0)
  // CHECK: %[[KEEP:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @rb_renew(%[[CTX]], %{{.*}}, %[[KEEP]]) : (!llvm.ptr, i32, i32) -> i32
  sched.renew @v keep
  // CHECK: llvm.call @rb_drop(%[[CTX]], %{{.*}}) : (!llvm.ptr, i32) -> i32
  sched.drop @v
  // CHECK: llvm.call @rb_all_reduce(%[[CTX]], {{.*}}, %[[WORDS]]) : (!llvm.ptr, i32, !llvm.ptr, i64, !llvm.ptr) -> i32
  // CHECK: %[[F:.*]] = llvm.load %[[WORDS]] : !llvm.ptr -> i64
  %f = sched.start all_reduce channel(0) root(%one) ins(@w[0, 64] : f32, @n[0, 8] : i64)
  // CHECK: %[[DONE:.*]] = llvm.call @rb_done(%[[CTX]], %[[F]]) : (!llvm.ptr, i64) -> i32
  // CHECK: %[[IS:.*]] = llvm.icmp "ne" %[[DONE]], %{{.*}} : i32
  %done = sched.done %f
  // CHECK: llvm.call @rb_body(%[[CTX]]) : (!llvm.ptr) -> i32
  sched.body
  // CHECK: %[[AHEAD:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @rb_poll(%[[CTX]], %[[F]], %[[AHEAD]], %{{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr) -> i32
  // CHECK: %[[ENDED:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: llvm.icmp "ne" %[[ENDED]], %{{.*}} : i32
  %ended = sched.poll %f ahead(2)
  // All of what it brings: no number of bytes is -1.
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i64)
  // CHECK: llvm.call @rb_await(%[[CTX]], %[[F]], {{.*}}, %[[TWO]], %[[ALL]]) : (!llvm.ptr, i64, !llvm.ptr, i64, i64) -> i32
  sched.await %f outs(@w[0, 64] : f32, @n[0, 8] : i64)
  // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(32 : i64)
  // CHECK: llvm.call @rb_await(%[[CTX]], {{.*}}, %[[FIRST]]) : (!llvm.ptr, i64, !llvm.ptr, i64, i64) -> i32
  // CHECK-NEXT: llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: llvm.icmp "ne"
  // CHECK-NEXT: llvm.cond_br
  sched.await %one outs(@v[0, 64] : f32) first(32)
  // CHECK: llvm.call @rb_exchange
  %e = sched.exchange channel(1) with(%one) tag(%one) ins(@w[0, 64] : f32)
  sched.await %e outs(@w[64, 64] : f32)
  // CHECK: llvm.call @rb_broadcast(%[[CTX]], {{.*}}, %[[WORDS]]) : (!llvm.ptr, i32, i64, !llvm.ptr, i64, !llvm.ptr) -> i32
  %b = sched.start broadcast channel(0) root(%one) ins(@n[0, 8] : i64)
  sched.await %b outs(@n[0, 8] : i64)
  // CHECK: llvm.call @rb_pull
  %p = sched.pull channel(2) after(%one)
  sched.await %p outs(@w[0, 64] : f32)
  // CHECK: llvm.call @rb_repeated
  sched.repeated %one
  // CHECK: llvm.call @rb_push
  sched.push channel(2) ticket(%one) ins(@w[0, 64] : f32)
  // CHECK: llvm.call @rb_collect(%[[CTX]], {{.*}}, %[[WORDS]]) : (!llvm.ptr, i32, i64, i32, !llvm.ptr, i64, !llvm.ptr) -> i32
  // CHECK: %[[WHO:.*]] = llvm.load %[[WORDS]]
  %who = sched.collect channel(2) first(%one) by_staleness outs(@w[0, 64] : f32)
  // CHECK: llvm.call @rb_grant(%[[CTX]], %{{.*}}, %{{.*}}, %[[WHO]], {{.*}}) : (!llvm.ptr, i32, i32, i64, i64, !llvm.ptr, i64) -> i32
  sched.grant channel(2) to(%who) stale_after(%one) ins(@w[0, 64] : f32)
  // CHECK: llvm.call @rb_workers
  %workers = sched.workers channel(2)
  // CHECK: llvm.call @rb_close
  sched.close channel(2)
  // Numbers go as 64 bits each.
  // CHECK: llvm.bitcast %[[NOW]] : f64 to i64
  // CHECK: llvm.zext %[[IS]] : i1 to i64
  // CHECK: llvm.call @rb_ask(%[[CTX]], %{{.*}}, %{{.*}}, %[[WORDS]], {{.*}}) : (!llvm.ptr, i32, i32, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
  // CHECK: llvm.bitcast %{{.*}} : i64 to f64
  %a:3 = sched.ask policy(0) entry(1) (%one, %now, %done) : (i64, f64, i1) -> (i64, f64, i1)
  sched.computed %a#0, %a#1
  // CHECK: llvm.call @rb_meet
  %met = sched.meet 0
  // CHECK: llvm.call @rb_round_samples
  %samples = sched.round_samples : i64
  // CHECK: llvm.call @rb_data_samples
  %everything = sched.data_samples : i64
  // CHECK: llvm.call @rb_commit
  // CHECK: %[[OK:.*]] = llvm.load %[[WORDS]] : !llvm.ptr -> i32
  %ok = sched.commit %samples, %workers
  sched.return %ok : i1
}
