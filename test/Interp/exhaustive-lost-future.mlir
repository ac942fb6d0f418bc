// A future that is forgotten where this member is asked to stop.
// RUN: not rubato-interp %s --ranks 2 --rounds 3 --exhaustive 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 3 --exhaustive --no-reduction 2>&1 | FileCheck %s --check-prefix=ALL

// CHECK: error: {{.*}}lost future: it is neither awaited nor carried
// CHECK: trace of
// CHECK: is asked to stop; then rank {{[01]}}, round 0: gsync.done
// CHECK: rank {{[01]}}, round 0: gsync.next
// ALL: error: {{.*}}lost future: it is neither awaited nor carried
// ALL: is asked to stop

gsync.group @world
gsync.channel @sum on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @sum (%one) : (i64) -> !gsync.future<i64>
    %done = gsync.done %f : !gsync.future<i64>
    %asked = gsync.stop_requested : tensor<i64>
    %stop = tensor.extract %asked[] : tensor<i64>
    %go = arith.cmpi eq, %stop, %zero : i64
    scf.if %go {
      %n = gsync.await %f : !gsync.future<i64>
    }
    gsync.next %go
  }
}
