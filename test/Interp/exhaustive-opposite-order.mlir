// Two exchanges, of which each rank waits for another one first.
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --deaths 0 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --deaths 0 --no-reduction 2>&1 | FileCheck %s
// Where both are under way before either is awaited, the order is free.
// RUN: sed 's/call @exchange_then/call @both_then/' %s > %t.mlir
// RUN: rubato-interp %t.mlir --ranks 2 --rounds 1 --exhaustive --deaths 0 | FileCheck %s --check-prefix=FREE

// CHECK: error: deadlock: nobody can go on
// CHECK-NEXT: rank 0, round 0 waits at gsync.await
// CHECK-NEXT: rank 1, round 0 waits at gsync.await
// CHECK-NEXT: trace of 2 steps

// FREE: no deadlock

func.func @exchange_then_await(%first: i64, %second: i64, %peer: i64) {
  %f = gsync.exchange (%peer) with(%peer) tag(%first) on @pair : (i64) -> !gsync.future<i64>
  %x = gsync.await %f : !gsync.future<i64>
  %g = gsync.exchange (%peer) with(%peer) tag(%second) on @pair : (i64) -> !gsync.future<i64>
  %y = gsync.await %g : !gsync.future<i64>
  return
}
func.func @both_then_await(%first: i64, %second: i64, %peer: i64) {
  %f = gsync.exchange (%peer) with(%peer) tag(%first) on @pair : (i64) -> !gsync.future<i64>
  %g = gsync.exchange (%peer) with(%peer) tag(%second) on @pair : (i64) -> !gsync.future<i64>
  %x = gsync.await %f : !gsync.future<i64>
  %y = gsync.await %g : !gsync.future<i64>
  return
}
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.role @worker on @world {
  gsync.strand {
    %one = arith.constant 1 : i64
    %no = arith.constant false
    %n, %rank = gsync.view @world : i64, i64
    %peer = arith.subi %one, %rank : i64
    func.call @exchange_then_await(%rank, %peer, %peer) : (i64, i64, i64) -> ()
    gsync.next %no
  }
}
