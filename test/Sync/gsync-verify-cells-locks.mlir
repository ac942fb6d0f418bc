// Cells that ever appear together share a lock, through others as well.
// RUN: rubato-opt %s --gsync-verify-cells=print-locks --verify-diagnostics -o %t

gsync.group @world
gsync.cell @a : i64 role(state)
gsync.cell @b : i64 role(state)
gsync.cell @c : i64 role(state)
gsync.cell @d : i64 role(state)
gsync.cell @unused : i64 role(state)
// expected-remark@+2 {{lock 0: @a, @b, @c}}
// expected-remark@+1 {{lock 1: @d}}
gsync.role @worker on @world {
  gsync.strand @one {
    gsync.atomic (@a, @b) {
    ^bb0(%a: i64, %b: i64):
      gsync.yield cells(%b, %a : i64, i64)
    }
    gsync.atomic (@d) {
    ^bb0(%d: i64):
      gsync.yield cells(%d : i64)
    }
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.strand @two {
    gsync.atomic (@c, @b) {
    ^bb0(%c: i64, %b: i64):
      gsync.yield cells(%b, %c : i64, i64)
    }
    %yes = arith.constant true
    gsync.next %yes
  }
}
