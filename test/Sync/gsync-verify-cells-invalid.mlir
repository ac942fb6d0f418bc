// Lost updates, shared cells, models with traces.
// RUN: rubato-opt %s --split-input-file --gsync-verify-cells --verify-diagnostics

// A snapshot is added to and written back, while another strand writes.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    // expected-note@+1 {{read here}}
    %x = gsync.load @x : tensor<8xf32>
    %n = arith.addf %x, %x : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// The same, computed inside the atomic.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    // expected-note@+1 {{read here}}
    %x = gsync.load @x : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      %n = arith.addf %x, %x : tensor<8xf32>
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// The snapshot comes out of an earlier atomic.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    // expected-note@+1 {{read here}}
    %x = gsync.atomic (@x, @y) -> (tensor<8xf32>) {
    ^bb0(%v: tensor<8xf32>, %w: tensor<8xf32>):
      gsync.yield cells(%v, %w : tensor<8xf32>, tensor<8xf32>) %v : tensor<8xf32>
    }
    %n = arith.addf %x, %x : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// It goes through a branch and a loop.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    // expected-note@+1 {{read here}}
    %x = gsync.load @x : tensor<8xf32>
    %m = scf.if %yes -> (tensor<8xf32>) {
      %d = arith.addf %x, %x : tensor<8xf32>
      scf.yield %d : tensor<8xf32>
    } else {
      %d = gsync.zero : tensor<8xf32>
      scf.yield %d : tensor<8xf32>
    }
    %n, %k = gsync.repeat at_least(%one) at_most(%one) iter(%m : tensor<8xf32>) {
    ^bb0(%i: i64, %a: tensor<8xf32>):
      %b = arith.addf %a, %a : tensor<8xf32>
      gsync.yield %b : tensor<8xf32>
    }
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// It travels to another member and back.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @c on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    // expected-note@+1 {{read here}}
    %x = gsync.load @x : tensor<8xf32>
    %f = gsync.all_reduce sum on @c (%x) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    %n = gsync.await %f : !gsync.future<tensor<8xf32>>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// It was carried from the round before.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.init {
    %z = gsync.zero : tensor<8xf32>
    gsync.yield %z : tensor<8xf32>
  }
  gsync.strand @a (%x: tensor<8xf32>) {
    %yes = arith.constant true
    %n = arith.addf %x, %x : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    // expected-note@+1 {{read here}}
    %next = gsync.load @x : tensor<8xf32>
    gsync.next %yes (%next : tensor<8xf32>)
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// A helper hides the snapshot.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
func.func @read() -> tensor<8xf32> {
  // expected-note@+1 {{read here}}
  %x = gsync.load @x : tensor<8xf32>
  return %x : tensor<8xf32>
}
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %x = func.call @read() : () -> tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%x : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// A cell read by one role and changed by another.
gsync.group @world roles(@a = 1, @b = rest)
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @rate : tensor<8xf32> role(setting)
gsync.role @a on @world {
  gsync.strand {
    %yes = arith.constant true
    // expected-note@+1 {{role @a touches it here}}
    %x = gsync.load @x : tensor<8xf32>
    gsync.next %yes
  }
}
gsync.role @b on @world {
  gsync.strand {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: touches cell @x of another role: a member runs one role, and what it holds is its own; send the value over a channel, or declare a second cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// A cell read by two roles would be two cells.
gsync.group @world roles(@a = 1, @b = rest)
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @rate : tensor<8xf32> role(setting)
gsync.role @a on @world {
  gsync.strand {
    %yes = arith.constant true
    // expected-note@+1 {{role @a touches it here}}
    %x = gsync.load @x : tensor<8xf32>
    gsync.next %yes
  }
}
gsync.role @b on @world {
  gsync.strand {
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.load' op sync stage: touches cell @x of another role}}
    %x = gsync.load @x : tensor<8xf32>
    gsync.next %yes
  }
}

// -----

// A model that changes a cell,
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @ch on @world kind(collective)
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.model {
    %z = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes cells in a gsync.model, which is run whenever somebody looks at the model and must leave no trace; do it in a strand or in the drain}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.yield %z : tensor<8xf32>
  }
}

// -----

// takes a batch,
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @ch on @world kind(collective)
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.model {
    %z = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.next_batch' op sync stage: takes a batch in a gsync.model, which is run whenever somebody looks at the model and must leave no trace; do it in a strand or in the drain}}
    %b = gsync.next_batch from(peek) : tensor<8xf32>
    gsync.yield %z : tensor<8xf32>
  }
}

// -----

// asks a policy,
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @ch on @world kind(collective)
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.model {
    %z = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.ask' op sync stage: asks a policy in a gsync.model, which is run whenever somebody looks at the model and must leave no trace; do it in a strand or in the drain}}
    %b = gsync.ask @quota::@averaged() : () -> i1
    gsync.yield %z : tensor<8xf32>
  }
}

// -----

// or votes.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @ch on @world kind(collective)
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.model {
    %z = gsync.zero : tensor<8xf32>
    %one = arith.constant 1 : i64
    // expected-error@+1 {{'gsync.commit' op sync stage: takes part in the training in a gsync.model, which is run whenever somebody looks at the model and must leave no trace; do it in a strand or in the drain}}
    %b = gsync.commit on @world expect(%one, %one) : i1
    gsync.yield %z : tensor<8xf32>
  }
}

// -----

// A call hides a wait under a lock,
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @ch on @world kind(collective)
gsync.cell @x : i64 role(counter)
func.func private @talk() {
  %n = gsync.zero : tensor<i64>
  // expected-error@+1 {{'gsync.all_reduce' op sync stage: may not stand in a gsync.atomic: it could wait, and the cells are locked meanwhile; move the call that leads to it in front of the atomic}}
  %f = gsync.all_reduce sum on @ch (%n) : (tensor<i64>) -> !F
  %w = gsync.await %f : !F
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    // expected-note@+1 {{the atomic}}
    gsync.atomic (@x) {
    ^bb0(%v: i64):
      func.call @talk() : () -> ()
      gsync.yield cells(%v : i64)
    }
    gsync.next %no
  }
}

// -----

// or, two calls deep, a second lock.
gsync.group @world
gsync.cell @x : i64 role(counter)
gsync.cell @y : i64 role(counter)
func.func private @bump() {
  // expected-error@+1 {{'gsync.atomic' op sync stage: may not stand in a gsync.atomic: it could wait}}
  gsync.atomic (@y) {
  ^bb0(%v: i64):
    gsync.yield cells(%v : i64)
  }
  return
}
func.func private @outer() {
  func.call @bump() : () -> ()
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    // expected-note@+1 {{the atomic}}
    gsync.atomic (@x) {
    ^bb0(%v: i64):
      func.call @outer() : () -> ()
      gsync.yield cells(%v : i64)
    }
    gsync.next %no
  }
}

// -----

// A value that the init read, and the strand only passes on; the init yields
// for the other strand first.
gsync.group @world
gsync.cell @x : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.init {
    %z = gsync.zero : tensor<i64>
    // expected-note@+1 {{read here}}
    %s = gsync.load @x : tensor<i64>
    gsync.yield %z, %s : tensor<i64>, tensor<i64>
  }
  gsync.strand @a (%o: tensor<i64>) {
    %yes = arith.constant true
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      %n = arith.addi %v, %o : tensor<i64>
      gsync.yield cells(%n : tensor<i64>)
    }
    gsync.next %yes (%o : tensor<i64>)
  }
  gsync.strand @b (%s: tensor<i64>) {
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before: a read-modify-write outside an atomic, which loses what another strand changes in between; compute the new value from the atomic's argument for the cell}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      gsync.yield cells(%s : tensor<i64>)
    }
    gsync.next %yes (%s : tensor<i64>)
  }
}
