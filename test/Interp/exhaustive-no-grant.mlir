// A server that never grants: its workers wait for a model, it waits for them.
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --no-reduction 2>&1 | FileCheck %s

// CHECK: error: deadlock: nobody can go on
// CHECK: rank 0, round 0 waits at gsync.collect @ps
// CHECK: rank 1, round 0 waits at gsync.await
// CHECK: trace of
// CHECK: rank 1, init: gsync.pull @ps

!M = !gsync.future<i64, i64, i1>
gsync.group @all roles (@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%m: !M) {
    %x, %ticket, %go = gsync.await %m : !M
    gsync.push on @ps (%x) ticket(%ticket) : i64
    %next = gsync.pull on @ps after(%ticket) : !M
    gsync.next %go (%next : !M)
  }
  gsync.drain (%m: !M) {
    %x, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all {
  gsync.strand {
    %one = arith.constant 1 : i64
    %no = arith.constant false
    %sum, %who = gsync.collect sum on @ps first(%one) : i64, !gsync.members
    gsync.next %no
  }
  gsync.drain {
    gsync.close on @ps
    gsync.yield
  }
}
