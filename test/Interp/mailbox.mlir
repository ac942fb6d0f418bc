// A server and two workers. A worker pushes its place; the server adds the sums
// to @w and hands them out again with new tickets.
// RUN: rubato-interp %s --ranks 3 --rounds 4 --log %t.jsonl --check-samples | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG < %t.jsonl
// RUN: rubato-interp %s --ranks 3 --rounds 4 --schedule random --seed 3 | FileCheck %s --check-prefix=RANDOM
// A worker that dies is not waited for; the samples of its lease come again.
// RUN: rubato-interp %s --ranks 3 --rounds 4 --kill 2@1.2 --check-samples | FileCheck %s --check-prefix=DEATH
// A server that dies ends the workers with a failure, not with a hang.
// RUN: not rubato-interp %s --ranks 3 --rounds 4 --kill 0@1 | FileCheck %s --check-prefix=ORPHANS
// One upload closes a round; the slow worker's is stale and weighs less.
// RUN: rubato-interp %s --ranks 3 --rounds 4 --cell first=1 --cost %S/Inputs/slow-worker.cost --log %t2.jsonl | FileCheck %s --check-prefix=STALE

// Four rounds of 1 + 2.
// CHECK: rank 0 @server ended: rounds 4
// CHECK-NEXT: @w = 12
// CHECK-NEXT: @rounds = 4
// CHECK-NEXT: @alive = 2
// CHECK: rank 1 @worker ended: rounds 5
// CHECK: samples consumed: 16
// Four rounds of the server, five of each worker, whose last pull says no.
// CHECK-NEXT: events: {{.*}}collect 4, {{.*}}grant 4, {{.*}}pull 10, push 8, upload 8{{$}}
// CHECK: staleness: 0 x 8
// CHECK: sample accounting: 0 whole epochs of 64, lost 0, twice 0, given back 0

// LOG: "rank":0,{{.*}}"op":"grant","channel":"ps","version":0,"to":[1,2],"tickets":[1,1]}
// LOG: "rank":1,{{.*}}"op":"await","of":"pull",{{.*}}"channel":"ps","ticket":1,"go":true}
// LOG: "rank":1,{{.*}}"op":"push","channel":"ps","ticket":1}
// LOG: "rank":0,{{.*}}"op":"upload","worker":1,"ticket":1,"verdict":"accepted","staleness":0}
// LOG: "op":"collect","channel":"ps","version":1,"who":[1,2],"staleness":[0,0]}
// LOG: "op":"close","channel":"ps"}
// LOG: "op":"await","of":"pull",{{.*}}"channel":"ps","ticket":0,"go":false}

// RANDOM: rank 0 @server ended: rounds 4
// RANDOM-NEXT: @w = 12

// DEATH: rank 0 @server ended: rounds 4
// DEATH-NEXT: @w = 6
// DEATH-NEXT: @rounds = 4
// DEATH-NEXT: @alive = 1
// DEATH: rank 2 @worker dead
// DEATH: lost 0, twice 0

// ORPHANS: rank 0 @server dead
// ORPHANS: rank 1 @worker failed
// ORPHANS: rank 2 @worker failed

// Three uploads of the fast worker pass before the slow one's arrives with
// staleness 3: 1 + 1 + 1 + 2 / 4.
// STALE: rank 0 @server ended: rounds 4
// STALE-NEXT: @w = 3.5
// STALE: staleness: 0 x 3 3 x 1

!M = !gsync.future<tensor<f64>, i64, i1>

gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.cell @w : tensor<f64> role(state)
gsync.cell @rounds : i64 role(counter)
gsync.cell @alive : i64 role(state)
gsync.cell @first : i64 role(setting) default(2.0)

func.func @gradient(%ids: tensor<2xi64>, %rank: i64) -> tensor<f64> {
  %x = arith.sitofp %rank : i64 to f64
  %g = tensor.from_elements %x : tensor<f64>
  return %g : tensor<f64>
}

gsync.role @server on @all {
  gsync.init {
    %w = gsync.load @w : tensor<f64>
    %bound = arith.constant 100 : i64
    gsync.grant on @ps (%w) stale_after(%bound) : tensor<f64>
    gsync.yield
  }
  gsync.strand {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %bound = arith.constant 100 : i64
    %first = gsync.load @first : i64
    %sum, %who = gsync.collect sum on @ps first(%first) by_staleness : tensor<f64>, !gsync.members
    %size = gsync.size %who : i64
    %alive = gsync.workers on @ps : i64
    %q = gsync.stop_requested : tensor<i64>
    %stop = tensor.extract %q[] : tensor<i64>
    %more = arith.cmpi eq, %stop, %c0 : i64
    %w1 = gsync.atomic (@w, @rounds, @alive) -> (tensor<f64>) {
    ^bb0(%w: tensor<f64>, %r: i64, %a: i64):
      %w1 = arith.addf %w, %sum : tensor<f64>
      %r1 = arith.addi %r, %c1 : i64
      gsync.yield cells(%w1, %r1, %alive : tensor<f64>, i64, i64) %w1 : tensor<f64>
    }
    scf.if %more {
      gsync.grant on @ps (%w1) to(%who) stale_after(%bound) : tensor<f64>
    }
    gsync.next %more
  }
  gsync.drain {
    gsync.close on @ps
    gsync.yield
  }
}

gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> !M {
      %p = gsync.pull on @ps after(%ticket) : !M
      scf.yield %p : !M
    } else {
      %p = gsync.ready : !M
      scf.yield %p : !M
    }
    scf.if %go {
      %n, %rank = gsync.view @all : i64, i64
      %weights, %ids = gsync.next_batch from(queue lease(%ticket)) : tensor<2xf64>, tensor<2xi64>
      %g = func.call @gradient(%ids, %rank) : (tensor<2xi64>, i64) -> tensor<f64>
      gsync.push on @ps (%g) ticket(%ticket) : tensor<f64>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
