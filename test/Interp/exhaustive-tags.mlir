// Both name each other, under different tags.
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --deaths 0 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --deaths 0 --no-reduction 2>&1 | FileCheck %s

// CHECK: error: deadlock: nobody can go on
// CHECK-NEXT: rank 0, round 0 waits at gsync.await
// CHECK-NEXT: rank 1, round 0 waits at gsync.await
// CHECK-NEXT: trace of
// CHECK-DAG: rank 0, round 0: gsync.exchange @pair (line 20)
// CHECK-DAG: rank 1, round 0: gsync.exchange @pair (line 20)

gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.role @worker on @world {
  gsync.strand {
    %one = arith.constant 1 : i64
    %no = arith.constant false
    %n, %rank = gsync.view @world : i64, i64
    %peer = arith.subi %one, %rank : i64
    %f = gsync.exchange (%one) with(%peer) tag(%rank) on @pair : (i64) -> !gsync.future<i64>
    %x = gsync.await %f : !gsync.future<i64>
    gsync.next %no
  }
}
