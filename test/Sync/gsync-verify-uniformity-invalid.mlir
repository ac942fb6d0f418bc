// Every way to reach a collective by a local fact.
// RUN: rubato-opt %s --split-input-file --gsync-verify-uniformity --verify-diagnostics

// Under a poll.
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
    %r = gsync.ready : !gsync.future<tensor<i64>>
    // expected-note@+1 {{local because of 'gsync.done': members may see different values here}}
    %c = gsync.done %r : !gsync.future<tensor<i64>>
    %q = gsync.await %r : !gsync.future<tensor<i64>>
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By the clock.
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
    // expected-note@+1 {{local because of 'gsync.now': members may see different values here}}
    %t = gsync.now : f64
    %x = arith.constant 1.0 : f64
    %c = arith.cmpf ogt, %t, %x : f64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By the rank.
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
    // expected-note@+1 {{local because of 'gsync.view': members may see different values here}}
    %m, %rank = gsync.view @world : i64, i64
    %c = arith.cmpi eq, %rank, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By what a batch holds.
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
    // expected-note@+1 {{local because of 'gsync.next_batch': members may see different values here}}
    %b = gsync.next_batch from(cursor) : tensor<i64>
    %x = tensor.extract %b[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By a stop request that did not ride in a reduction.
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
    // expected-note@+1 {{local because of 'gsync.stop_requested': members may see different values here}}
    %q = gsync.stop_requested : tensor<i64>
    %x = tensor.extract %q[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By the answer of a local policy.
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By how often a loop ran.
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
    %r = gsync.ready : !gsync.future<tensor<i64>>
    // expected-note@+1 {{local because of 'gsync.repeat': members may see different values here}}
    %k = gsync.repeat until(%r : !gsync.future<tensor<i64>>) at_least(%one) {
    ^bb0(%i: i64):
    }
    %q = gsync.await %r : !gsync.future<tensor<i64>>
    %c = arith.cmpi eq, %k, %one : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By the part that a reduction scattered to this member.
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
    %v = gsync.zero : tensor<4xi64>
    // expected-note@+1 {{local because of 'gsync.reduce_scatter': members may see different values here}}
    %p = gsync.reduce_scatter sum on @grads (%v) : (tensor<4xi64>) -> !gsync.future<tensor<?xi64>>
    %q = gsync.await %p : !gsync.future<tensor<?xi64>>
    %at = arith.constant 0 : index
    %x = tensor.extract %q[%at] : tensor<?xi64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By what another member sent.
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
    // expected-note@+1 {{local because of 'gsync.exchange': members may see different values here}}
    %p = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %q = gsync.await %p : !gsync.future<tensor<i64>>
    %x = tensor.extract %q[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By a cell that gets a local value.
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
    // expected-note@+1 {{local because of 'gsync.stop_requested': members may see different values here}}
    %q = gsync.stop_requested : tensor<i64>
    gsync.atomic (@mine) {
    ^bb0(%m: tensor<i64>):
      gsync.yield cells(%q : tensor<i64>)
    }
    %l = gsync.load @mine : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By a cell that got a local value in the round before: cells outlive rounds.
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
    %l = gsync.load @mine : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    // expected-note@+1 {{local because of 'gsync.stop_requested': members may see different values here}}
    %q = gsync.stop_requested : tensor<i64>
    gsync.atomic (@mine) {
    ^bb0(%m: tensor<i64>):
      gsync.yield cells(%q : tensor<i64>)
    }
    gsync.next %yes
  }
}

// -----

// By a cell that is counted up under a local condition.
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %d = gsync.ask @quota::@averaged() : () -> i1
    scf.if %d {
      gsync.atomic (@mine) {
      ^bb0(%m: tensor<i64>):
        gsync.yield cells(%n : tensor<i64>)
      }
    }
    %l = gsync.load @mine : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By a value that a local condition chose.
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %d = gsync.ask @quota::@averaged() : () -> i1
    %c = scf.if %d -> (i1) {
      %no = arith.constant false
      scf.yield %no : i1
    } else {
      scf.yield %yes : i1
    }
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// By a value carried from the round before.
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
    %z = gsync.zero : tensor<i64>
    gsync.yield %z : tensor<i64>
  }
  gsync.strand (%carried: tensor<i64>) {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %x = tensor.extract %carried[] : tensor<i64>
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    // expected-note@+1 {{local because of 'gsync.stop_requested': members may see different values here}}
    %q = gsync.stop_requested : tensor<i64>
    gsync.next %yes (%q : tensor<i64>)
  }
}

// -----

// Two conditions deep.
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %d = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %d {
      scf.if %yes {
        // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
        %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
        %s = gsync.await %f : !gsync.future<tensor<i64>>
      }
    }
    gsync.next %yes
  }
}

// -----

// In a loop with a local number of runs.
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
    // expected-note@+1 {{local because of 'gsync.view': members may see different values here}}
    %m, %rank = gsync.view @world : i64, i64
    %lo = arith.constant 0 : index
    %st = arith.constant 1 : index
    %hi = arith.index_cast %rank : i64 to index
    // expected-note@+1 {{the loop}}
    scf.for %i = %lo to %hi step %st {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands in a loop that members run differently often: every member must reach it, or the others wait for ever}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// In a while loop that a policy ends.
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
    // expected-note@+1 {{the loop}}
    scf.while : () -> () {
      // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
      %more = gsync.ask @quota::@averaged() : () -> i1
      scf.condition(%more)
    } do {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands in a loop that members run differently often: every member must reach it, or the others wait for ever}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
      scf.yield
    }
    gsync.next %yes
  }
}

// -----

// In a gsync.repeat, even a counted one.
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
    %k = gsync.repeat at_least(%one) at_most(%one) {
    ^bb0(%i: i64):
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: may not stand in a gsync.repeat: members may repeat it differently often; move it behind the loop}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// The other collectives are no different: all_gather,
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_gather' op sync stage: stands under a local condition}}
      %f = gsync.all_gather on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<?xi64>>
      %s = gsync.await %f : !gsync.future<tensor<?xi64>>
    }
    gsync.next %yes
  }
}

// -----

// reduce_scatter,
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
    %v = gsync.zero : tensor<4xi64>
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.reduce_scatter' op sync stage: stands under a local condition}}
      %f = gsync.reduce_scatter sum on @grads (%v) : (tensor<4xi64>) -> !gsync.future<tensor<?xi64>>
      %s = gsync.await %f : !gsync.future<tensor<?xi64>>
    }
    gsync.next %yes
  }
}

// -----

// broadcast,
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.broadcast' op sync stage: stands under a local condition}}
      %f = gsync.broadcast from(%zero) on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// the vote,
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.commit' op sync stage: stands under a local condition}}
      %v = gsync.commit on @world expect(%one, %one) : i1
    }
    gsync.next %yes
  }
}

// -----

// and questions to a replicated policy.
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.ask' op sync stage: stands under a local condition}}
      %v, %w = gsync.ask @ramp::@factor(%one) : (i64) -> (f64, i1)
    }
    gsync.next %yes
  }
}

// -----

// A replicated policy is asked the same everywhere.
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
    // expected-note@+1 {{local because of 'gsync.view': members may see different values here}}
    %m, %rank = gsync.view @world : i64, i64
    // expected-error@+1 {{'gsync.ask' op sync stage: asks a replicated policy with a local value: the replicas would part; pass uniform values, or make the policy local or central}}
    %v, %w = gsync.ask @ramp::@factor(%rank) : (i64) -> (f64, i1)
    gsync.next %yes
  }
}

// -----

// A broadcast has one root.
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
    // expected-note@+1 {{local because of 'gsync.view': members may see different values here}}
    %m, %rank = gsync.view @world : i64, i64
    // expected-error@+1 {{'gsync.broadcast' op sync stage: takes a local rank as its root: members must name the same one; use a constant or a reduced value}}
    %f = gsync.broadcast from(%rank) on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// A strand with a collective that ends by a local decision.
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
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %go = gsync.ask @quota::@averaged() : () -> i1
    // expected-error@+1 {{'gsync.next' op sync stage: decides by a local value whether the round is the last, but the strand uses 'gsync.all_reduce', which every member must reach equally often; let the decision ride in a reduction}}
    gsync.next %go
  }
}

// -----

// Two strands on one channel: nobody orders them.
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
    // expected-note@+1 {{used here in the strand @a of role @worker}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: uses @grads in a second strand: the order of two strands differs from member to member; give every strand a name of its own}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// A cell that another strand changes is read sooner or later.
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
    // expected-note@+1 {{local because of 'gsync.atomic': members may see different values here}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      gsync.yield cells(%n : tensor<i64>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %l = gsync.load @seen : tensor<i64>
    %x = tensor.extract %l[] : tensor<i64>
    %c = arith.cmpi eq, %x, %one : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
}

// -----

// What carries over from strands that end differently is local in the drain.
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
    %z = arith.constant false
    gsync.yield %z : i1
  }
  gsync.strand (%u: i1) {
    %yes = arith.constant true
    // expected-note@+1 {{local because of 'gsync.ask'}}
    %go = gsync.ask @quota::@averaged() : () -> i1
    gsync.next %go (%yes : i1)
  }
  gsync.drain (%u: i1) {
    %n = gsync.zero : tensor<i64>
    // expected-note@+1 {{the condition}}
    scf.if %u {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.yield
  }
}

// -----

// A helper is looked into.
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
func.func @reduce(%n: tensor<i64>) -> tensor<i64> {
  // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition}}
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
    // expected-note@+1 {{local because of 'gsync.ask': members may see different values here}}
    %c = gsync.ask @quota::@averaged() : () -> i1
    // expected-note@+1 {{the condition}}
    scf.if %c {
      %s = func.call @reduce(%n) : (tensor<i64>) -> tensor<i64>
    }
    gsync.next %yes
  }
}

// -----

// A helper that calls itself is not.
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
func.func @again(%n: tensor<i64>) {
  %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %s = gsync.await %f : !gsync.future<tensor<i64>>
  // expected-error@+1 {{'func.call' op sync stage: calls the recursive helper @again, which communicates; write the recursion as a loop}}
  func.call @again(%n) : (tensor<i64>) -> ()
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    func.call @again(%n) : (tensor<i64>) -> ()
    gsync.next %yes
  }
}

// -----

// Control flow that is not followed.
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
    scf.execute_region {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands in 'scf.execute_region', whose paths are not followed; use scf.if, scf.for, scf.while or gsync.repeat}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
      scf.yield
    }
    gsync.next %yes
  }
}

// -----

// The number of members, seen by a strand whose rounds are its own.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @n : i64 role(counter)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    // expected-note@+1 {{local because of 'gsync.view': members may see different values here}}
    %n, %r = gsync.view @world : i64, i64
    gsync.atomic (@n) {
    ^bb0(%v: i64):
      gsync.yield cells(%n : i64)
    }
    gsync.next %no
  }
  gsync.drain {
    %two = arith.constant 2 : i64
    %n = gsync.load @n : i64
    %c = arith.cmpi eq, %n, %two : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      %z = gsync.zero : tensor<i64>
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition, by which members may decide differently: every member must reach it, or the others wait for ever; move it out, or decide by something uniform (let it ride in a reduction)}}
      %f = gsync.all_reduce sum on @grads (%z) : (tensor<i64>) -> !F
      %s = gsync.await %f : !F
    }
    gsync.yield
  }
}
