// Collectives that look dangerous and are not.
// RUN: rubato-opt %s --split-input-file --gsync-verify-uniformity --verify-diagnostics -o %t

// A condition that rode in a reduction.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %q = gsync.stop_requested : tensor<i64>
    %g = gsync.all_reduce sum on @grads (%q) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %v = gsync.await %g : !gsync.future<tensor<i64>>
    %x = tensor.extract %v[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %c
  }
}

// -----

// The number of members, a setting, quanta, the samples of the round.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %m, %rank = gsync.view @world : i64, i64
    %q = gsync.quanta : i64
    %round = gsync.round_samples : i64
    %all = gsync.data_samples : i64
    %r = arith.addi %round, %all : i64
    %l = gsync.load @budget : tensor<i64>
    %b = tensor.extract %l[] : tensor<i64>
    %x = arith.addi %m, %q : i64
    %y = arith.addi %x, %r : i64
    %c = arith.cmpi slt, %y, %b : i64
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// A vote, and a replicated policy asked with uniform values.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %ok = gsync.commit on @world expect(%one, %one) : i1
    %m, %rank = gsync.view @world : i64, i64
    %f1, %reset = gsync.ask @ramp::@factor(%m) : (i64) -> (f64, i1)
    %c = arith.andi %ok, %reset : i1
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// A cell that everybody counts up by the same sum; local cells beside it do no harm.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %q = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.atomic (@seen, @mine) {
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %a1 = arith.addi %a, %s : tensor<i64>
      %b1 = arith.addi %b, %q : tensor<i64>
      gsync.yield cells(%a1, %b1 : tensor<i64>, tensor<i64>)
    }
    %l = gsync.load @seen : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %go = arith.cmpi slt, %x, %one : i64
    gsync.next %go
  }
}

// -----

// A cell that passes an atomic unchanged stays what it was, whatever the condition.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %d = gsync.ask @quota::@averaged() : () -> i1
    scf.if %d {
      gsync.atomic (@seen, @mine) {
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        gsync.yield cells(%a, %n : tensor<i64>, tensor<i64>)
      }
    }
    %l = gsync.load @seen : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi slt, %x, %one : i64
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// A counted loop: its count and what it adds up from uniform values.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %m, %rank = gsync.view @world : i64, i64
    %sum, %k = gsync.repeat at_least(%m) at_most(%m) iter(%zero : i64) {
    ^bb0(%i: i64, %acc: i64):
      %next = arith.addi %acc, %i : i64
      gsync.yield %next : i64
    }
    %x = arith.addi %sum, %k : i64
    %c = arith.cmpi slt, %x, %one : i64
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// A collective in a loop that all members run equally often.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %m, %rank = gsync.view @world : i64, i64
    %lo = arith.constant 0 : index
    %st = arith.constant 1 : index
    %hi = arith.index_cast %m : i64 to index
    scf.for %i = %lo to %hi step %st {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// Local conditions and loops are fine for everything else: exchanges, batches, cells, local and central questions.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.channel @pair on @world kind(pair)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %d = gsync.ask @quota::@averaged() : () -> i1
    scf.if %d {
      %p = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %q = gsync.await %p : !gsync.future<tensor<i64>>
      %b = gsync.next_batch from(queue) : tensor<i64>
    }
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// An await may be reached by a local decision; the start may not.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %d = gsync.done %f : !gsync.future<tensor<i64>>
    %s = scf.if %d -> (tensor<i64>) {
      %x = gsync.await %f : !gsync.future<tensor<i64>>
      scf.yield %x : tensor<i64>
    } else {
      %x = gsync.await %f : !gsync.future<tensor<i64>>
      scf.yield %x : tensor<i64>
    }
    gsync.next %yes
  }
}

// -----

// A strand without collectives may end by a local decision, and the drain of its role may still reduce: every rank reaches it.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %go = gsync.ask @quota::@averaged() : () -> i1
    gsync.next %go
  }
  gsync.drain {
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.yield
  }
  gsync.model {
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.yield %s : tensor<i64>
  }
}

// -----

// Two strands with a channel each, and a cell that only one of them touches.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.channel @other on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %l = gsync.load @seen : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi eq, %x, %one : i64
    scf.if %c {
      %f = gsync.all_reduce sum on @other (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      gsync.yield cells(%n : tensor<i64>)
    }
    gsync.next %yes
  }
}

// -----

// A collective carried over to the next round, and a condition by its sum.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.init {
    %z = gsync.ready : !gsync.future<tensor<i64>>
    gsync.yield %z : !gsync.future<tensor<i64>>
  }
  gsync.strand (%prev: !gsync.future<tensor<i64>>) {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %v = gsync.await %prev : !gsync.future<tensor<i64>>
    %x = tensor.extract %v[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    gsync.next %c (%h : !gsync.future<tensor<i64>>)
  }
}

// -----

// A broadcast from a rank that was reduced; a helper called on every path; a pure function of uniform values.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @mine : tensor<i64> role(state)
gsync.cell @budget : tensor<i64> role(setting)
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
func.func private @pure(tensor<i64>) -> tensor<i64>
func.func @reduce(%n: tensor<i64>) -> tensor<i64> {
  %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %s = gsync.await %f : !gsync.future<tensor<i64>>
  return %s : tensor<i64>
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %s = func.call @reduce(%n) : (tensor<i64>) -> tensor<i64>
    %t = func.call @pure(%s) : (tensor<i64>) -> tensor<i64>
    %root = tensor.extract %t[] : tensor<i64>
    %f = gsync.broadcast from(%root) on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %u = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// The number of members, seen in rounds that members share, here by a helper's
// reduction, and in a drain.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @n : i64 role(counter)
func.func private @reduce() {
  %z = gsync.zero : tensor<i64>
  %f = gsync.all_reduce sum on @grads (%z) : (tensor<i64>) -> !F
  %s = gsync.await %f : !F
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %n, %r = gsync.view @world : i64, i64
    func.call @reduce() : () -> ()
    gsync.atomic (@n) {
    ^bb0(%v: i64):
      gsync.yield cells(%n : i64)
    }
    gsync.next %no
  }
  gsync.drain {
    %seen = gsync.load @n : i64
    %n, %r = gsync.view @world : i64, i64
    %c = arith.cmpi eq, %n, %seen : i64
    scf.if %c {
      func.call @reduce() : () -> ()
    }
    gsync.yield
  }
}
