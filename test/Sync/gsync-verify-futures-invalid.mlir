// Every rule about futures, broken.
// RUN: rubato-opt %s --split-input-file --gsync-verify-futures --verify-diagnostics

// A future that nobody awaits.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future is never consumed; await it, carry it in gsync.next or yield it, once on every path}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    gsync.next %yes
  }
}

// -----

// A future that is only polled.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future is never consumed}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    %d = gsync.done %f : !F
    gsync.next %yes
  }
}

// -----

// A future awaited twice.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{consumed here}}
    %s = gsync.await %f : !F
    // expected-error@+1 {{'gsync.await' op sync stage: uses a future that was consumed before; a future is consumed exactly once, so keep its values instead}}
    %t = gsync.await %f : !F
    gsync.next %yes
  }
}

// -----

// A poll of a future that is gone.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{consumed here}}
    %s = gsync.await %f : !F
    // expected-error@+1 {{'gsync.done' op sync stage: uses a future that was consumed before}}
    %t = gsync.done %f : !F
    gsync.next %yes
  }
}

// -----

// A loop that waits for a future that is gone.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{consumed here}}
    %s = gsync.await %f : !F
    // expected-error@+1 {{'gsync.repeat' op sync stage: uses a future that was consumed before}}
    %k = gsync.repeat until(%f : !F) at_least(%one) {
    ^bb0(%i: i64):
    }
    gsync.next %yes
  }
}

// -----

// Awaited on one path only.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-note@+1 {{the future}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.if' op sync stage: consumes a future on one path and not on the other; consume it on both, or await it in front}}
    scf.if %yes {
      // expected-note@+1 {{consumed here}}
      %s = gsync.await %f : !F
    }
    gsync.next %yes
  }
}

// -----

// Awaited on the other path only.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-note@+1 {{the future}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.if' op sync stage: consumes a future on one path and not on the other}}
    scf.if %yes {
    } else {
      // expected-note@+1 {{consumed here}}
      %s = gsync.await %f : !F
    }
    gsync.next %yes
  }
}

// -----

// Awaited on one path and behind both: once too often.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-note@+1 {{the future}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.if' op sync stage: consumes a future on one path}}
    scf.if %yes {
      // expected-note@+1 {{consumed here}}
      %s = gsync.await %f : !F
    }
    %t = gsync.await %f : !F
    gsync.next %yes
  }
}

// -----

// Of two futures that a branch chooses from, one is lost.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{the future}}
    %g = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.if' op sync stage: consumes a future on one path and not on the other}}
    %h = scf.if %yes -> (!F) {
      scf.yield %f : !F
    } else {
      %s = gsync.await %f : !F
      // expected-note@+1 {{consumed here}}
      scf.yield %g : !F
    }
    %t = gsync.await %h : !F
    gsync.next %yes
  }
}

// -----

// Lost inside a branch.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    scf.if %yes {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future is never consumed}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    }
    gsync.next %yes
  }
}

// -----

// Lost as the result of a branch.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-error@+1 {{'scf.if' op sync stage: its future is never consumed}}
    %h = scf.if %yes -> (!F) {
      %a = gsync.ready : !F
      scf.yield %a : !F
    } else {
      %a = gsync.ready : !F
      scf.yield %a : !F
    }
    gsync.next %yes
  }
}

// -----

// Awaited in a loop, as often as it runs.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{the loop}}
    scf.for %i = %zero to %one step %one {
      // expected-error@+1 {{'gsync.await' op sync stage: consumes, in a loop, a future from outside of it: as often as the loop runs; await it in front of the loop}}
      %s = gsync.await %f : !F
    }
    gsync.next %yes
  }
}

// -----

// The same in a gsync.repeat.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-note@+1 {{the loop}}
    %k = gsync.repeat at_least(%one) at_most(%one) {
    ^bb0(%i: i64):
      // expected-error@+1 {{'gsync.await' op sync stage: consumes, in a loop, a future from outside of it}}
      %s = gsync.await %f : !F
    }
    gsync.next %yes
  }
}

// -----

// A loop of scf that carries a future.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.for' op sync stage: may not carry a future: optimisations drop what a loop only passes on; await it in the loop, or carry it from round to round by gsync.next}}
    %g = scf.for %i = %zero to %one step %one iter_args(%x = %f) -> (!F) {
      scf.yield %x : !F
    }
    %s = gsync.await %g : !F
    gsync.next %yes
  }
}

// -----

// A while loop that carries a future.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'scf.while' op sync stage: may not carry a future}}
    %g = scf.while (%x = %f) : (!F) -> !F {
      scf.condition(%yes) %x : !F
    } do {
    ^bb0(%y: !F):
      scf.yield %y : !F
    }
    %s = gsync.await %g : !F
    gsync.next %yes
  }
}

// -----

// A gsync.repeat that carries a future.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'gsync.repeat' op sync stage: may not carry a future}}
    %g, %k = gsync.repeat at_least(%one) at_most(%one) iter(%f : !F) {
    ^bb0(%i: i64, %x: !F):
      gsync.yield %x : !F
    }
    %s = gsync.await %g : !F
    gsync.next %yes
  }
}

// -----

// A future left behind in the body of a loop.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %k = gsync.repeat at_least(%one) at_most(%one) {
    ^bb0(%i: i64):
      // expected-error@+1 {{'gsync.ready' op sync stage: its future is never consumed}}
      %f = gsync.ready : !F
    }
    gsync.next %yes
  }
}

// -----

// What a strand takes is not consumed, but replaced.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  // expected-error@+1 {{'gsync.strand' op sync stage: the future it takes as argument #0 is never consumed}}
  gsync.strand (%prev: !F) {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    gsync.next %yes (%f : !F)
  }
  gsync.drain (%last: !F) {
    %s = gsync.await %last : !F
    gsync.yield
  }
}

// -----

// Consumed and carried as well.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%prev: !F) {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-note@+1 {{consumed here}}
    %s = gsync.await %prev : !F
    // expected-error@+1 {{'gsync.next' op sync stage: uses a future that was consumed before}}
    gsync.next %yes (%prev : !F)
  }
  gsync.drain (%last: !F) {
    %s = gsync.await %last : !F
    gsync.yield
  }
}

// -----

// The last future is forgotten.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%prev: !F) {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    gsync.next %yes (%prev : !F)
  }
  // expected-error@+1 {{'gsync.drain' op sync stage: the future it takes as argument #0 is never consumed}}
  gsync.drain (%last: !F) {
    gsync.yield
  }
}

// -----

// Carried twice.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    // expected-error@+1 {{'gsync.yield' op sync stage: takes the same future twice; a future is consumed exactly once, so keep its values instead}}
    gsync.yield %p, %p : !F, !F
  }
  gsync.strand (%a: !F, %b: !F) {
    %yes = arith.constant true
    gsync.next %yes (%a, %b : !F, !F)
  }
  gsync.drain (%a: !F, %b: !F) {
    %s = gsync.await %a : !F
    %t = gsync.await %b : !F
    gsync.yield
  }
}

// -----

// Handed to a function that nobody can look into.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
func.func private @keep(!F)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'func.call' op sync stage: hands a future to @keep, which has no body, so nobody knows whether it is awaited; await it here and pass the values}}
    func.call @keep(%f) : (!F) -> ()
    gsync.next %yes
  }
}

// -----

// A helper that loses what it takes.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
// expected-error@+1 {{'func.func' op sync stage: the future it takes as argument #0 is never consumed}}
func.func @lose(%f: !F) {
  return
}

// -----

// A helper with several blocks.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
// expected-error@+1 {{'func.func' op sync stage: uses futures in several blocks, where their paths cannot be followed; write branches with scf.if}}
func.func @jump(%f: !F) {
  cf.br ^next
^next:
  %s = gsync.await %f : !F
  return
}

// -----

// Chosen without a branch.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    %g = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'arith.select' op sync stage: may not use a future: only gsync.await, gsync.next, a yield or a call consume one, only gsync.done and the until of gsync.repeat observe one}}
    %h = arith.select %yes, %f, %g : !F
    %s = gsync.await %h : !F
    gsync.next %yes
  }
}

// -----

// Made by something unknown.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.zero : tensor<i64>
    %yes = arith.constant true
    // expected-error@+1 {{'builtin.unrealized_conversion_cast' op sync stage: may not give a future}}
    %h = builtin.unrealized_conversion_cast %n : tensor<i64> to !F
    %s = gsync.await %h : !F
    gsync.next %yes
  }
}

// -----

// A future of the last round, and no drain.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%p: !F) {
    %yes = arith.constant true
    %n = gsync.await %p : !F
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    // expected-error@+1 {{'gsync.next' op sync stage: carries a future, but role @worker has no gsync.drain: after the last round nobody consumes it; add a gsync.drain that takes what the strands carry and awaits it}}
    gsync.next %yes (%f : !F)
  }
}
