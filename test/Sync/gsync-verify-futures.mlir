// Programs that come close to losing a future, or to consuming it twice, but do
// not.
// RUN: rubato-opt %s --split-input-file --gsync-verify-futures --verify-diagnostics -o %t

!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)

// Carried from round to round: made by the init, consumed by the round after
// or by the drain. A poll and a loop look at it before.
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%prev: !F) {
    %one = arith.constant 1 : i64
    %k = gsync.repeat until(%prev : !F) at_least(%one) {
    ^bb0(%i: i64):
    }
    %late = gsync.done %prev : !F
    %stop = gsync.stop_requested : tensor<i64>
    %next = gsync.all_reduce sum on @grads (%stop) : (tensor<i64>) -> !F
    %s = gsync.await %prev : !F
    %go = arith.constant true
    gsync.next %go (%next : !F)
  }
  gsync.drain (%last: !F) {
    %s = gsync.await %last : !F
    gsync.yield
  }
}

// -----

!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)

// Chosen by a branch, consumed by both sides of another, made and consumed in
// the body of a loop, passed to a helper and returned by one.
func.func @start(%n: tensor<i64>) -> !F {
  %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
  return %f : !F
}
func.func @finish(%f: !F) -> tensor<i64> {
  %s = gsync.await %f : !F
  return %s : tensor<i64>
}
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = scf.if %yes -> (!F) {
      %a = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      scf.yield %a : !F
    } else {
      %b = gsync.ready : !F
      scf.yield %b : !F
    }
    %s = scf.if %yes -> (tensor<i64>) {
      %v = gsync.await %f : !F
      scf.yield %v : tensor<i64>
    } else {
      %v = func.call @finish(%f) : (!F) -> tensor<i64>
      scf.yield %v : tensor<i64>
    }
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %one step %one {
      %g = func.call @start(%n) : (tensor<i64>) -> !F
      %t = gsync.await %g : !F
    }
    gsync.next %yes
  }
}

// -----

!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)

// Two futures, each consumed on every path though by different operations.
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%a: !F) {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %b = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    %kept = scf.if %yes -> (!F) {
      %s = gsync.await %a : !F
      scf.yield %b : !F
    } else {
      %s = gsync.await %b : !F
      scf.yield %a : !F
    }
    gsync.next %yes (%kept : !F)
  }
  gsync.drain (%last: !F) {
    %s = gsync.await %last : !F
    gsync.yield
  }
}

// -----

// Values, unlike futures, may be carried without a drain.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %z = gsync.zero : tensor<i64>
    gsync.yield %z : tensor<i64>
  }
  gsync.strand (%n: tensor<i64>) {
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    %s = gsync.await %f : !F
    gsync.next %yes (%s : tensor<i64>)
  }
}
