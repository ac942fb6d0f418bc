// Programs that do not end: rounds without end, and a strand that waits by
// asking again and again for what never comes.
// RUN: split-file %s %t
// RUN: not rubato-interp %t/rounds.mlir --ranks 2 --rounds 1 --exhaustive 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: not rubato-interp %t/poll.mlir --ranks 2 --rounds 1 --exhaustive --deaths 0 2>&1 | FileCheck %s --check-prefix=POLL
// RUN: not rubato-interp %t/poll.mlir --ranks 2 --rounds 1 --exhaustive --deaths 0 --no-reduction 2>&1 | FileCheck %s --check-prefix=ALL

// ROUNDS: error: does not end: rank {{[01]}} begins round
// POLL: error: does not end: from here on the same states come again
// POLL: trace of
// ALL: error: does not end: from here on the same states come again

//--- rounds.mlir
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
}
//--- poll.mlir
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %one = arith.constant 1 : i64
    %n, %rank = gsync.view @world : i64, i64
    %peer = arith.subi %one, %rank : i64
    %f = gsync.exchange (%one) with(%peer) tag(%rank) on @pair : (i64) -> !gsync.future<i64>
    scf.while : () -> () {
      %done = gsync.done %f : !gsync.future<i64>
      %yes = arith.constant true
      %wait = arith.xori %done, %yes : i1
      scf.condition(%wait)
    } do {
      scf.yield
    }
    %x = gsync.await %f : !gsync.future<i64>
    gsync.next %no
  }
}
