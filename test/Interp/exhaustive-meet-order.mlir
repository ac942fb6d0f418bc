// Two strands come to two places in opposite orders.
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --ranks 2 --rounds 1 --exhaustive --no-reduction 2>&1 | FileCheck %s

// CHECK: error: deadlock: nobody can go on
// CHECK-DAG: rank 0, strand @left, round 0 waits at gsync.meet @first
// CHECK-DAG: rank 0, strand @right, round 0 waits at gsync.meet @second
// CHECK: trace of
// CHECK-DAG: rank 0, strand @left, round 0: gsync.meet @first (line 18)
// CHECK-DAG: rank 0, strand @right, round 0: gsync.meet @second (line 25)

gsync.group @world
gsync.rendezvous @first
gsync.rendezvous @second
gsync.role @worker on @world {
  gsync.strand @left {
    %no = arith.constant false
    %a = gsync.meet @first : i1
    %b = gsync.meet @second : i1
    gsync.next %no
  }
  gsync.strand @right {
    %no = arith.constant false
    // The other way round.
    %b = gsync.meet @second : i1
    %a = gsync.meet @first : i1
    gsync.next %no
  }
}
