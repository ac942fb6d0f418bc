// One rank alone notices that it is to stop, and the other waits for it.
// RUN: not rubato-interp %s --ranks 2 --rounds 3 --exhaustive --deaths 0 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 3 --exhaustive --deaths 0 --no-reduction 2>&1 | FileCheck %s --check-prefix=ALL
// Without that stop all end in the same round.
// RUN: rubato-interp %s --ranks 2 --rounds 3 --exhaustive --deaths 0 --stops 0 | FileCheck %s --check-prefix=SAME

// CHECK: error: deadlock: nobody can go on
// CHECK-NEXT: rank [[WAITS:[01]]], round 1 waits at gsync.await
// CHECK: trace of
// CHECK: rank {{[01]}} is asked to stop; then rank {{[01]}}, round 0: gsync.await
// ALL: error: deadlock: nobody can go on
// ALL: is asked to stop
// SAME: no deadlock

gsync.group @world
gsync.channel @sum on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @sum (%one) : (i64) -> !gsync.future<i64>
    %n = gsync.await %f : !gsync.future<i64>
    %asked = gsync.stop_requested : tensor<i64>
    %stop = tensor.extract %asked[] : tensor<i64>
    %go = arith.cmpi eq, %stop, %zero : i64
    gsync.next %go
  }
}
